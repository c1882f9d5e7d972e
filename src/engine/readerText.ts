/** @file The reader's view of a text: units, tokens and features, as in tools/demo-model/reader_text.py, which trained it. */

import { wordSet } from "../lib/format.ts";
import { infinitiveOf } from "../lib/terms.ts";

export interface Pieces {
  readonly ids: readonly number[];
  readonly bytes: readonly number[];
}

/** Characters [start, end) of a text that no span cuts: a word, a number, a price. */
export interface Unit {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
  /** Words before it, and with it, without articles. */
  readonly before: number;
  readonly upTo: number;
}

export interface Reading {
  readonly ids: readonly number[];
  readonly units: readonly Unit[];
  readonly unit: readonly number[];
  readonly own: readonly (readonly number[])[];
  /** The content word of its unit, and the word's stem; "" for others. */
  readonly words: readonly string[];
  readonly stems: readonly string[];
}

const STATIC = ["stop", "capital", "number", "quoted", "begins", "ends", "outside"] as const;
export const READER_FEATURES: readonly string[] = [
  ...STATIC,
  "same token",
  "same word",
  "same stem",
  "near a match",
  "covered",
  "sentence",
];

/** One character for one, so that places stay. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'" },
  ...{ "\u00a0": " ", "\n": " ", "\r": " ", "\t": " " },
};
const OPENING = new Set("\"'([{*_<|-–");
const CLOSING = new Set("\"')]}*_>|.,;:!?-–…");
const STOP = wordSet(
  "a an the and or but if of to in on at by for from with into as is are was were be been am do does did has have had will",
  "would can could may might shall should must not no it its he him his she her hers they them their theirs we us our you",
  "your i me my this that these those there here who whom whose what which when where why how than then so up out",
);
const NUMBER_WORDS = wordSet(
  "one two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty hundred thousand million",
  "half quarter twice once noon midnight",
);

const ASKS: readonly RegExp[] = [
  /\b(?:who|whom|whose)\b/,
  /\bwhere\b/,
  /\bwhen\b|\bwhat (?:time|day|date|year)\b/,
  /\bhow (?:many|much|old|far|tall|high|big|large)\b|\bcosts?\b|\bprice\b|\bwhat number\b/,
  /\bhow (?:long|often)\b/,
  /\bhow\b.*\b(?:feel|felt)\b/,
  /\bwhy\b|\bwhat (?:caused|made)\b/,
  /\bhow\b/,
  /\bwhat happen(?:ed|s)\b/,
  /\bwhat\b.*\b(?:say|said|tell|told|ask|cry|reply|answer)\b/,
  /\bwhat\b.*\b(?:do|doing)\b/,
  /\bwhich\b|\bwhat (?:kind|sort|colou?r)\b/,
  /\bwhat\b/,
];

/** The kind of answer that a question asks for; the last number stands for anything else. */
export function askOf(question: string): number {
  const at = ASKS.findIndex((form) => form.test(question.toLowerCase()));
  return at < 0 ? ASKS.length : at;
}

/** The text whose tokens {@link readingOf} expects: plain marks, and a space before the first word. */
export const readerText = (text: string): string => ` ${plainOf(text).replace(/[—–]/g, "-")}`;

const plainOf = (text: string): string => text.replace(/[“”„«»’‘\u00a0\n\r\t]/g, (mark) => PLAIN[mark]!);

/** The text with the features of its tokens. @param pieces tokens of {@link readerText} @param most tokens that are read */
export function readingOf(text: string, pieces: Pieces, most: number): Reading {
  const plain = plainOf(text);
  const ids = pieces.ids.slice(0, most);
  const ends = cumulative(pieces.bytes.slice(0, most));
  const found = { units: [] as Unit[], unit: ids.map(() => -1) };
  const bytesBefore = byteOffsets(readerText(text));
  for (const { start, end } of unitsOf(plain)) {
    // The tokens have a space before the text.
    const [firstByte, lastByte] = [bytesBefore[start + 1]!, bytesBefore[end + 1]! - 1];
    if (lastByte >= (ends.at(-1) ?? 0)) break;
    const [first, last] = [tokenAt(ends, firstByte), tokenAt(ends, lastByte)];
    found.unit.fill(found.units.length, first, last + 1);
    const before = found.units.at(-1)?.upTo ?? 0;
    found.units.push({ start, end, first, last, before, upTo: before + wordCount(plain.slice(start, end)) });
  }
  return { ids, ...found, ...featuresOf(plain, found) };
}

