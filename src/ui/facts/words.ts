/** @file How runs, fidelities and sizes of memories are called. */

import type { MemoryBytes } from "../../records/bytes.ts";
import type { Stamp } from "../../records/notebook.ts";
import { bytes } from "../format.ts";

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
    `of ${bytes(text)} of text it keeps ${bytes(vectors)} of keys and residuals and ${bytes(index)} of routing index ` +
    `(${inWords}), ${bytes(Math.round(perFact))} a fact`
  );
}
