/** @file The gate and the margins of a recall in words. */

import { wasRead, width, type Reconstruction, type KeyMargin } from "../../records/answer.ts";

/** "own 0.99998, runner-up 0.99986, margin 0.00012". */
export function marginText(margin: KeyMargin): string {
  if (margin.runnerUp === null) return `own ${cosine(margin.own)}, no other key at its layer`;
  return `own ${cosine(margin.own)}, runner-up ${cosine(margin.runnerUp)}, margin ${small(width(margin))}`;
}

export const small = (value: number): string => (value === 0 ? "0" : String(Number(value.toPrecision(2))));

/** A cosine with three digits, or more if three would round it to 1. */
export function cosine(similarity: number): string {
  const digits = [3, 4, 5, 6].find((count) => similarity >= 1 || Number(similarity.toFixed(count)) < 1);
  return similarity.toFixed(digits ?? 7);
}

type GateState = "open" | "closed" | "another key won";

export const GATE_WORDS: Readonly<Record<GateState, string>> = {
  open: "gate open",
  closed: "gate closed",
  "another key won": "another key won",
};

export function gateState(fact: Pick<Reconstruction, "read">): GateState {
  if (wasRead(fact)) return "open";
  return fact.read.gateOpen ? "another key won" : "closed";
}
