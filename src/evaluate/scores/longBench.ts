/** @file LongBench's F1 over words (qa_f1_score). */

import { multisetF1 } from "../../lib/stats.ts";
import type { Scorer } from "./scorer.ts";

/** string.punctuation of Python: other marks, such as “ and —, stay. */
const PUNCTUATION = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;
/** Python's \b lies at letters and digits of any language, that of JavaScript at ASCII ones alone. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
/** Python splits at Unicode's white space and at the four separators of ASCII; JavaScript's \s has a byte order mark instead. */
// eslint-disable-next-line no-control-regex -- the four separators are control characters
const SPACE = /[\p{White_Space}\x1c-\x1f]+/u;

/** Lower case, without ASCII punctuation, without articles, words between single spaces. */
export const longBenchWords = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replace(PUNCTUATION, "")
    .replace(ARTICLES, " ")
    .split(SPACE)
    .filter((word) => word !== "");

/** The best F1 of the answer's words and those of a gold answer; 0 where they share none. */
export const longBenchF1: Scorer = {
  upstream: "THUDM/LongBench metrics.py qa_f1_score",
  score(answer, { gold }) {
    const said = longBenchWords(answer);
    return Math.max(0, ...gold.map((one) => sharedF1(said, longBenchWords(one))));
  },
};

/** Two empty lists of words share nothing. */
const sharedF1 = (a: readonly string[], b: readonly string[]): number =>
  a.length + b.length === 0 ? 0 : multisetF1(a, b);
