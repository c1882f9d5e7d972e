/**
 * @file Verdicts of the soft read on stored parts. Top-1 injects the part's own vector, which encoding has tested. Eq. 4 mixes
 * all vectors of a layer, so only a recall among all of them shows whether a part is exact.
 */

import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import type { Reconstruction } from "../records/answer.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import { byFact, type EntryMeta, type ReadVerdict } from "../records/memory.ts";
import { withResiduals } from "../records/vectors.ts";
import type { StoredVectors } from "./address.ts";
import { textOf } from "./codes.ts";
import { sameTokens, tokenF1 } from "./fidelity.ts";
import { keptVectors, type KeptVectors } from "./layers.ts";
import { openReader, type ReadParams } from "./read.ts";
import { isCoded, sayAlone, shareOf, wholeTokens } from "./stored.ts";

export interface JudgeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (done: number, total: number) => void;
  /** Recall only parts at these layers; the others keep their verdicts. */
  readonly layers?: ReadonlySet<LayerIndex> | undefined;
}

/** A memory to judge, loaded or opened. */
export type Judged<E extends EntryMeta> = (StoredVectors | KeptVectors) & { readonly entries: readonly E[] };

/** Facts whose values are decoded together, if the memory keeps no words. */
const JUDGED_TOGETHER = 64;

/**
 * The entries with their verdicts of the soft read at β and θ. A value whose words are not kept is compared with what its own
 * vectors decode to. Each layer of an opened memory is read once, and stays on the device.
 * @throws Cancelled
 */
export async function softVerdicts<E extends EntryMeta>(
  engine: Engine,
  stored: Judged<E>,
  values: ReadonlyMap<FactId, string>,
  params: Omit<ReadParams, "read">,
  { signal, onProgress, layers }: JudgeOptions = {},
): Promise<E[]> {
  const kept = keptVectors(stored);
  const wanted = layers ? stored.entries.filter(({ layer }) => layers.has(layer)) : stored.entries;
  const facts = byFact<EntryMeta>(wanted);
  const verdicts = new Map<EntryMeta, ReadVerdict>();
  const reader = openReader(engine, kept, { ...params, read: "soft" });
  let done = 0;
  try {
    for (const some of chunks(facts, JUDGED_TOGETHER)) {
      const right = await targetsOf(engine, kept, some, values);
      for (const parts of some) {
        throwIfCancelled(signal, "memory: reading back");
        const [said] = await reader.recall([parts]);
        for (const [i, tokens] of tokensByPart(said!, parts).entries())
          verdicts.set(parts[i]!, verdictOf(engine, tokens, right.get(parts[i]!)!, isCoded(parts)));
        onProgress?.(++done, facts.length);
      }
    }
  } finally {
    reader.dispose();
  }
  return stored.entries.map((entry) => {
    const soft = verdicts.get(entry);
    return soft ? { ...entry, report: { ...entry.report, soft } } : entry;
  });
}

/** The tokens that parts should give: their share of the value's tokens, or what their own residual decodes to. */
async function targetsOf(
  engine: Engine,
  { blocks }: KeptVectors,
  facts: readonly EntryMeta[][],
  values: ReadonlyMap<FactId, string>,
): Promise<ReadonlyMap<EntryMeta, readonly number[]>> {
  const targets = new Map<EntryMeta, readonly number[]>();
  for (const parts of facts) {
    const value = values.get(parts[0]!.id);
    if (value === undefined) continue;
    const whole = wholeTokens(engine, parts[0]!, value, isCoded(parts));
    for (const part of parts) targets.set(part, shareOf(engine, whole, part));
  }
  const silent = facts.flat().filter((part) => !targets.has(part));
  const said = await sayAlone(engine, await withResiduals({ blocks, model: engine.model }, silent));
  for (const [i, part] of silent.entries()) targets.set(part, said[i]!);
  return targets;
}

const tokensByPart = (
  { tokens, parts }: Reconstruction,
  entries: readonly EntryMeta[],
): (readonly number[])[] =>
  parts ? entries.map(({ part }) => parts.find((one) => one.part === part)!.tokens) : [tokens];

function verdictOf(
  engine: Engine,
  said: readonly number[],
  right: readonly number[],
  coded: boolean,
): ReadVerdict {
  const exact = sameTokens(said, right);
  const recalled = exact ? null : textOf(engine, said, coded).trim();
  return { exact, fidelity: tokenF1(said, right), recalled };
}
