/** @file PlannedFact[] -> MemoryEntry[]: the stage of memorising that takes the time, checkpoint by checkpoint. */

import { encodeFacts, type EncodeProgress } from "../memory/encode.ts";
import type { PlannedFact } from "../records/fact.ts";
import { asTop1, type Memory, type MemoryEntry } from "../records/memory.ts";
import type { Progress } from "../records/progress.ts";
import type { Store } from "../store/port.ts";
import { softVerdicts } from "../memory/softVerdicts.ts";
import type { FlowContext } from "./context.ts";
import { valuesOf } from "./facts.ts";
import { writtenParts } from "./written.ts";
import { holdsWords, sealed, withoutRecalled } from "./wordless.ts";

/**
 * Encodes and stores batch by batch, and asks the soft read, where that is the memory's, what it says. Gives `memory`
 * with the new entries behind its own. A memory that is to keep no words is written whole in the end, without those of
 * the facts that are encoded: also where the run was stopped, and after a crash by the run that takes over.
 */
export async function encodePlan(
  context: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
): Promise<Memory> {
  const made: MemoryEntry[] = [];
  const soFar = (): Memory => ({ ...memory, entries: [...memory.entries, ...made] });
  try {
    await encodeAll(context, memory, planned, made);
    return await seal(context.store, await readBack(context, soFar()));
  } catch (error) {
    // The first error is the one to tell; what is left here is taken out by the next run.
    await seal(context.store, soFar()).catch(() => undefined);
    throw error;
  }
}

/** The memory with what its own read says of every fact, now that all are in. Top-1 needs no asking: see softVerdicts. */
async function readBack(
  { engine, store, params, signal, onProgress }: FlowContext,
  memory: Memory,
): Promise<Memory> {
  const soft = params.read === "soft";
  if (!soft && !memory.entries.some(({ report }) => report.soft)) return memory;
  const options = {
    signal,
    onProgress: (done: number, total: number) =>
      onProgress?.({ stage: "encode", done, total, note: "read back" }),
  };
  const entries = soft
    ? await softVerdicts(engine, memory, valuesOf(memory), params, options)
    : memory.entries.map(asTop1);
  const judged = { ...memory, entries };
  await store.save(judged);
  return judged;
}

/** The memory as it is kept: where words are left that should go, it is stored anew without them. */
async function seal(store: Store, memory: Memory): Promise<Memory> {
  if (!holdsWords(memory)) return memory;
  const wordless = sealed(memory);
  await store.save(wordless);
  return wordless;
}

/** Adds the entries to `made` as they are stored. */
async function encodeAll(
  { engine, store, params, now, onProgress, signal }: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
  made: MemoryEntry[],
): Promise<void> {
  const started = now();
  const learns = params.warmStart === "learned" && planned.length > 0 && memory.entries.length > 0;
  const written = learns ? await writtenParts(engine, memory, signal) : [];
  const finished = encodeFacts(engine, planned, params, {
    layers: memory.layers,
    written,
    centres: memory.centres,
    ...(signal ? { signal } : {}),
    onProgress: (progress) => onProgress?.(encodeProgress(progress, (now() - started) / 1000)),
  });
  for await (const batch of finished) {
    const entries = memory.salt === undefined ? batch : batch.map(withoutRecalled);
    await store.append({ entries });
    made.push(...entries);
  }
  onProgress?.({ stage: "encode", done: planned.length, total: planned.length });
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
