/** @file The trace of an answer in one line, and the small numbers of its tables. */

import type { Answer, Reconstruction, RoutedAnchor } from "../../../records/answer.ts";
import { counted, duration } from "../../format.ts";
import { wasRead } from "./stages.ts";

/** "2 anchors routed, 5 facts recalled, 4 gates open · 0.42 s + 1.1 s + 0.3 s". */
export function traceLine({ route, recalled, milliseconds }: Answer): string {
  const kept = route.anchors.filter((anchor) => anchor.kept).length;
  const open = recalled.filter(wasRead).length;
  const total = milliseconds.route + milliseconds.recall + milliseconds.answer;
  const gates = open === recalled.length ? "all gates" : counted(open, "gate");
  return `${counted(kept, "anchor")} routed, ${counted(recalled.length, "fact")} recalled${recalled.length === 0 ? "" : `, ${gates} open`} · ${duration(total)}`;
}

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
