/**
 * @file What the soft read says of each stored part. Top-1 injects the part's own vector, which is what encoding tested;
 * Eq. 4 mixes it with every other vector of its layer, so that only a recall among all of them can tell.
 */

import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import type { Reconstruction } from "../records/answer.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import { byFact, type MemoryEntry, type ReadVerdict } from "../records/memory.ts";
import type { StoredVectors } from "./address.ts";
import { textOf } from "./codes.ts";
import { sameTokens, tokenF1 } from "./fidelity.ts";
import { openReader, type ReadParams } from "./read.ts";
import { isCoded, sayAlone, shareOf, wholeTokens } from "./stored.ts";

export interface JudgeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (done: number, total: number) => void;
  /** Only parts that lie at one of these are asked for; the others keep what was said of them. */
  readonly layers?: ReadonlySet<LayerIndex> | undefined;
}

/**
 * The entries, each with what the soft read at β and θ says of it now. A value that is not kept in words is judged
 * against what its own vectors say.
 * @throws Cancelled
 */
export async function softVerdicts(
  engine: Engine,
  stored: StoredVectors,
  values: ReadonlyMap<FactId, string>,
  params: Omit<ReadParams, "read">,
  { signal, onProgress, layers }: JudgeOptions = {},
): Promise<MemoryEntry[]> {
  const wanted = layers ? stored.entries.filter(({ layer }) => layers.has(layer)) : stored.entries;
  const facts = byFact(wanted);
  const verdicts = new Map<MemoryEntry, ReadVerdict>();
  const reader = openReader(engine, stored, { ...params, read: "soft" });
  try {
    for (const [done, parts] of facts.entries()) {
      throwIfCancelled(signal, "memory: reading back");
      const [said] = await reader.recall([parts]);
      const right = await targetsOf(engine, parts, values.get(parts[0]!.id));
      for (const [i, tokens] of tokensByPart(said!, parts).entries())
        verdicts.set(parts[i]!, verdictOf(engine, tokens, right[i]!, isCoded(parts)));
      onProgress?.(done + 1, facts.length);
    }
  } finally {
    reader.dispose();
  }
  return stored.entries.map((entry) => {
    const soft = verdicts.get(entry);
    return soft ? { ...entry, report: { ...entry.report, soft } } : entry;
  });
}

/** What each part should say: its share of the value's tokens. */
async function targetsOf(
  engine: Engine,
  parts: readonly MemoryEntry[],
  value: string | undefined,
): Promise<(readonly number[])[]> {
  if (value === undefined) return sayAlone(engine, parts);
  const whole = wholeTokens(engine, parts[0]!, value, isCoded(parts));
  return parts.map((entry) => shareOf(engine, whole, entry));
}

const tokensByPart = (
  { tokens, parts }: Reconstruction,
  entries: readonly MemoryEntry[],
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
