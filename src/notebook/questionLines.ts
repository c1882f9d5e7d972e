/** @file Question sets in lines: with the answers behind the questions, below them, or after labels. */

import type { SetQuestion } from "../records/notebook.ts";
import { ANSWER_LABEL, ASKED, ASKS, QUESTION_LABEL } from "./questionNames.ts";

export interface QuestionSet {
  readonly questions: readonly SetQuestion[];
  /** Why nothing can be asked, as a sentence; null if all can. */
  readonly problem: string | null;
  /** Names of the unused columns, as a sentence; undefined if all are used. */
  readonly note?: string;
  /** Set if a person has to name the columns of these rows. */
  readonly rows?: readonly (readonly string[])[];
}

export const refused = (problem: string): QuestionSet => ({ questions: [], problem });

export const shown = (words: string): string => words.trim().slice(0, 60);

interface Line {
  /** Without list mark and emphasis. */
  readonly words: string;
  readonly afterBlank: boolean;
  /** Whether it had the mark of a list item. */
  readonly item: boolean;
  /** Whether it is a question in bold or in a heading. */
  readonly head: boolean;
  /** "a" of "a) garden"; undefined for other lines. */
  readonly letter: string | undefined;
}

/** Each matches a label at the start of a line. */
type Labels = Readonly<Record<"question" | "answer", RegExp>>;

interface Draft {
  readonly ask: string;
  /** Whether it is a heading or has a label: then it and its answer may go on in the next line. */
  readonly goesOn: boolean;
  answer: string;
  /** Where the answer is; undefined until there is one. */
  place?: "behind" | "below" | "label" | undefined;
  /** The lines "a) …", "b) …" below the question. */
  readonly options: string[];
}

/**
 * Reads line by line. A line is one of four kinds, the first of these that fits:
 * 1. an answer with a label: belongs to the last question;
 * 2. an option, "a) garden": the label "Answer:" below the options names the right one;
 * 3. a question: has a label, is a heading or bold, or, if no line is, has a question mark. An answer may be behind it;
 * 4. other words: the answer below a question, or the rest of an answer that goes on.
 */
export function fromLines(text: string): QuestionSet {
  const lines = linesOf(text);
  const words = lines.map((line) => line.words);
  const labels = labelsOf(words);
  const marked = lines.some((line) => line.head || labels.question.test(line.words));
  if (!marked && !words.some((line) => ASKS.test(line) || labels.answer.test(line))) return unasked(words);
  const drafts: Draft[] = [];
  for (const [i, line] of lines.entries()) {
    const problem = addLine(drafts, line, lines[i + 1]?.words ?? "", labels, marked);
    if (problem !== null) return refused(problem);
  }
  const problem = problemIn(drafts);
  if (problem !== null) return refused(problem);
  const questions = drafts.map(({ ask, answer }) => ({ ask, answers: answersOf(answer) }));
  const isBelow = drafts.some(({ place }) => place === "below");
  return { questions, problem, ...(isBelow && { note: "The line below each question is its answer." }) };
}

/** Lines without any question mark: each is asked, unless all are pairs with a colon. */
function unasked(words: readonly string[]): QuestionSet {
  return words.length > 1 && words.every((line) => /[:：]\s?\S/.test(line))
    ? refused(notClear(words[0]!))
    : { questions: words.map((ask) => ({ ask, answers: null })), problem: null };
}

/** Answers below questions may belong to others than they seem to, if some questions have none there. */
function problemIn(drafts: readonly Draft[]): string | null {
  const open = drafts.find(({ options, place }) => options.length > 1 && !place);
  if (open) return optionsProblem(open);
  const below = drafts.find(({ place }) => place === "below");
  if (below && drafts.some(({ place }) => place === "behind")) return notClear(below.answer);
  const bare = drafts.slice(0, -1).find(({ place }) => !place);
  return bare && drafts.some(({ place }) => place && place !== "behind")
    ? `The question "${shown(bare.ask)}" has no answer below it, as others have. Write it there, or "_" if you expect none, and end each question with a question mark.`
    : null;
}

