/** @file The stages, facts and words of an answer, and the questions asked in a cell. */

import { namedWords } from "../../../lib/tokens.ts";
import { onlyRepeats } from "../../../lib/words.ts";
import {
  answeredShare,
  MARK,
  probabilityText,
  wasRead,
  narrowest,
  type Answer,
  type PartAnswer,
  type Reconstruction,
  type Route,
  type RoutedAnchor,
  type Support,
  type UnmetWord,
  INSTEAD,
  factsOf,
} from "../../../records/answer.ts";
import { SENTENCES_SHOWN } from "../../../records/judge.ts";
import { marginText } from "../../facts/words.ts";
import type { FactRow, AskCell } from "../../../records/notebook.ts";
import { counted, duration } from "../../format.ts";

type StageName = "routing" | "gate" | "reconstruction" | "answer";

export interface StageOutcome {
  readonly name: StageName;
  /** "warn": something is off, but the answer does not rest on it. "skipped": an earlier stage left nothing to do. */
  readonly state: "ok" | "warn" | "failed" | "skipped";
  readonly text: string;
  /** The same for who wants the answer and not its stages, where that is less. */
  readonly brief?: string;
}

/** A recalled text against the hash of its sentence, or the result of its encoding; "unknown" if it was deleted since. */
export type Equality = "equal" | "differs" | "unknown";

export function equality({ exact }: Pick<Reconstruction, "exact">, row: FactRow | undefined): Equality {
  if (row === undefined) return "unknown";
  return (exact ?? row.exact) ? "equal" : "differs";
}

type Rows = ReadonlyMap<string, FactRow>;
type Outcome = Omit<StageOutcome, "name">;

export const stages = (answer: Answer, rows: Rows): readonly StageOutcome[] => [
  { name: "routing", ...routing(answer) },
  { name: "gate", ...gate(answer) },
  { name: "reconstruction", ...reconstruction(answer, rows) },
  { name: "answer", ...reply(answer) },
];

/** Verdicts on answers at which no stage failed: what is inexact fails at reconstruction, though its words are shown. */
const NOTHING_FAILED: ReadonlySet<Support> = new Set(["supported", "read"]);

/** The stage at which a question failed, with the reason; null where every part has a short answer. */
export const failureStage = (answer: Answer, rows: Rows): StageOutcome | null =>
  answer.asked.some(({ verdict }) => !NOTHING_FAILED.has(verdict))
    ? (stages(answer, rows).find(({ state }) => state === "failed") ?? null)
    : null;

const shown = (value: number): string => value.toFixed(2);

function routing(answer: Answer): Outcome {
  const { route, recalled } = answer;
  if (recalled.length === 0) {
    const text =
      route.anchors.length === 0 || route.far
        ? "No stored sentence shares a word with the question or is similar to it."
        : `${counted(weighed(route), "anchor was", "anchors were")} considered, but none has a stored fact.`;
    return { state: "failed", text };
  }
  if (route.far)
    return {
      state: "warn",
      text: "No sentence comes near the question. The nearest were recalled.",
    };
  const kept = route.anchors.filter((anchor) => anchor.kept).length;
  const chosen = `Routing chose ${counted(kept, "anchor")} with ${counted(recalled.length, "fact")} to recall.`;
  const parts = answer.asked;
  const unmet = parts.flatMap((part) => part.unmet);
  if (unmet.length === 0) return { state: "ok", text: chosen };
  const lost = parts.some(
    (part) => part.verdict === "unsupported" && part.unmet.some(({ stored }) => stored > 0),
  );
  return { state: lost ? "failed" : "warn", text: `${chosen} ${unmetText(unmet)}` };
}

function unmetText(unmet: readonly UnmetWord[]): string {
  const elsewhere = unmet.filter(({ stored }) => stored > 0);
  const held = elsewhere
    .map(({ word, stored }) => `“${word}” (in ${counted(stored, "stored sentence")})`)
    .join(", ");
  return [elsewhere.length > 0 && `No recalled sentence has ${held}.`, missingText(unmet)]
    .filter(Boolean)
    .join(" ");
}

/** The words of a question that no stored sentence has, as a sentence, or "". */
function missingText(unmet: readonly UnmetWord[]): string {
  const missing = unmet.flatMap(({ word, stored }) => (stored === 0 ? `“${word}”` : []));
  return missing.length > 0 ? `No stored sentence has ${missing.join(", ")}.` : "";
}

