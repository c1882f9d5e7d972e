/** @file BABILong's scoring: today's strict rule, the older substring rule (the paper's), and lm-evaluation-harness's. */

import { printable } from "./ruler.ts";
import type { Scorer, Target } from "./scorer.ts";

const PLACES = ["bathroom", "bedroom", "garden", "hallway", "kitchen", "office"];

/** Every answer of a task, as the labels of its strict rule have them. */
export const BABILONG_LABELS: Readonly<Record<string, readonly string[]>> = {
  qa1: PLACES,
  qa2: PLACES,
  qa3: PLACES,
  qa4: PLACES,
  qa5: ["Bill", "Fred", "Jeff", "Mary", "apple", "football", "milk"],
};

/** Those of a task that somebody named; undefined where they are not known. */
export const labelsOf = (task: string): readonly string[] | undefined =>
  Object.hasOwn(BABILONG_LABELS, task) ? BABILONG_LABELS[task] : undefined;

/** What BABILong reads of an answer: lower case, up to the first full stop, before a context or an example begins. */
export function firstClaim(answer: string): string {
  const [sentence = ""] = answer.toLowerCase().split(".");
  return sentence.split("<context>")[0]!.split("<example>")[0]!;
}

/**
 * Of all labels that the answer names and the question does not, the target must be the only one; a target of several
 * parts must be all of them. (Upstream also cuts at "Question", after lower-casing: that can never be found.)
 */
export const babilongStrict: Scorer = {
  upstream: "booydar/babilong@7a6efee babilong/metrics.py",
  score(answer, { question, gold, labels }) {
    if (labels === null) return null;
    const said = firstClaim(answer);
    const asked = question.toLowerCase();
    const named = new Set(
      labels
        .map((label) => label.toLowerCase())
        .filter((label) => said.includes(label) && !asked.includes(label)),
    );
    return Number(gold.some((target) => isAllOf(named, partsOf(target.toLowerCase()))));
  },
};

/** "apple,football" (qa8) is two labels of which both must be named; one as short as "n,w" (qa19) is a label itself. */
const partsOf = (target: string): readonly string[] => (target.length > 3 ? target.split(",") : [target]);

const isAllOf = (named: ReadonlySet<string>, parts: readonly string[]): boolean =>
  named.size === parts.length && parts.every((part) => named.has(part));

/** The target stands somewhere in what is read of the answer. */
export const babilongSubstring: Scorer = {
  upstream: "booydar/babilong@7a6efee babilong/babilong_utils.py compare_answers",
  score: (answer, { gold }) => anyIn(gold, firstClaim(answer)),
};

/** The target, without white space at its ends, stands anywhere in the whole answer. */
export const babilongHarness: Scorer = {
  upstream: "EleutherAI/lm-evaluation-harness@d83e8f6 lm_eval/tasks/babilong/common_utils.py",
  score: (answer, { gold }) =>
    anyIn(
      gold.map((target) => target.trim()),
      printable(answer).toLowerCase(),
    ),
};

const anyIn = (gold: Target["gold"], text: string): number =>
  Number(gold.some((target) => text.includes(target.toLowerCase())));
