/** @file PlannedFact[] -> MemoryEntry[]: the stage of memorising that takes the time, checkpoint by checkpoint. */

import { encodeFacts, type EncodeProgress } from "../memory/encode.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { Memory } from "../records/memory.ts";
import type { Progress } from "../records/progress.ts";
import type { FlowContext } from "./context.ts";

/** Encodes and stores batch by batch. Gives `memory` with the new entries behind its own. */
export async function encodePlan(
  { engine, store, params, now, onProgress, signal }: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
): Promise<Memory> {
  const entries = [...memory.entries];
  const started = now();
  const finished = encodeFacts(engine, planned, params, {
    layers: memory.layers,
    centres: memory.centres,
    ...(signal ? { signal } : {}),
    onProgress: (progress) => onProgress?.(encodeProgress(progress, (now() - started) / 1000)),
  });
  for await (const batch of finished) {
    await store.append({ entries: batch });
    entries.push(...batch);
  }
  onProgress?.({ stage: "encode", done: planned.length, total: planned.length });
  return { ...memory, entries };
}

/** @param seconds since encoding began */
function encodeProgress(
  { done, total, layer, batch, facts, losses }: EncodeProgress,
  seconds: number,
): Progress {
  const factsPerSecond = done > 0 && seconds > 0 ? done / seconds : null;
  const secondsLeft = factsPerSecond && (total - done) / factsPerSecond;
  const note = `layer ${layer}, loss ${losses.at(-1)!.toFixed(2)}`;
  return { stage: "encode", done, total, note, encode: { layer, batch, facts, losses, factsPerSecond, secondsLeft } }; // prettier-ignore
}
