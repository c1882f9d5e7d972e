/** @file Pairs of samples of two methods on the same case. */

import { groupBy } from "../lib/group.ts";
import type { SampleRecord } from "../records/evaluation.ts";

/** Identifies a case, independent of the method: its place, text and question. */
export const caseKey = ({
  task,
  length,
  depth,
  index,
  variant,
  textHash,
  question,
  gold,
}: SampleRecord): string => JSON.stringify([task, length, depth, index, variant, textHash, question, gold]);

type Two = readonly [SampleRecord, SampleRecord];

/**
 * Samples of `own`, each with the one of `others` on the same case. Imported predictions have no text. They are paired by
 * place if both sets ask the same at every place, as published records do; otherwise by questions that are asked once and
 * have open answers (bAbI asks "Where is Mary?" of every other story).
 */
export function paired(own: readonly SampleRecord[], others: readonly SampleRecord[]): Two[] {
  const known = joined(own, others, caseKey);
  if (known.length > 0 || others.every(({ textHash }) => textHash !== "")) return known;
  const inOrder = joined(own, others, ({ depth, index }) => JSON.stringify([depth, index]));
  if (inOrder.every(asksTheSame)) return inOrder;
  const open = own.filter(({ labels }) => labels === null);
  return joined(open, others, ({ question }) => question.trim()).filter(asksTheSame);
}

const asksTheSame = ([a, b]: Two): boolean =>
  a.question.trim() === b.question.trim() && a.gold.some((gold) => b.gold.includes(gold));

/** Pairs with the same key, if it is unique in both. */
function joined(
  own: readonly SampleRecord[],
  others: readonly SampleRecord[],
  keyOf: (sample: SampleRecord) => string,
): Two[] {
  const found = once(others, keyOf);
  return [...once(own, keyOf)].flatMap(([key, one]): Two[] => {
    const other = found.get(key);
    return other ? [[one, other]] : [];
  });
}

const once = (
  samples: readonly SampleRecord[],
  keyOf: (sample: SampleRecord) => string,
): ReadonlyMap<string, SampleRecord> =>
  new Map(
    [...groupBy(samples, keyOf)].flatMap(([key, [one, ...more]]) =>
      one && more.length === 0 ? [[key, one]] : [],
    ),
  );