/** Adds a line to the drafts. @returns why it cannot be read; null if it can */
function addLine(
  drafts: Draft[],
  { words, item, head, letter, afterBlank }: Line,
  next: string,
  { question, answer }: Labels,
  marked: boolean,
): string | null {
  const last = drafts.at(-1);
  const asks = ASKS.test(words);
  if (last && answer.test(words)) return addAnswer(last, words.replace(answer, ""), "label");
  const isOption = !asks && letter === "abcdefgh"[last?.options.length ?? 0];
  if (last && isOption && (last.options.length > 0 || !last.place)) {
    last.options.push(words.replace(/^\(?[A-H][.)]\s+/, ""));
    if (last.options.length === 1) return addAnswer(last, words, "below");
    last.place = undefined;
    return null;
  }
  if (head || question.test(words)) return addQuestion(drafts, words.replace(question, ""), true);
  if (last?.goesOn && !last.place && !ASKS.test(last.ask) && (asks || last.ask === "")) {
    drafts.pop();
    return addQuestion(drafts, `${last.ask} ${words}`, true);
  }
  const hasAnswer = answer.test(next) && (!last || last.place === "label");
  if (!marked && (asks || hasAnswer)) return addQuestion(drafts, words, false);
  if (last && !last.place && !asks && !NAMED.test(words)) return addAnswer(last, words, "below");
  const canGoOn = last?.place === "label" || (last?.place === "below" && last.goesOn);
  const isRest = !item && !afterBlank && !asks && nameOf(words) === undefined;
  if (!canGoOn || (last.answer !== "" && !isRest)) return notClear(words);
  last.answer += last.answer === "" ? words : ` ${words}`;
  return null;
}

const notClear = (line: string): string =>
  `The line "${shown(line)}" is not clear. If it is a question, end it with a question mark, or write "Q:" before it. If it is an answer, write it behind its question, or "A:" before it. Otherwise remove it.`;

/** "Assistant: garden": a label that is not known, or a part of the answer. */
const NAMED = /^\p{L}{1,20}\s?[:：]\s/u;

/** Adds a question, and the answer behind its mark. @returns why it cannot be read; null if it can */
function addQuestion(drafts: Draft[], words: string, goesOn: boolean): string | null {
  const end = questionEnd(words);
  if (end < 0)
    return `The line "${shown(words)}" holds several questions. Write one in each line, or put quotes around a question mark that does not end the question.`;
  const ask = (end === 0 ? words : words.slice(0, end)).trim().replace(/^"([^"]*)"$/, "$1");
  const draft: Draft = { ask, goesOn, answer: "", options: [] };
  drafts.push(draft);
  const behind = end === 0 ? "" : words.slice(end).trim();
  return behind === "" ? null : addAnswer(draft, behind, "behind");
}

/** Gives the question its answer. @returns why it cannot have it; null if it can */
function addAnswer(question: Draft, words: string, place: "behind" | "below" | "label"): string | null {
  if (question.place)
    return `The question "${shown(question.ask)}" has two answers. Write them in one line, with | between alternatives.`;
  const plain = plainAnswer(words);
  const answer = question.options.length > 1 ? rightOption(plain, question.options) : plain;
  if (answer === undefined || SEVERAL_OPTIONS.test(plain)) return optionsProblem(question);
  [question.answer, question.place] = [answer, place];
  return null;
}

const optionsProblem = ({ ask }: Draft): string =>
  `The question "${shown(ask)}" has options. Write them one per line, and a line such as "Answer: b" below them, or leave only the right answer.`;

