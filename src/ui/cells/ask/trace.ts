/** @file The trace of an answer in one line, and the small numbers of its tables. */

import type { Answer, Reconstruction, Route, RoutedAnchor } from "../../../records/answer.ts";
import { wasRead } from "../../../records/headline.ts";
import { narrowest, width, type KeyMargin } from "../../../records/margin.ts";
import { counted, duration } from "../../format.ts";

/** "2 anchors routed, 5 facts recalled, narrowest margin 0.00012 · 1.9 s". */
export function traceLine({ route, recalled, milliseconds }: Answer): string {
  const kept = route.anchors.filter((anchor) => anchor.kept).length;
  const shut = recalled.filter((fact) => !wasRead(fact)).length;
  const total = milliseconds.route + milliseconds.recall + milliseconds.answer;
  const margin = narrowest(recalled);
  const said = [
    `${counted(kept, "anchor")} routed`,
    `${counted(recalled.length, "fact")} recalled`,
    ...(shut > 0 ? [`${counted(shut, "gate")} shut`] : []),
    ...(margin && margin.runnerUp !== null ? [`narrowest margin ${small(width(margin))}`] : []),
  ];
  return `${said.join(", ")} · ${duration(total)}`;
}

/** "own 0.99998, runner-up 0.99986, margin 0.00012". */
export function marginText(margin: KeyMargin): string {
  if (margin.runnerUp === null) return `own ${cosine(margin.own)}, no other key at its layer`;
  return `own ${cosine(margin.own)}, runner-up ${cosine(margin.runnerUp)}, margin ${small(width(margin))}`;
}

/** Two digits that count, however small. */
const small = (value: number): string => (value === 0 ? "0" : String(Number(value.toPrecision(2))));

/** A cosine with three digits; more where it would look like 1 and is not. */
export function cosine(similarity: number): string {
  const digits = [3, 4, 5, 6].find((count) => similarity >= 1 || Number(similarity.toFixed(count)) < 1);
  return similarity.toFixed(digits ?? 7);
}

/** Fused scores are sums of reciprocals near 1/60: shown in thousandths they can be read. */
export const fusedScore = (fused: number): string => (fused * 1000).toFixed(1);

/** Cut anchors shown before "and 40 more". */
export const CUT_SHOWN = 6;

/** Routed anchors as the table shows them: those that were kept, then those cut, each in the order of the route. */
export const keptFirst = (anchors: readonly RoutedAnchor[]): readonly RoutedAnchor[] =>
  anchors.toSorted((a, b) => Number(b.kept) - Number(a.kept));

/** How many anchors were weighed, listed or not. */
export const weighed = ({ anchors, more = 0 }: Route): number => anchors.length + more;

/** How the gate of a recall stands, in words. */
export type GateState = "open" | "closed" | "another key won";

export const GATE_WORDS: Readonly<Record<GateState, string>> = {
  open: "gate open",
  closed: "gate closed",
  "another key won": "another key won",
};

export function gateState(fact: Pick<Reconstruction, "read">): GateState {
  if (wasRead(fact)) return "open";
  return fact.read.gateOpen ? "another key won" : "closed";
}