/**
 * Why the first sentence, of which no words are marked, may not answer; "" if there is no reason to doubt it. Of other unmet words
 * than names and numbers the text may have a synonym. The reader's shares are probabilities: of 248 such questions about texts of
 * data/asked that learning left out, whose first sentence has at least one half, it answers 159; of the 283 others 76. Of the 124
 * among these whose five first have one half together, they answer 82, of the rest 68.
 */
export function doubtText({
  question,
  unmet,
  shares = [1],
}: Pick<PartAnswer, "question" | "unmet" | "shares">): string {
  const names = namedWords(question);
  const missing = missingText(unmet.filter(({ word }) => names.includes(word)));
  const [first = 0] = shares;
  if (missing === "" && first >= LIKELY) return "";
  const amongFive = missing === "" && answeredShare(shares.slice(0, SENTENCES_SHOWN)) >= LIKELY;
  return `${missing} ${amongFive ? ONE_OF_FIVE : NEAREST_ONLY}`.trim();
}
const NEAREST_ONLY = "This may not be the answer: it is the sentence that comes nearest.";
const ONE_OF_FIVE = "One of these sentences probably has the answer, but it need not be the first.";
const LIKELY = 0.5;

const skipped = (text: string): Outcome => ({ state: "skipped", text });

function gate({ recalled, settings }: Answer): Outcome {
  if (recalled.length === 0) return skipped("No fact was recalled, so no gate was tested.");
  const open = recalled.filter(wasRead).length;
  // The soft read injects a mixture of the layer's vectors, regardless of the nearest key.
  const others = recalled.filter(({ id, read }) => read.winner !== id).length;
  if (open === recalled.length)
    return others > 0
      ? { state: "warn", text: othersNearest(others, recalled.length) }
      : { state: "ok", text: ownKeyWon(recalled, settings.theta) };
  if (open > 0) {
    const text = `${open} of ${counted(recalled.length, "fact")} ${open === 1 ? "was" : "were"} read; ${settings.answers === "ours" ? "the others were not used" : "for the others the model received its own text without memory"}.`;
    return { state: "warn", text };
  }
  return { state: "failed", text: whyShut(recalled, settings.theta) };
}

const othersNearest = (others: number, all: number): string =>
  `${all === 1 ? "The gate opened" : `All ${counted(all, "gate")} opened`}; at ${others} of ${counted(all, "recall key")} the key of another fact was nearest.`;

/** Keys lie close together, so an open gate proves little; the margin to the runner-up matters. */
function ownKeyWon(recalled: readonly Reconstruction[], theta: number): string {
  const margin = narrowest(recalled);
  const won =
    recalled.length === 1
      ? "The fact's own key was"
      : `At all ${recalled.length} recall keys the fact's own was`;
  return `${won} nearest and above θ = ${theta}${margin ? `; least ahead at ${margin.key}: ${marginText(margin)}` : ""}.`;
}

function whyShut(recalled: readonly Reconstruction[], theta: number): string {
  const usurped = recalled.filter(({ read }) => read.gateOpen).length;
  if (usurped > 0)
    return (
      `At ${usurped} of ${counted(recalled.length, "recall key")} the key of another fact was nearest, ` +
      `so nothing was read there${usurped < recalled.length ? "; the other gates stayed closed" : ""}.`
    );
  const best = Math.max(...recalled.map(({ read }) => read.similarity));
  const which = allOf(recalled.length, "The gate", "Both gates", "gate");
  return `${which} stayed closed: the best similarity, ${shown(best)}, is not above θ = ${theta}.`;
}

const allOf = (count: number, one: string, both: string, noun: string): string =>
  count === 1 ? one : count === 2 ? both : `All ${counted(count, noun)}`;