/** Several options in one line. */
const SEVERAL_OPTIONS = /^\(?1[.)]\s.*\s\(?2[.)]\s|\s\(?[b-h]\)\s|^\(?a\.\s.*\s\(?b\.\s|^\{[^=~]*[=~].*\}$/i;

/** The option that a letter or its own words name. */
function rightOption(told: string, options: readonly string[]): string | undefined {
  const letter = /^\(?([a-h])(?:[.)].*)?$/i.exec(told)?.[1]?.toLowerCase();
  return letter
    ? options["abcdefgh".indexOf(letter)]
    : options.find((option) => option.toLowerCase() === told.toLowerCase());
}

function linesOf(text: string): readonly Line[] {
  const given = text.replace(ANSWER_BEHIND, "\n").replace(Q_AND_A, "$1\n").split("\n");
  const lines = given.flatMap((line, i) =>
    line.trim() === "" ? [] : [{ ...lineOf(line.trim()), afterBlank: given[i - 1]?.trim() === "" }],
  );
  // A first line "Questions:" is a title if no other line has a label.
  const labels = lines.filter(({ words }) => QUESTION_LABEL.test(words) || ANSWER_LABEL.test(words));
  const isTitle = labels.length === 1 && lines[0]!.words.replace(QUESTION_LABEL, "") === "";
  return isTitle ? lines.slice(1) : lines;
}

function lineOf(given: string): Omit<Line, "afterBlank"> {
  const plain = given.replace(EMPHASIS, "$2").replace(POINTS, "");
  const words = plain.replace(/^#{1,6}\s+/, "").replace(LIST_MARK, "");
  const bold =
    plain !== given && ASKED.test(plain) && /^(?:\W{0,4}\d{0,3}\W{0,2}\s)?[*_]{2}.*[*_]{2}$/.test(given);
  return {
    words,
    item: words.length < plain.length,
    head: bold || (/^#{1,6}\s/.test(given) && ASKS.test(plain)),
    letter: /^\(?([a-h])[.)]\s/i.exec(plain)?.[1]?.toLowerCase(),
  };
}

const EMPHASIS = /(?<![\p{L}\p{N}*_])(\*{1,3}|_{1,3})([^*_\s][^*_]*)\1(?![\p{L}\p{N}*_])/gu;
/** "(2 points)", or the star of an obligatory field, behind a question. */
const POINTS = /(?<=[?？؟\u037e])\s{0,3}(?:\*|[([]\d{1,3} ?\p{L}{1,8}\.?[)\]])$/u;
/** "- ", "2. ", "(3) ", "a) ", "iv) ", "- [ ] " before a line; "A. " may be an answer's, and "V. " an initial. */
export const LIST_MARK =
  /^(?:>+|[-*+•·▪▫◦‣⁃●○■□–▶►➤❓\uf0b7]|\(?(?:\d{1,3}|[a-z]|[ivx]{2,5}|[IVX]{2,5})[.)]|\d{1,3}:)\s+(?:\[[ xX]?\]\s+)?/;

/** The blanks between a question and the label of its answer in the same line. */
const ANSWER_BEHIND = new RegExp(
  `(?<=[?？؟\\u037e][?!]{0,3}["'”’»」)\\]]{0,4})[ \\t]+(?=\\**(?:${ANSWER_LABEL.source.slice(1)}|\\p{L}\\d{0,4}\\s?[:：]))`,
  "giu",
);
/** "A." may also be an initial. */
const Q_AND_A = /^(\s{0,9}Q\.[^?\n]*\?["”]?)[ \t]+(?=A\.\s)/gim;

/** Labels of any language in turns, as "P:" and "R:" in Spanish; otherwise the known ones. */
function labelsOf(lines: readonly string[]): Labels {
  const names = lines.map(nameOf);
  const order = names.filter((name) => name !== undefined);
  const [first = "", second = ""] = order;
  const asks = (name: string): boolean => lines.some((line, i) => names[i] === name && ASKS.test(line));
  const enough = order.length > 3 || (first.length === 1 && second.length === 1);
  const inTurns = first !== second && order.every((name, i) => name === (i % 2 ? second : first));
  if (enough && inTurns && asks(first) && !asks(second))
    return { question: labelOf(first), answer: labelOf(second) };
  return { question: QUESTION_LABEL, answer: ANSWER_LABEL };
}

/** "p" of "P2: …" or "P. …", "assistant" of "Assistant: …". */
function nameOf(line: string): string | undefined {
  const match = LABEL.exec(line);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

const LABEL =
  /^(?:(\p{L}{1,20})\s{0,2}\d{0,4}\s?[:：](?!\/)|[[(]?(\p{L})\d{0,4}(?:[.)\]>](?=\s|\p{L}{2})|\s[-–—]\s))/u;
const labelOf = (name: string): RegExp =>
  new RegExp(`^[[(]?${name}\\s{0,2}\\d{0,4}\\s?[-–—:：.)\\]>]\\s*`, "iu");

/** Where the question ends; 0 if nothing asks, -1 if that is not clear. A mark in quotes or brackets does not end it. */
function questionEnd(line: string): number {
  const flat = line.replace(ENCLOSED, (all) => all.replace(/[?？؟\u037e]/g, "_"));
  const ends = [...(ASKS.test(flat) ? flat : line).matchAll(MARK_AND_QUOTES)].map(
    ({ 0: mark, index }) => index + mark.length,
  );
  const continued = ends.slice(1).every((end, i) => AND.test(line.slice(ends[i], end)));
  return continued ? (ends.at(-1) ?? 0) : -1;
}

const ENCLOSED =
  /"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|‘[^‘’]*’(?!\p{L})|\([^()]*\)|「[^「」]*」|《[^《》]*》/gu;
const MARK_AND_QUOTES = /[?？؟\u037e][?？!！]*["'”’»」)\]]*/g;
/** "Who came? And when?" is one question to be answered at once. */
const AND = /^[\s¿]*(?:and|or|but|if|und|oder|et|ou|y|o|e|en|of|och|og|и|или|а|ve|και|ή)(?!\p{L})/iu;

/** Without the arrow, the brackets, the quotes and the label around it. */
function plainAnswer(answer: string): string {
  const words = answer
    .trim()
    .replace(ARROW, "")
    .trim()
    .replace(/^(?:\(([^()]*)\)|\[([^[\]]*)\]|"([^"]*)")$/, "$1$2$3");
  return words.replace(ANSWER_LABEL, "") || words;
}
const ARROW = /^(?:[-=]*>+|→|➔|⇒|::?|[,;|]|[=/](?=\s)|\.{2,}|…+|[-–—]{1,3}(?=\s\S))/;

/** Null if nothing is expected; empty for a dash: the texts contain no answer. */
export function answersOf(cell: string): readonly string[] | null {
  if (/^[_.…]*$/.test(cell)) return null;
  return /^[-–—]$/.test(cell) ? [] : alternatives(cell);
}

export const alternatives = (cell: string): readonly string[] =>
  cell.split("|").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
