/**
 * @file A process of its own that loads a checkpoint into a sink that keeps nothing, and prints what memory the
 * load took beyond the start as one line of JSON. Run by loadMemory.test.ts: `tsx measureLoad.ts DIRECTORY`.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { openCheckpoint } from "../checkpoint.ts";
import { nodeModelFiles } from "../../../tools/node/nodeFile.ts";
import { createStaging, streamTensor, type TargetType } from "../stream.ts";

/** Bytes; `peakRss` is the kernel's own high-water mark, null where /proc does not tell it. */
export interface LoadMeasure {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly seconds: number;
  readonly samples: number;
  /** Highest sample minus the baseline. */
  readonly rss: number;
  readonly external: number;
  readonly peakRss: number | null;
}

interface Sample {
  readonly rss: number;
  readonly external: number;
}

/** `external` includes array buffers in Node; the larger of the two is taken in case that changes. */
function sample(): Sample {
  const { rss, external, arrayBuffers } = process.memoryUsage();
  return { rss, external: Math.max(external, arrayBuffers) };
}

/** VmHWM in bytes, or null outside Linux. */
function highWaterMark(): number | null {
  try {
    const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"));
    return match ? Number(match[1]) * 1024 : null;
  } catch {
    return null;
  }
}

/** Sets VmHWM back to the present size (proc(5), clear_refs 5). */
function resetHighWaterMark(): boolean {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
    return true;
  } catch {
    return false;
  }
}

async function measure(directory: string): Promise<LoadMeasure> {
  globalThis.gc?.();
  const canReset = resetHighWaterMark();
  const baseline = sample();
  let peak = baseline;
  let samples = 0;
  const look = (): void => {
    const now = sample();
    samples++;
    peak = { rss: Math.max(peak.rss, now.rss), external: Math.max(peak.external, now.external) };
  };
  const timer = setInterval(look, 5);
  const started = performance.now();
  const sums = await loadAll(directory, look);
  const seconds = (performance.now() - started) / 1000;
  clearInterval(timer);
  const mark = canReset ? highWaterMark() : null;
  return {
    ...sums,
    seconds,
    samples,
    rss: peak.rss - baseline.rss,
    external: peak.external - baseline.external,
    peakRss: mark === null ? null : mark - baseline.rss,
  };
}

/** Every tensor, to float16 and float32 in turn; the sink counts and keeps nothing. */
async function loadAll(
  directory: string,
  look: () => void,
): Promise<{ bytesRead: number; bytesWritten: number }> {
  const checkpoint = await openCheckpoint(await nodeModelFiles(directory));
  const staging = createStaging();
  let bytesRead = 0;
  let bytesWritten = 0;
  const sink = {
    write: (_: number, bytes: Uint8Array): void => {
      bytesWritten += bytes.length;
    },
  };
  const types: TargetType[] = ["float32", "float16"];
  for (const [i, tensor] of [...checkpoint.tensors.values()].entries()) {
    await streamTensor(tensor, sink, types[i % 2]!, staging, { onProgress: look });
    bytesRead += tensor.end - tensor.start;
  }
  await checkpoint.close();
  return { bytesRead, bytesWritten };
}

console.log(JSON.stringify(await measure(process.argv[2]!)));