function reconstruction(answer: Answer, rows: Rows): Outcome {
  const { recalled, cited } = answer;
  const read = recalled.filter(wasRead);
  if (read.length === 0) return skipped("No gate opened, so nothing was decoded from memory.");
  const how = (fact: Reconstruction): Equality => equality(fact, rows.get(fact.id));
  const wrong = read.filter((fact) => how(fact) === "differs");
  if (wrong.length > 0) {
    const rests = wrong.some(({ key }) => cited.includes(key));
    const text = `${wrong.length} of ${counted(read.length, "recalled fact")} ${
      wrong.length === 1 ? "differs" : "differ"
    } from the stored sentence${rests ? `, and the answer rests on ${wrong.length === 1 ? "it" : "some of them"}` : ""}.`;
    const nearest = new Set(answer.asked.flatMap(({ evidence }) => evidence.slice(0, 1)));
    return { state: rests || wrong.some(({ id }) => nearest.has(id)) ? "failed" : "warn", text };
  }
  const unknown = read.filter((fact) => how(fact) === "unknown").length;
  const [same, gone] = [
    asStored(read.length - unknown, unknown),
    unknown > 0 && `${counted(unknown, "fact has", "facts have")} been deleted since and cannot be compared.`,
  ];
  return { state: unknown > 0 ? "warn" : "ok", text: [same, gone].filter(Boolean).join(" ") };
}

function asStored(compared: number, unknown: number): string {
  if (compared === 0) return "";
  const [is, are] = ["recalled fact is", "recalled facts are"];
  const all =
    compared === 1 ? `The ${is}` : compared === 2 ? `Both ${are}` : `All ${counted(compared, is, are)}`;
  return `${unknown > 0 ? counted(compared, is, are) : all} word for word as stored.`;
}

const NOT_ASKED = "The model was not asked, because it had no fact to answer from.";

const NOT_NEAR = "No answer is shown, because no sentence comes near the question.";

const askedAnyway = ({ settings }: Answer): boolean => settings.answers === "paper";

function reply(answer: Answer): Outcome {
  const parts = answer.asked;
  if (!askedAnyway(answer)) {
    if (answer.route.far) return skipped(NOT_NEAR);
    if (parts.every(({ evidence }) => evidence.length === 0)) return skipped(NOT_ASKED);
  }
  const text = parts.map(
    (part) => `${parts.length > 1 ? `${part.question} ` : ""}${replyText(part, answer)}${noRoom(part)}`,
  );
  // A reader that is not sure has not failed: the sentence is shown without a mark.
  const failed = parts.some(
    ({ verdict, reader, text: said }) => verdict === "unsupported" && !reader && said !== "",
  );
  const warned = parts.some(({ verdict }) => MARK[verdict] !== null);
  const state = failed ? "failed" : warned ? "warn" : "ok";
  const unsure = failed && parts.every((part) => isUnsure(part, answer));
  return { state, text: text.join(" "), ...(unsure ? { brief: UNSURE } : {}) };
}

const UNSURE =
  "The model was not confident enough for a short answer. The recalled sentences are shown instead.";

const isUnsure = ({ evidence, probability }: PartAnswer, { settings }: Answer): boolean =>
  evidence.length > 0 && probability !== null && probability < settings.answerLevel;

const noRoom = ({ leftOut = [] }: PartAnswer): string =>
  leftOut.length === 0 ? "" : ` The model's window had no room for ${leftOut.join(", ")}.`;

function replyText(part: PartAnswer, answer: Answer): string {
  const { settings } = answer;
  const { text, cited, verdict, probability, evidence, leftOut = [] } = part;
  if (evidence.length === 0)
    return askedAnyway(answer) ? `The model received no fact and answered “${text}”.` : NOT_ASKED;
  const sure =
    probability === null
      ? ""
      : `, with a probability ${probability > 0.99 ? "" : "of "}${probabilityText(probability)} (at least ${settings.answerLevel} is needed)`;
  if (verdict === "not in memory") return NOT_NEAR;
  if (part.reader) return readerText(part, part.reader);
  if (text === "" && verdict === "unsupported") return "No words of a sentence are marked as the answer.";
  if (verdict === "supported") return `The answer rests on ${cited.join(", ")}${sure}.`;
  if (verdict === "inexact")
    return `The answer rests on ${cited.join(", ")}, which was not recalled exactly${sure}.`;
  if (verdict === "as said") return `The model answered “${text}”${sure}; ${MARK["as said"]}.`;
  const told = counted(evidence.length - leftOut.length, "sentence");
  // A reply of several words has its own full stop.
  if (probability === null) return `The model received ${told} and answered “${text.replace(/\.$/, "")}”.`;
  if (isUnsure(part, answer))
    return `The model answered “${text}” with probability ${shown(probability)}, which is too low: at least ${settings.answerLevel} is needed.`;
  const why = onlyRepeats(text, part.question)
    ? "this only repeats the question"
    : "no recalled sentence contains these words";
  return `The model answered “${text}”${sure}; ${why}.`;
}

