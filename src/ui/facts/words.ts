/** @file How runs, fidelities and sizes of memories are called. */

import type { MemoryBytes } from "../../records/bytes.ts";
import type { MemoryInfo } from "../../records/memory.ts";
import type { Stamp } from "../../records/notebook.ts";
import { bytes, count, counted } from "../format.ts";

/** While a change of some facts is followed by what it makes of the others. */
export const ASKING_SOFT = "Asking the soft read again";

/** What an interrupted run left, and what of it is safe. */
export function leftText({
  pending,
  unsealed,
  facts,
}: Pick<MemoryInfo, "pending" | "unsealed" | "facts">): string {
  const safe = `${counted(facts, "fact is", "facts are")} safe in the memory`;
  if (pending > 0) return `${counted(pending, "fact waits", "facts wait")} to be encoded; ${safe}.`;
  return `${safe}, and the words of ${unsealed === facts ? "all" : count(unsealed)} of them are still to be taken out.`;
}

/** "palimpsest-6m@0a1b2c3d on wasm"; empty where no model took part. */
export const ranOn = ({ model, backend }: Pick<Stamp, "model" | "backend">): string =>
  [model, backend && `on ${backend}`].filter(Boolean).join(" ");

/** A fidelity with two digits, never 1.00: all tokens in another order are not exact. */
export const shortOfOne = (fidelity: number): string =>
  Math.min(0.99, Math.floor(fidelity * 100) / 100).toFixed(2);

/** The mean fidelity of some facts; without any a dash. */
export const meanFidelityText = (fidelity: number | null, exact: number, facts: number): string =>
  fidelity === null || facts === 0 ? "–" : exact === facts ? "1.00" : shortOfOne(fidelity);

/** What a memory takes, beside its text: "of 71 KB of text it keeps 310 KB of vectors and 40 KB of index, …". */
export function keptText({ text, vectors, index, words, perFact }: MemoryBytes): string {
  const inWords = words > 0 ? `${bytes(words)} of it in words` : "no sentence in it";
  return (
    `of ${bytes(text)} of text it keeps ${bytes(vectors)} of stored vectors and ${bytes(index)} of routing index ` +
    `(${inWords}), ${bytes(Math.round(perFact))} a fact`
  );
}
