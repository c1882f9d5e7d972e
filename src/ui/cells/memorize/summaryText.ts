/** @file What memorising did, as a sentence. */

import type { LayerIndex } from "../../../records/ids.ts";
import type { FactRow, MemorizeSummary } from "../../../records/notebook.ts";
import type { Budget } from "../../../records/plan.ts";
import { count, counted } from "../../format.ts";

/** E.g. "43 facts of “The Lamp” are in the model’s memory, 41 of them word for word." */
export function headline(summary: MemorizeSummary): string {
  const { sources, encoded, exact, total } = summary;
  if (encoded === 0) return `No fact was added; the memory holds ${counted(total, "fact")}.`;
  const titles = sources.map(({ title }) => `“${title}”`);
  const of = titles.length === 0 ? "" : ` of ${listed(titles)}`;
  const before = total > encoded ? `, beside ${counted(total - encoded, "older one")}` : "";
  return `${counted(encoded, "fact")}${of} ${encoded === 1 ? "is" : "are"} in memory${before}: ${exactly(exact, encoded)}.`;
}

/** What of the texts is in no fact; null where all is, and where nobody counted. */
export function leftOut({ extraction = [], extracted, retained, budget }: MemorizeSummary): string | null {
  const parts = extraction.flatMap((text) => text.parts);
  const sentences = parts.reduce((sum, part) => sum + part.sentences, 0);
  const candidates = parts.reduce((sum, part) => sum + part.candidates, 0);
  return sentences === 0
    ? null
    : unstored({ sentences, candidates, retained: candidates - (extracted - retained) }, budget, "after");
}

/** Of how many sentences, how many pass the filter, and how many of those Eq. 1 keeps. */
export interface Kept {
  readonly sentences: number;
  readonly candidates: number;
  readonly retained: number;
}

/** Which sentences are, or will be, in no fact, and why; null where all are in one. */
export function unstored(
  { sentences, candidates, retained }: Kept,
  { depth, bound, perAnchor }: Pick<Budget, "depth" | "bound" | "perAnchor">,
  when: "before" | "after",
): string | null {
  const [unfit, gaveWay] = [sentences - candidates, candidates - retained];
  const why = [
    ...(unfit > 0
      ? [
          `${count(unfit)} by the filter, which takes those with a name, a number, an identifier or a relation`,
        ]
      : []),
    ...(gaveWay > 0
      ? [
          `${count(gaveWay)} by Eq. 1: ${bound === "information" || perAnchor >= depth ? `an anchor keeps its ${counted(depth, "latest fact")}` : "the layers have no room for more"}`,
        ]
      : []),
  ];
  if (why.length === 0) return null;
  const left = unfit + gaveWay;
  const verb = when === "before" ? "will not be" : left === 1 ? "is not" : "are not";
  return `${count(left)} of ${counted(sentences, "sentence")} ${verb} stored: ${why.join("; ")}.`;
}

/** "20 facts, 12 of them left over from an interrupted run": those are among the encoded ones, and no others beside them. */
export function encodedText({ encoded, resumed }: MemorizeSummary): string {
  const left = Math.min(resumed, encoded);
  const those =
    left === 0 ? "" : left < encoded ? `${count(left)} of them ` : encoded > 1 ? "all of them " : "";
  return left === 0
    ? counted(encoded, "fact")
    : `${counted(encoded, "fact")}, ${those}left over from an interrupted run`;
}

function exactly(exact: number, encoded: number): string {
  if (exact === encoded)
    return encoded === 1 ? "the model says it word for word" : "the model says each of them word for word";
  if (exact === 0)
    return encoded === 1
      ? "the model does not say it word for word"
      : "the model says none of them word for word";
  return `the model says ${count(exact)} of them word for word, and ${count(encoded - exact)} not`;
}

function listed(words: readonly string[]): string {
  if (words.length > 3) return `${words.slice(0, 2).join(", ")} and ${words.length - 2} more`;
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Facts per storage layer. */
export function countByLayer(facts: readonly FactRow[]): ReadonlyMap<LayerIndex, number> {
  const counts = new Map<LayerIndex, number>();
  for (const { layer } of facts) counts.set(layer, (counts.get(layer) ?? 0) + 1);
  return counts;
}
