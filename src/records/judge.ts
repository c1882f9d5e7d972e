/** @file Judges an answer: whether it is right, and at which stage it failed (extraction, routing, reconstruction, answer). */

import * as v from "valibot";
import { object, type Infer } from "../lib/check.ts";
import { wilson } from "../lib/stats.ts";
import { INSTEAD, MARK, shownFacts, wasRead, type Answer, type PartAnswer } from "./answer.ts";
import type { FactId } from "./ids.ts";

export interface Expectation {
  readonly ask: string;
  /** Words one of which makes a short answer right; empty if the texts have no answer. */
  readonly answers: readonly string[];
  /** Words of the sentences that are needed, one for each, or several of which one is enough; without them any sentence with an expected answer is. */
  readonly needs?: readonly (string | readonly string[])[];
  readonly all?: boolean;
}

export interface StoredSentence {
  readonly id: FactId;
  readonly value: string;
}

export const FAILED_STAGES = ["extraction", "routing", "reconstruction", "answer"] as const;

/** Failures per stage, as the page names them. */
export const FAILURES: Readonly<Record<(typeof FAILED_STAGES)[number], string>> = {
  extraction: "sentence not stored",
  routing: "sentence not found",
  reconstruction: "sentence not recalled word for word",
  answer: "no right short answer",
};

/** The stage at which a question failed; null where its short answer is right, or rightly none is given. */
export type FailedStage = (typeof FAILED_STAGES)[number] | null;

export type Attribution = Infer<typeof attribution>;
export const attribution = object({
  stored: v.boolean(),
  routed: v.boolean(),
  recalled: v.boolean(),
  shown: v.boolean(),
  /** Before as many others as are needed; not in results of earlier builds. */
  first: v.optional(v.boolean()),
  short: v.picklist(["right", "wrong", "none"]),
  marked: v.boolean(),
  notInMemory: v.boolean(),
  failed: v.nullable(v.picklist(FAILED_STAGES)),
});

export const SENTENCES_SHOWN = 5;

export function judge(answer: Answer, expected: Expectation, stored: readonly StoredSentence[]): Attribution {
  const needs = expected.needs ?? (expected.all ? expected.answers : [expected.answers]);
  const every = (texts: readonly string[]): boolean =>
    needs.length > 0 && needs.every((need) => [need].flat().some((one) => holdersOf(texts, one).length > 0));
  const routed = new Set<FactId>(answer.route.facts);
  const said = answer.recalled.filter((fact) => wasRead(fact) && fact.exact !== false);
  const parts = answer.asked;
  const shown = parts.map((part) => shownOf(answer, part));
  const reached = {
    stored: every(stored.map(({ value }) => value)),
    routed: every(stored.filter(({ id }) => routed.has(id)).map(({ value }) => value)),
    recalled: every(said.map(({ text }) => text)),
    shown: every(shown.flat()),
    first: every(shown.flatMap((texts) => texts.slice(0, needs.length))),
  };
  const short = shortOf(parts, expected);
  return {
    ...reached,
    ...short,
    notInMemory: parts.some(({ verdict }) => verdict === "not in memory"),
    failed:
      expected.answers.length > 0
        ? failedAt(reached, short.short === "right")
        : short.short === "none"
          ? null
          : "answer",
  };
}

const shownOf = (answer: Answer, part: PartAnswer): readonly string[] =>
  shownFacts(part, answer)
    .slice(0, SENTENCES_SHOWN)
    .map(({ text }) => text);

function shortOf(
  parts: readonly PartAnswer[],
  { answers, all = false }: Expectation,
): Pick<Attribution, "short" | "marked"> {
  const given = parts.filter(({ verdict }) => INSTEAD[verdict] === null);
  if (given.length === 0) return { short: "none", marked: false };
  const wrong = given.filter(({ text }) => !hasOne(text, answers));
  const right = wrong.length === 0;
  // The warning must be on the wrong part; warnings on other parts do not count.
  const marked = (right ? given : wrong).every(({ verdict }) => MARK[verdict] !== null);
  const complete = !all || answers.every((one) => given.some(({ text }) => hasOne(text, [one])));
  // Some of several parts may have no short answer; every given one must be right.
  return { short: right && (complete || given.length < parts.length) ? "right" : "wrong", marked };
}

