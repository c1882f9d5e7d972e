/** @file Question sets in lines: with the answers behind the questions, below them, or after labels. */

import { many } from "../lib/format.ts";
import { chunks } from "../lib/group.ts";
import type { SetQuestion } from "../records/notebook.ts";
import { ANSWER_LABEL, ASKED, ASKS, placeOf, QUESTION_LABEL } from "./questionNames.ts";

export interface QuestionSet {
  readonly questions: readonly SetQuestion[];
  /** Why nothing can be asked, as a sentence; null if all can. */
  readonly problem: string | null;
  /** Names of the unused columns, as a sentence; undefined if all are used. */
  readonly note?: string;
  /** Set if a person has to name the columns: the first cells of each. */
  readonly columns?: readonly string[];
  /** Between the cells of these columns. */
  readonly separator?: string;
}

export const refused = (problem: string): QuestionSet => ({ questions: [], problem });

interface Line {
  /** Without list mark and emphasis. Empty for a blank line or a comment. */
  readonly words: string;
  /** Whether it had the mark of a list item. */
  readonly item: boolean;
  /** Whether it is a question in bold or in a heading. */
  readonly head: boolean;
}

/** Each matches a label at the start of a line. */
interface Labels {
  readonly question: RegExp;
  readonly answer: RegExp;
}

/** A question per line, with its answer behind it, below it, or after "A:". */
export function fromLines(text: string): QuestionSet {
  const given = withRightOptions(text.replace(ANSWER_BEHIND, "$1\n").replace(Q_AND_A, "$1\n").split("\n"));
  if (typeof given === "string") return refused(given);
  const capitals = given.some((line) => /^\s*\(?(?:II|B)[.)]\s/.test(line) && ASKS.test(line));
  const mark = capitals ? LIST_MARK_OR_CAPITAL : LIST_MARK;
  const marked = withoutTitle(given.map((line) => lineOf(line, mark)));
  const words = marked.map((line) => line.words).filter(Boolean);
  if (marked.some(({ head }) => head) && !words.some((line) => QUESTION_LABEL.test(line)))
    return fromLabelled(labelled(marked), KNOWN);
  const labels = labelsOf(words);
  if (labels) return fromLabelled(marked, labels);
  const lines = words.map((line) => line.replace(QUESTION_LABEL, "")).filter(Boolean);
  const without = lines.filter((line) => !ASKS.test(line));
  const inColons = lines.length > 1 && lines.every((line) => /[:：]\s?\S/.test(line));
  if (without.length === 0 || (without.length === lines.length && !inColons)) {
    const label = commonLabel(lines);
    return setOf(lines.map((line) => fromLine(label ? line.replace(label, "") : line)));
  }
  const asks = (line: string): boolean => ASKED.test(line) && !QUESTIONS_IN_CELLS.test(line);
  if (lines.every((line, i) => (i % 2 ? !ASKS.test(line) : asks(line))))
    return {
      ...setOf(chunks(lines, 2).map(([ask = "", answer = ""]) => questionOf(ask, answer))),
      note: "The line below each question is its answer.",
    };
  return refused(
    `The line "${shown(without[0]!)}" has no question mark. If it is a question, end it with one. If it is an answer, write it behind its question. Otherwise remove it.`,
  );
}

