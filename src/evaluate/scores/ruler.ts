/** @file RULER's string_match_part, for question answering. */

import type { Scorer } from "./scorer.ts";

// eslint-disable-next-line no-control-regex -- control characters are what is replaced
const CONTROL = /[\x00-\x1f]/g;

/** An answer as RULER reads it: control characters are line ends, and the ends are trimmed before and after. */
export const printable = (answer: string): string => answer.trim().replace(CONTROL, "\n").trim();

/** Whether any gold answer stands in the answer, in any case. */
export const stringMatchPart: Scorer = {
  upstream: "NVIDIA/RULER@c3f5e3b scripts/eval/synthetic/constants.py",
  score(answer, { gold }) {
    const said = printable(answer).toLowerCase();
    return Number(gold.some((one) => said.includes(one.toLowerCase())));
  },
};
