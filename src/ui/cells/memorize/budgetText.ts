/** @file Eq. 1 with its numbers, and what a run will cost, as words. */

import type { Budget } from "../../../records/plan.ts";
import type { MemorizeEstimate } from "../../../rpc/protocol.ts";
import { bytes, count, counted, duration } from "../../format.ts";

/** What Eq. 1 needs, from an estimate or from a run. */
export type BudgetNumbers = Pick<Budget, "anchors" | "depth" | "layers" | "capacity" | "bound"> & {
  readonly stored?: number;
};

/** The two arms of the minimum, B and m; `room` is what is left of K C. */
export function armsOf({ anchors, depth, layers, capacity, stored = 0 }: BudgetNumbers): {
  readonly information: number;
  readonly room: number;
  readonly facts: number;
  readonly perAnchor: number;
} {
  const information = depth * anchors;
  const room = Math.max(0, layers * capacity - stored);
  const facts = Math.min(information, room);
  return {
    information,
    room,
    facts,
    perAnchor: anchors === 0 ? 0 : Math.max(1, Math.floor(facts / anchors)),
  };
}

/** Which arm binds and what follows from it, in one or two sentences. */
export function boundSentence(budget: BudgetNumbers): string {
  const { perAnchor, room } = armsOf(budget);
  const { anchors, bound, layers, depth } = budget;
  if (anchors === 0) return "No anchor was found, so there is nothing to store.";
  if (bound === "information")
    return `The information arm binds: there is room for more, and each anchor keeps at most its ${counted(depth, "latest fact", "latest facts")}.`;
  if (room < anchors)
    return `The capacity arm binds: there are more anchors than places, so the leading ${counted(room, "anchor keeps its latest fact", "anchors keep their latest fact each")}.`;
  return `The capacity arm binds: ${counted(layers, "layer fills", "layers fill")} up, and each anchor keeps its ${counted(perAnchor, "latest fact", "latest facts")}.`;
}

/** The whole of Eq. 1 for a screen reader. */
export function budgetSpoken(budget: BudgetNumbers): string {
  const { information, room, facts } = armsOf(budget);
  return (
    `B is the smaller of ${count(information)} (m hat ${budget.depth} times ${counted(budget.anchors, "anchor")}) ` +
    `and ${count(room)} (${counted(budget.layers, "layer")} times capacity ${count(budget.capacity)}` +
    `${budget.stored ? `, less ${count(budget.stored)} stored` : ""}): ${counted(facts, "fact")}.`
  );
}

/** Time and storage in words. */
export function costSentence({ time: { from, to, measured }, bytes: size }: MemorizeEstimate): string {
  const storage = `about ${bytes(size)} of storage`;
  const words = (seconds: number): string => duration(Math.max(1000, seconds * 1000));
  if (measured) return `About ${words(from)} and ${storage}, going by the facts this machine encoded last.`;
  if (words(from) === words(to)) return `About ${words(from)} and ${storage}, going by a short trial.`;
  return `Between ${words(from)} and ${words(to)}, depending on how many steps the facts take, and ${storage}. After a run the time is known better.`;
}