/** "Where is Mary?,Who came?": the first line of a form's replies. */
const QUESTIONS_IN_CELLS = /[?？؟\u037e]["”]?[,;]/;

const shown = (line: string): string => line.trim().slice(0, 60);

function setOf(questions: readonly (SetQuestion | string)[]): QuestionSet {
  const problem = questions.find((one) => typeof one === "string");
  return problem === undefined
    ? { questions: questions as readonly SetQuestion[], problem: null }
    : refused(problem);
}

const NO_LINE: Line = { words: "", item: false, head: false };

function lineOf(given: string, mark: RegExp): Line {
  const trimmed = given.trim();
  if (COMMENT.test(trimmed)) return NO_LINE;
  const plain = trimmed.replace(EMPHASIS, "$2").replace(POINTS, "");
  const words = plain
    .replace(/^#{1,6}\s+/, "")
    .replace(mark, "")
    .trim();
  const bold =
    plain !== trimmed && ASKED.test(plain) && /^(?:\W{0,4}\d{0,3}\W{0,2}\s)?[*_]{2}.*[*_]{2}$/.test(trimmed);
  return {
    words,
    item: words.length < plain.length,
    head: bold || (/^#{1,6}\s/.test(trimmed) && ASKS.test(plain)),
  };
}

/** "# My questions": a heading or comment, and not the name of a column of numbers. */
export const COMMENT = /^\s*#{1,6}\s+[^,;\t?？؟\u037e]*$/;
const EMPHASIS = /(?<![\p{L}\p{N}*_])(\*{1,3}|_{1,3})([^*_\s][^*_]*)\1(?![\p{L}\p{N}*_])/gu;
/** "(2 points)", or the star of an obligatory field, behind a question. */
const POINTS = /(?<=[?？؟\u037e])\s{0,3}(?:\*|[([]\d{1,3} ?\p{L}{1,8}\.?[)\]])$/u;
const MARK = String.raw`>+|[-*+•·▪▫◦‣⁃●○■□–▶►➤❓\uf0b7]|\(?(?:\d{1,3}|[a-z]|[ivx]{2,5}|[IVX]{2,5})[.)]|\d{1,3}:`;
const BOX = String.raw`(?:\[[ xX]?\]\s+)?`;
/** "- ", "2. ", "(3) ", "a) ", "iv) ", "- [ ] " before a line; "A. " may be an answer's, and "V. " an initial. */
export const LIST_MARK = new RegExp(String.raw`^(?:${MARK})\s+${BOX}`);
const LIST_MARK_OR_CAPITAL = new RegExp(String.raw`^(?:${MARK}|\(?[A-Z][.)])\s+${BOX}`);

/**
 * Lines "a) garden", "b) park" below a question become the answer that a line such as "Answer: b" names. A string is the
 * problem if no line names it.
 */
function withRightOptions(lines: readonly string[]): readonly string[] | string {
  const kept: string[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    const options: string[] = [];
    let next = i;
    for (; next < lines.length; next += 1) {
      const line = lines[next]!;
      const [, letter, words] = OPTION.exec(line) ?? [];
      if (letter?.toLowerCase() === LETTERS[options.length] && !ASKS.test(line)) options.push(words!.trim());
      else if (line.trim() !== "" || options.length === 0) break;
    }
    const before =
      options.length < 2 ? -1 : kept.findLastIndex((line) => line.trim() !== "" && !COMMENT.test(line));
    if (before < 0) {
      kept.push(lines[i]!);
      continue;
    }
    const question = kept[before]!;
    const told = lines[next]?.trim().replaceAll("*", "") ?? "";
    const answer = ANSWER_LABEL.test(told) ? rightOption(told.replace(ANSWER_LABEL, ""), options) : undefined;
    if (answer === undefined)
      return `The question "${shown(question)}" has ${many(options.length, "option")}, and no line such as "Answer: b" below them. Add that line, or leave only the right answer.`;
    kept.push(`A: ${answer}`);
    if (!ASKS.test(question) && !QUESTION_LABEL.test(question.trim()))
      kept[before] = `Q: ${question.trim().replace(LIST_MARK, "")}`;
    i = next;
  }
  return kept;
}

const OPTION = /^\s*\(?([a-h])[.):]\s(.*)$/i;
const LETTERS = "abcdefgh";

/** The option that a letter, a number from 1, or its own words name. */
export function rightOption(told: string, options: readonly string[]): string | undefined {
  const [, letter, number] = /^\(?(?:([a-h])|(\d))(?:[.)].*)?$/i.exec(told.trim()) ?? [];
  if (letter !== undefined) return options[LETTERS.indexOf(letter.toLowerCase())];
  if (number !== undefined && !options.includes(number)) return options[Number(number) - 1];
  return options.find((option) => option.toLowerCase() === told.trim().toLowerCase());
}

/** Without a first line "Questions:", unless it is a label among others, or "Questions and answers". */
function withoutTitle(lines: readonly Line[]): readonly Line[] {
  const first = lines.findIndex(({ words }) => words !== "");
  const { words } = lines[first] ?? NO_LINE;
  const parts = words.split(/[^\p{L}]+/u).filter(Boolean);
  const isLabel = (line: Line): boolean =>
    QUESTION_LABEL.test(line.words) ||
    (ANSWER_LABEL.test(line.words) && line.words.replace(ANSWER_LABEL, "") === "");
  const title =
    parts.length < 5 && placeOf(parts, "question") >= 0 && placeOf(parts, "answer") >= 0 && !ASKS.test(words);
  const alone =
    words !== "" && words.replace(QUESTION_LABEL, "") === "" && lines.filter(isLabel).length === 1;
  return title || alone ? lines.slice(first + 1) : lines;
}

/** Headings, or bold lines, as questions with labels, and the first line below each as an answer with one. */
function labelled(lines: readonly Line[]): readonly Line[] {
  let below = false;
  return lines.map((line) => {
    const answers = below && line.words !== "" && !line.head;
    below = line.head || (below && line.words === "");
    const label = line.head ? "Q: " : answers && !ANSWER_LABEL.test(line.words) ? "A: " : "";
    return { ...line, words: `${label}${line.words}` };
  });
}

const KNOWN: Labels = { question: QUESTION_LABEL, answer: ANSWER_LABEL };

/** Known labels, or others in turns, as "P:" and "R:" in Spanish; null if there are none. */
function labelsOf(lines: readonly string[]): Labels | null {
  const names = lines.map(nameOf);
  const order = names.filter((name) => name !== undefined);
  const [first = "", second = ""] = order;
  const asks = (name: string): boolean => lines.some((line, i) => names[i] === name && ASKS.test(line));
  const enough = order.length > 3 || (first.length === 1 && second.length === 1);
  const inTurns = first !== second && order.every((name, i) => name === (i % 2 ? second : first));
  if (enough && inTurns && asks(first) && !asks(second))
    return { question: labelOf(first), answer: labelOf(second) };
  const known = lines.some((line) => ANSWER_LABEL.test(line));
  if (lines.some((line) => QUESTION_LABEL.test(line))) return known ? KNOWN : null;
  const answer = known ? ANSWER_LABEL : commonLabel(lines.filter((line) => !ASKED.test(line)));
  if (!answer) return null;
  const answers = lines.map((line) => answer.test(line));
  // One answer below several questions may be a list of all their answers.
  if (answers[0] || (answers.indexOf(true) === lines.length - 1 && lines.length > 2)) return null;
  return lines.every((line, i) => answers[i] || answers[i + 1] || ASKS.test(line))
    ? { question: ANY, answer }
    : null;
}

/** "p" of "P2: …" or "P. …", "assistant" of "Assistant: …". */
function nameOf(line: string): string | undefined {
  const match = LABEL.exec(line);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** The label that all lines share, if it is a letter with a colon, or if there are several lines. */
function commonLabel(lines: readonly string[]): RegExp | undefined {
  const name = nameOf(lines[0] ?? "");
  if (name === undefined || !lines.every((line) => nameOf(line) === name)) return undefined;
  return lines.length > 1 || /^.\d{0,4}\s?[:：]/u.test(lines[0]!) ? labelOf(name) : undefined;
}

const LABEL =
  /^(?:(\p{L}{1,20})\s{0,2}\d{0,4}\s?[:：](?!\/)|[[(]?(\p{L})\d{0,4}(?:[.)\]>](?=\s|\p{L}{2})|\s[-–—]\s))/u;
const labelOf = (name: string): RegExp =>
  new RegExp(`^[[(]?${name}\\s{0,2}\\d{0,4}\\s?[-–—:：.)\\]>]\\s*`, "iu");
/** Among lines of which the answers alone have labels, each other line is a question. */
const ANY = /^/;

/** "Q: Where is Mary?", "A: garden": an answer follows its question, and each may go on in the next line. */
function fromLabelled(lines: readonly Line[], labels: Labels): QuestionSet {
  const questions: { ask: string; answer: string; number: string | undefined }[] = [];
  let part: "ask" | "answer" | "none" = "none";
  for (const { words: line, item } of lines) {
    const last = questions.at(-1);
    if (line === "") {
      if (part === "answer" && last!.answer !== "") part = "none";
      continue;
    }
    if (labels.answer.test(line) && last) {
      if (part !== "ask")
        return refused(
          `The question "${shown(last.ask)}" has two answers. Write them in one line, with | between alternatives.`,
        );
      const number = numberIn(line, labels.answer);
      if (number !== undefined && last.number !== undefined && number !== last.number)
        return refused(
          `The line "${shown(line)}" follows question ${last.number}. Write it below its question.`,
        );
      part = "answer";
      last.answer = line.replace(labels.answer, "");
    } else if (labels.question.test(line)) {
      part = "ask";
      questions.push({
        ask: line.replace(labels.question, ""),
        answer: "",
        number: numberIn(line, labels.question),
      });
    } else if (!last) return refused(`The line "${shown(line)}" is before the first question: remove it.`);
    else if (
      part === "none" ||
      (part === "ask" ? ASKED.test(last.ask) : ASKS.test(line) || nameOf(line) !== undefined) ||
      (item && last.answer !== "")
    )
      return refused(
        `The line "${shown(line)}" follows ${part === "ask" ? "a question" : "an answer"} and has no label: write "Q:" or "A:" before it.`,
      );
    else last[part] = `${last[part]} ${line}`.trim();
  }
  return setOf(questions.map(({ ask, answer }) => (answer === "" ? fromLine(ask) : questionOf(ask, answer))));
}

const numberIn = (line: string, label: RegExp): string | undefined => /\d+/.exec(label.exec(line)![0])?.[0];

/** An answer's label right behind the question, where a line end is missing. */
const ANSWER_BEHIND = new RegExp(
  `(${ASKED.source.slice(0, -1)})[ \\t]+(?=\\**(?:${ANSWER_LABEL.source.slice(1)}|\\p{L}\\d{0,4}\\s?[:：]))`,
  "giu",
);

const Q_AND_A = /^(\s{0,9}Q\.[^?\n]*\?["”]?)[ \t]+(?=A\.\s)/gim;

/** "Where is Mary? garden | park"; an arrow between the two is dropped. A string is the problem. */
function fromLine(line: string): SetQuestion | string {
  const end = questionEnd(line);
  if (end === 0) return questionOf(line, "");
  if (end < 0)
    return `The line "${shown(line)}" holds several questions. Write one in each line, or put quotes around a question mark that does not end the question.`;
  return questionOf(line.slice(0, end), line.slice(end));
}

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

function questionOf(given: string, answer: string): SetQuestion | string {
  const ask = given.trim().replace(/^"([^"]*)"$/, "$1");
  const words = plainAnswer(answer);
  const options = [words, ask.slice(questionEnd(ask)).trim()].find((one) => SEVERAL_OPTIONS.test(one));
  return options !== undefined
    ? `The question "${shown(ask)}" has options behind it: "${shown(options)}". Leave only the right answer.`
    : { ask, answers: answersOf(words) };
}

const SEVERAL_OPTIONS = /^\(?1[.)]\s.*\s\(?2[.)]\s|\s\(?[b-h]\)\s|^\(?a\.\s.*\s\(?b\.\s|^\{[^=~]*[=~].*\}$/i;

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