export function failedAt(
  { stored, routed, recalled }: Pick<Attribution, "stored" | "routed" | "recalled">,
  right: boolean,
): FailedStage {
  if (right) return null;
  if (!stored) return "extraction";
  if (!routed) return "routing";
  return recalled ? "answer" : "reconstruction";
}

/** Positions of the texts that contain `needed`, otherwise of the pieces that together cover it; empty if a piece is missing. */
export function holdersOf(texts: readonly string[], needed: string): number[] {
  const wanted = plain(needed);
  if (wanted.trim() === "") return [];
  const own = texts.map(plain);
  const where = (holds: (text: string) => boolean): number[] => [...own.keys()].filter((i) => holds(own[i]!));
  const whole = where((text) => text.includes(wanted));
  if (whole.length > 0) return whole;
  const pieces = where((text) => text.trim() !== "" && wanted.includes(text));
  const longestFirst = pieces.map((i) => own[i]!).sort((a, b) => b.length - a.length);
  const missing = longestFirst.reduce((left, piece) => left.replaceAll(piece, " | "), wanted);
  return /[\p{L}\p{N}]/u.test(missing) ? [] : pieces;
}

function hasOne(text: string, wanted: readonly string[]): boolean {
  const own = plain(text);
  return wanted.some((one) => {
    const sought = plain(one).replace(LEADING, " ");
    return sought.trim() !== "" && own.includes(sought);
  });
}

/** "on the football field" is answered by "football field". */
const LEADING = /^ (?:(?:in|on|at|to|from|by|with|for) )?(?:(?:the|an?) )?(?=.)/;

const plain = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;

export interface JudgedQuestion {
  readonly answerable: boolean;
  readonly judgement: Attribution;
}

export interface Share {
  readonly n: number;
  readonly of: number;
  readonly interval: readonly [number, number];
}

export const SHARE_LABELS = {
  right: "right: the short answer, or none where the texts have no answer",
  stored: "a sentence with the answer is stored",
  routed: "it is found for the question",
  recalled: "it is recalled word for word",
  firstOfRecalled: "of those recalled, it is shown first",
  shownOfRecalled: `of those recalled, it is among the first ${SENTENCES_SHOWN} shown`,
  rightShort: "the short answer is right",
  wrongUnmarked: "the short answer is wrong, without a warning (all questions)",
  wrongMarked: "the short answer is wrong, with a warning (all questions)",
  falseNotInMemory: "“Not in memory” although the sentence is stored",
} as const;
export type ShareName = keyof typeof SHARE_LABELS;

export function sharesOf(rows: readonly JudgedQuestion[]): Readonly<Record<ShareName, Share>> {
  const share = (of: readonly JudgedQuestion[], holds: (judgement: Attribution) => boolean): Share => {
    const n = of.filter(({ judgement }) => holds(judgement)).length;
    return { n, of: of.length, interval: wilson(n, of.length) };
  };
  const answerable = rows.filter((row) => row.answerable);
  const recalled = answerable.filter(({ judgement }) => judgement.recalled);
  return {
    right: share(rows, ({ failed }) => failed === null),
    stored: share(answerable, ({ stored }) => stored),
    routed: share(answerable, ({ routed }) => routed),
    recalled: share(answerable, ({ recalled }) => recalled),
    firstOfRecalled: share(
      recalled.filter(({ judgement }) => judgement.first !== undefined),
      ({ first }) => first === true,
    ),
    shownOfRecalled: share(recalled, ({ shown }) => shown),
    rightShort: share(answerable, ({ short }) => short === "right"),
    wrongUnmarked: share(rows, ({ short, marked }) => short === "wrong" && !marked),
    wrongMarked: share(rows, ({ short, marked }) => short === "wrong" && marked),
    falseNotInMemory: share(
      answerable.filter(({ judgement }) => judgement.stored),
      ({ notInMemory }) => notInMemory,
    ),
  };
}

export const failuresOf = (rows: readonly JudgedQuestion[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    FAILED_STAGES.map((stage) => [stage, rows.filter(({ judgement }) => judgement.failed === stage).length]),
  );