function featuresOf(plain: string, { units, unit }: Pick<Reading, "units" | "unit">) {
  const quotes = cumulative([...plain].flatMap((c) => [Number(c === '"'), ...(c.length > 1 ? [0] : [])]));
  const said = units.map(({ start, end }) => plain.slice(start, end).toLowerCase());
  const isStop = said.map((word) => STOP.has(word));
  const own = unit.map((n, t) => {
    if (n < 0) return [0, 0, 0, 0, 0, 0, 1];
    const { start, first, last } = units[n]!;
    const isNumber = /\p{Nd}/u.test(said[n]!) || NUMBER_WORDS.has(said[n]!);
    const isCapital = n > 0 && /^\p{Lu}/u.test(plain.slice(start));
    return [isStop[n]!, isCapital, isNumber, quotes[start]! % 2, first === t, last === t, 0].map(Number);
  });
  const content = (of: (word: string) => string): string[] =>
    unit.map((n) => (n < 0 || isStop[n] ? "" : of(said[n]!)));
  return { own, words: content((word) => word.replace(/'s?$/, "")), stems: content(stemOf) };
}

/** Words between white space and dashes, without the marks around them; "€2,450.00" and "p.m." are one unit each. */
function unitsOf(plain: string): { start: number; end: number }[] {
  return Array.from(plain.matchAll(/(?:(?!--|—)\S)+/g), ({ 0: written, index }) => {
    let [start, end] = [index, index + written.length];
    while (start < end && OPENING.has(plain[start]!) && !/^-\d/.test(plain.slice(start, end))) start++;
    while (
      end > start &&
      CLOSING.has(plain[end - 1]!) &&
      !/[A-Za-z]\.[A-Za-z]\.$/.test(plain.slice(start, end))
    )
      end--;
    return { start, end };
  }).filter(({ start, end }) => start < end);
}

const wordCount = (unit: string): number =>
  unit
    .toLowerCase()
    .replaceAll("'s", "")
    .split(/[^a-z0-9]+/)
    .filter((word) => !["", "a", "an", "the"].includes(word)).length;

const ENDINGS = [
  ["ies", "i"],
  ["ied", "i"],
  ["ing", ""],
  ["ed", ""],
  ["es", ""],
  ["ly", ""],
  ["er", ""],
  ["s", ""],
] as const;

/** A word without its ending, so that forms of it meet; the infinitive's for an irregular verb. */
function stemOf(unit: string): string {
  const bare = unit.replace(/'s?$/, "");
  let word = infinitiveOf(bare).replace(/^([a-z])(?:ied|ies|ying)$/, "$1ie");
  const ending = ENDINGS.find(([end]) => word.endsWith(end) && [...word].length - end.length >= 3);
  if (ending) word = word.slice(0, -ending[0].length) + ending[1];
  if (word.length > 3 && word.at(-1) === word.at(-2)) word = word.slice(0, -1);
  if (word.length > 3 && /[ey]$/.test(word)) word = word.slice(0, -1) + (word.endsWith("y") ? "i" : "");
  return word;
}

const NEAR = 4;

/** {@link READER_FEATURES} of the question's tokens, then of the sentence's. */
export function pairFeatures(question: Reading, sentence: Reading): number[][] {
  const [q, s] = [question, sentence];
  const content = (reading: Reading) =>
    reading.ids.map((id, t) => (reading.words[t] === "" ? "" : String(id)));
  const tokens = shared(content(q), content(s));
  const words = shared(q.words, s.words);
  const stems = shared(q.stems, s.stems);
  const opening = q.own.map(([, , , , begins], t) => Number(q.stems[t] !== "" && begins === 1));
  const matched = sum(opening.map((one, t) => one * stems[0][t]!));
  const covered = matched / Math.max(1, sum(opening));
  const near = stems[1].map((_, t) =>
    Math.max(0, ...stems[1].map((match, at) => match * Math.exp(-Math.abs(at - t) / NEAR))),
  );
  return [
    ...q.own.map((own, t) => [...own, tokens[0][t]!, words[0][t]!, stems[0][t]!, 0, covered, 0]),
    ...s.own.map((own, t) => [...own, tokens[1][t]!, words[1][t]!, stems[1][t]!, near[t]!, covered, 1]),
  ];
}

/** For each of both lists which of its texts the other list has too; "" does not count. */
function shared(one: readonly string[], other: readonly string[]): readonly [number[], number[]] {
  const within = (list: readonly string[]) => {
    const has = new Set(list);
    return (text: string): number => Number(text !== "" && has.has(text));
  };
  return [one.map(within(other)), other.map(within(one))];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function cumulative(values: readonly number[]): number[] {
  let total = 0;
  return values.map((value) => (total += value));
}

/** Bytes of UTF-8 before each UTF-16 code unit, and of the whole text at its end. */
function byteOffsets(text: string): number[] {
  const offsets: number[] = [];
  let bytes = 0;
  for (const character of text) {
    for (let i = 0; i < character.length; i++) offsets.push(bytes);
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return [...offsets, bytes];
}

const tokenAt = (ends: readonly number[], byte: number): number => ends.findIndex((end) => end > byte);
