/**
 * @file A measure of meaning without a language model: each of 24,000 English words has a vector, learned from a sentence encoder
 * and from questions with the sentences that answer them (tools/demo-model/meaning.py). A text has the sum of its words' vectors.
 */

import { fromBase64, rawBytes, toBase64 } from "../lib/bytes.ts";
import { dot, norm, unit } from "../lib/vector.ts";
import table from "./meaning.json" with { type: "json" };

const D = table.dimensions;
/** Levels times the scale of their row: [words, D]. */
const levels = new Int8Array(fromBase64(table.levels).buffer);
const scales = new Float32Array(fromBase64(table.scales).buffer);
const rowOf: ReadonlyMap<string, number> = new Map(table.words.split(" ").map((word, row) => [word, row]));
/** [D, D] by columns: brings the sum of a question's words near the sentences that answer it. */
const questionMap = fromBase64(table.question).buffer;
const columns = Array.from({ length: D }, (_, k) => new Float32Array(questionMap, 4 * k * D, D));

/** Letters without accents, and "0" for any number. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[0-9]+/g, "0")
    .match(/[a-z]+|0/g) ?? [];

function sumOf(text: string): Float32Array {
  const sum = new Float32Array(D);
  for (const word of wordsOf(text)) {
    const row = rowOf.get(word);
    if (row === undefined) continue;
    for (let k = 0; k < D; k++) sum[k]! += levels[row * D + k]! * scales[row]!;
  }
  return sum;
}

/** Vectors of another edition are of another table of words. */
export const EDITION = table.edition;
const LARGEST = 127;

/** The direction of a sentence: one character for the edition of the table, then base64 of 8 bits per number; "" without a known word. */
export function meaningOf(sentence: string): string {
  const sum = sumOf(sentence);
  const largest = sum.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (largest === 0) return "";
  return EDITION + toBase64(rawBytes(Int8Array.from(sum, (x) => Math.round((x / largest) * LARGEST))));
}

const STORED_LENGTH = 1 + 4 * Math.ceil(D / 3);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Cosines of a question and sentences with these stored meanings; 0 for one without, of another table, or damaged. */
export function alikeTo(meanings: readonly string[]): (question: string) => Float32Array {
  const stored = new Int8Array(meanings.length * D);
  const lengths = new Float32Array(meanings.length).fill(Infinity);
  meanings.forEach((meaning, i) => {
    const base64 = meaning.slice(1);
    if (meaning.length !== STORED_LENGTH || meaning[0] !== EDITION || !BASE64.test(base64)) return;
    stored.set(fromBase64(base64).subarray(0, D), i * D);
    lengths[i] = norm(Float32Array.from(stored.subarray(i * D, (i + 1) * D))) || Infinity;
  });
  return (question) => {
    const sum = sumOf(question);
    const asked = unit(Float32Array.from(columns, (column) => dot(sum, column)));
    return lengths.map((length, i) => {
      let product = 0;
      for (let k = 0, at = i * D; k < D; k++) product += asked[k]! * stored[at + k]!;
      return product / length;
    });
  };
}
