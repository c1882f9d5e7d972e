/** @file The scorers of benchmarks, by name. Every answer gets all scores; a benchmark names the one that tables show first. */

import { multisetF1 } from "../../lib/stats.ts";
import type { Scores } from "../../records/evaluation.ts";

export interface Target {
  readonly question: string;
  /** Any of these is right. */
  readonly gold: readonly string[];
  /** All possible answers of the task; null if answers are open. */
  readonly labels: readonly string[] | null;
}

interface Scorer {
  /** The repository and commit whose rule this is. */
  readonly upstream: string;
  /** 0 to 1; null if the rule does not apply to this kind of question. */
  score(answer: string, target: Target): number | null;
}

// oxlint-disable-next-line eslint/no-control-regex -- control characters are what is replaced
const CONTROL = /[\x00-\x1f]/g;

/** An answer as RULER reads it: control characters become line ends, and both ends are trimmed. */
const printable = (answer: string): string => answer.trim().replace(CONTROL, "\n").trim();

const stringMatchPart: Scorer = {
  upstream: "NVIDIA/RULER@c3f5e3b scripts/eval/synthetic/constants.py",
  score(answer, { gold }) {
    const said = printable(answer).toLowerCase();
    return Number(gold.some((one) => said.includes(one.toLowerCase())));
  },
};

const PLACES = ["bathroom", "bedroom", "garden", "hallway", "kitchen", "office"];

/** All answers of a task of BABILong, as the labels of its strict rule have them. */
export const BABILONG_LABELS: Readonly<Record<string, readonly string[]>> = {
  qa1: PLACES,
  qa2: PLACES,
  qa3: PLACES,
  qa4: PLACES,
  qa5: ["Bill", "Fred", "Jeff", "Mary", "apple", "football", "milk"],
};

/** The labels of a task; undefined if they are unknown. */
export const labelsOf = (task: string): readonly string[] | undefined =>
  Object.hasOwn(BABILONG_LABELS, task) ? BABILONG_LABELS[task] : undefined;

/** The part of an answer that BABILong reads: lower case, up to the first full stop, context or example. */
function firstClaim(answer: string): string {
  const [sentence = ""] = answer.toLowerCase().split(".");
  return sentence.split("<context>")[0]!.split("<example>")[0]!;
}

/**
 * BABILong's current rule: the target must be the only label that the answer names and the question does not. A target of
 * several parts must be all of them. (Upstream also cuts at "Question", after lower-casing, so never.)
 */
const babilongStrict: Scorer = {
  upstream: "booydar/babilong@7a6efee babilong/metrics.py",
  score(answer, { question, gold, labels }) {
    if (labels === null) return null;
    const said = firstClaim(answer);
    const asked = question.toLowerCase();
    const lower = labels.map((label) => label.toLowerCase());
    const named = new Set(lower.filter((label) => said.includes(label) && !asked.includes(label)));
    return Number(gold.some((target) => isAllOf(named, partsOf(target.toLowerCase()))));
  },
};

/** "apple,football" (qa8) is two labels of which both must be named; one as short as "n,w" (qa19) is a label itself. */
const partsOf = (target: string): readonly string[] => (target.length > 3 ? target.split(",") : [target]);

const isAllOf = (named: ReadonlySet<string>, parts: readonly string[]): boolean =>
  named.size === parts.length && parts.every((part) => named.has(part));

const anyIn = (gold: Target["gold"], text: string): number =>
  Number(gold.some((target) => text.includes(target.toLowerCase())));

/** string.punctuation of Python: other marks, such as “ and —, are kept. */
const PUNCTUATION = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;
/** Python's \b knows letters and digits of any language, JavaScript's only ASCII ones. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
/** Python splits at Unicode's white space and at the four separators of ASCII; JavaScript's \s has a byte order mark instead. */
// oxlint-disable-next-line eslint/no-control-regex -- the four separators are control characters
const SPACE = /[\p{White_Space}\x1c-\x1f]+/u;

/** Lower case, without ASCII punctuation, without articles, words between single spaces. */
export const longBenchWords = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replace(PUNCTUATION, "")
    .replace(ARTICLES, " ")
    .split(SPACE)
    .filter((word) => word !== "");

const sharedF1 = (a: readonly string[], b: readonly string[]): number =>
  a.length + b.length === 0 ? 0 : multisetF1(a, b);

const rougeWords = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

function rougeL(said: readonly string[], gold: readonly string[]): number {
  let row = new Array<number>(gold.length + 1).fill(0);
  for (const word of said) {
    const next = [0];
    gold.forEach((other, i) => next.push(word === other ? row[i]! + 1 : Math.max(row[i + 1]!, next[i]!)));
    row = next;
  }
  const common = row.at(-1)!;
  return common === 0 ? 0 : (2 * common) / (said.length + gold.length);
}

export const SCORERS = {
  "babilong-strict": babilongStrict,
  // BABILong's older rule, which the paper uses: the part that is read contains the target.
  "babilong-substring": {
    upstream: "booydar/babilong@7a6efee babilong/babilong_utils.py compare_answers",
    score: (answer, { gold }) => anyIn(gold, firstClaim(answer)),
  },
  // lm-evaluation-harness's rule for BABILong: the whole answer contains the trimmed target.
  "babilong-harness": {
    upstream: "EleutherAI/lm-evaluation-harness@d83e8f6 lm_eval/tasks/babilong/common_utils.py",
    score(answer, { gold }) {
      const targets = gold.map((target) => target.trim());
      return anyIn(targets, printable(answer).toLowerCase());
    },
  },
  "ruler-part": stringMatchPart,
  // The character's name, in its own case.
  "nolima-contains": {
    upstream: "adobe-research/NoLiMa@7532e4e",
    score: (answer, { gold }) => Number(gold.some((name) => answer.includes(name))),
  },
  // F1 over words: the best over the gold answers, 0 without a shared word.
  "longbench-f1": {
    upstream: "THUDM/LongBench metrics.py qa_f1_score",
    score(answer, { gold }) {
      const said = longBenchWords(answer);
      return Math.max(0, ...gold.map((one) => sharedF1(said, longBenchWords(one))));
    },
  },
  // F1 of the longest common subsequence of words, the best over the gold answers; without stems, as by default.
  "rouge-l": {
    upstream: "google-research/rouge rouge_scorer.py rougeL",
    score: (answer, { gold }) =>
      Math.max(0, ...gold.map((one) => rougeL(rougeWords(answer), rougeWords(one)))),
  },
} as const satisfies Readonly<Record<string, Scorer>>;

export type ScorerName = keyof typeof SCORERS;
export const SCORER_NAMES = Object.keys(SCORERS) as readonly ScorerName[];

export const scoresOf = (answer: string, target: Target): Scores =>
  Object.fromEntries(SCORER_NAMES.map((name) => [name, SCORERS[name].score(answer, target)]));

/** The rule that each scorer follows, for the header of a run. */
export const scorerSources = (): Readonly<Record<string, string>> =>
  Object.fromEntries(SCORER_NAMES.map((name) => [name, SCORERS[name].upstream]));