function readerText(
  { text, cited, verdict, probability }: PartAnswer,
  { level, measured }: NonNullable<PartAnswer["reader"]>,
): string {
  const sure = `confidence ${shown(probability ?? 0)}; words are marked from ${shown(level)} on`;
  return verdict === "unsupported"
    ? `The reader was not sure enough of any words (${sure}).`
    : `The reader marked “${text}” in ${cited.join(", ")} (${sure}; ${measured}).`;
}

export function traceLine({ route, recalled, milliseconds }: Answer): string {
  const kept = route.anchors.filter((anchor) => anchor.kept).length;
  const shut = recalled.filter((fact) => !wasRead(fact)).length;
  const total = milliseconds.route + milliseconds.recall + milliseconds.answer;
  const said = [
    `${counted(kept, "anchor")} routed`,
    `${counted(recalled.length, "fact")} recalled`,
    ...(shut > 0 ? [`${counted(shut, "gate")} shut`] : []),
  ];
  return `How it was found: ${[...said, duration(total)].join(", ")}`;
}

/** Fused scores are sums of reciprocals near 1/60; thousandths are easier to read. */
export const fusedScore = (fused: number): string => (fused * 1000).toFixed(1);

export const CUT_SHOWN = 6;

export const keptFirst = (anchors: readonly RoutedAnchor[]): readonly RoutedAnchor[] =>
  anchors.toSorted((a, b) => Number(b.kept) - Number(a.kept));

export const weighed = ({ anchors, more = 0 }: Route): number => anchors.length + more;

type AskOutput = NonNullable<AskCell["output"]>;
export type Exchange = AskOutput["history"][number];

/** The output without one exchange, told by when it was made; null when it was the last. */
export function withoutExchange(output: AskOutput, at: string): AskOutput | null {
  const history = output.history.filter(({ stamp }) => stamp.at !== at);
  return history.length === 0 ? null : { ...output, history };
}

/** Puts the exchange of `before` that was made at `at` back in its place. */
export function withExchange(
  output: AskOutput | null,
  before: AskOutput | null,
  at: string,
): AskOutput | null {
  const back = before?.history.find(({ stamp }) => stamp.at === at);
  if (!back) return output;
  const history = [...(output?.history ?? []), back].sort((a, b) => (a.stamp.at < b.stamp.at ? 1 : -1));
  return { stamp: back.stamp, ...output, history };
}

export interface CitedFact {
  readonly key: string;
  readonly fact: Reconstruction;
  /** Deleted since the answer was given; unknown (false) while the memory has not been read. */
  readonly gone: boolean;
}

type Known = ReadonlyMap<string, FactRow> | null;

const withState =
  (rows: Known) =>
  (fact: Reconstruction): CitedFact => ({ key: fact.key, fact, gone: rows !== null && !rows.has(fact.id) });

/** The facts that an answer cites or shows as its best sentences. */
export function citedFacts(
  { cited, recalled, asked }: Pick<Answer, "cited" | "recalled" | "asked">,
  rows: Known,
): readonly CitedFact[] {
  const keys = new Set(cited);
  return recalled
    .filter(({ key, id }) => keys.has(key) || asked.some(({ best }) => best?.id === id))
    .map(withState(rows));
}

/** The sentences that stand with one part of an answer: those its short answer rests on, then the nearest ones. */
export function evidenceOf(answer: Answer, part: PartAnswer, rows: Known): readonly CitedFact[] {
  const rests = INSTEAD[part.verdict] === null ? new Set(part.cited) : new Set<string>();
  const nearest = factsOf(answer, part.evidence);
  return [
    ...nearest.filter(({ key }) => rests.has(key)),
    ...nearest.filter(({ key }) => !rests.has(key)),
  ].map(withState(rows));
}

const NOTHING_HERE =
  "The memory that this answer came from is empty in this browser now: import it, or memorise its sources, to ask again.";

export function sinceDeleted(cited: readonly CitedFact[], rows: Known): string | null {
  const gone = cited.filter((fact) => fact.gone);
  if (gone.length === 0) return null;
  if (rows?.size === 0) return NOTHING_HERE;
  const keys = gone.map(({ key }) => key).join(", ");
  const verb = gone.length === 1 ? "has" : "have";
  return gone.length === cited.length
    ? `${keys} ${verb} been deleted since. Ask again to see whether the memory still knows.`
    : `${keys}, on which this answer rests in part, ${verb} been deleted since.`;
}
