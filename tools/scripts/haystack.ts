/**
 * @file `npm run tool -- haystack`: hides the facts of a bAbI story in a novel, as BABILong does. For every fact a gap
 * between background sentences is drawn with replacement; the gaps are sorted, and the facts keep their order.
 * Differences: the book is cut at sentence ends and keeps its paragraphs, lengths are in characters, and a gap is used only
 * between two complete sentences, so that every fact stays a separate sentence.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { isHeading } from "../../src/ingest/candidates.ts";
import { sentences } from "../../src/ingest/sentences.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { assert } from "../../src/lib/assert.ts";
import type { Sentence } from "../../src/records/source.ts";
import { seeded } from "../../src/lib/rng.ts";
import { choiceOption, numberOption, runCommand, UsageError } from "../cli.ts";

const USAGE = `Usage: npm run tool -- haystack --book NAME --task qa1..qa5 --out FILE [options]
  --book NAME        a book of DATA/books, e.g. wilde_the_picture_of_dorian_gray
  --task qaN         bAbI task whose facts are hidden
  --sample N         which story of the task (default 0)
  --samples A-B      several stories, one text each; FILE gets "-N" before its ending
  --characters N     length of the text in characters (default: the whole book or chapter)
  --chapter N        only the Nth chapter (by its headings, from 1)
  --from start|random  where a shorter text begins (default start); random is drawn from the seed
  --seed N           default 42
  --data DIR         default ../shared/data if it has the book, otherwise data/ (two novels' first chapters)
Prints one JSON document: the facts with their offsets, the question and the answer.`;

/** A bAbI story with one question. */
export interface Story {
  readonly task: string;
  readonly id: number;
  readonly facts: readonly string[];
  readonly question: string;
  readonly answer: string;
  readonly support_pos: readonly number[];
}

/** A hidden fact; `text.slice(offset, offset + fact.length)` is the fact. */
export interface HiddenFact {
  readonly text: string;
  readonly offset: number;
  readonly supporting: boolean;
}

export interface Haystack {
  readonly text: string;
  readonly facts: readonly HiddenFact[];
  /** Number of facts that our segmenter finds as separate sentences; all of them, unless there is a bug. */
  readonly intact: number;
}

/**
 * Hides `story` in `background`. The same arguments give the same text.
 * @throws if the background has no gap that keeps a fact whole
 */
export function hide(story: Story, background: string, seed: number): Haystack {
  const gaps = gapsOf(background);
  assert(gaps.length > 0, () => "haystack: the background has no gap between two complete sentences");
  const random = seeded(seed);
  const places = story.facts.map(() => gaps[Math.floor(random() * gaps.length)]!).sort((a, b) => a - b);
  let text = "";
  let from = 0;
  const facts = places.map((place, i): HiddenFact => {
    text += `${background.slice(from, place)} `;
    from = place;
    const fact = { text: story.facts[i]!, offset: text.length, supporting: story.support_pos.includes(i) };
    text += fact.text;
    return fact;
  });
  text += background.slice(from);
  return { text, facts, intact: countIntact(text, facts) };
}

/** The first whole sentences of `text` from `start` on, at most `characters` long. */
export function excerpt(text: string, start: number, characters: number): string {
  const window = text.slice(start, start + characters);
  if (start + characters >= text.length) return window.trimEnd();
  const ends = spans(window).map(({ end }) => end);
  // The last sentence of the window is probably cut off.
  return window.slice(0, ends.at(-2) ?? ends.at(-1) ?? window.length);
}

/** The text of the Nth chapter (from 1), heading included. */
export function chapter(text: string, number: number): string {
  const starts = Array.from(text.matchAll(CHAPTER), ({ index }) => index);
  const start = starts[number - 1];
  assert(
    start !== undefined,
    () => `haystack: chapter ${number} not found; the book has ${starts.length} chapter headings`,
  );
  return text.slice(start, starts[number]).trim();
}

/** Ends of sentences after which a fact stays a separate sentence. */
function gapsOf(background: string): number[] {
  const all = spans(background);
  const open = (sentence: Sentence, i: number): boolean => {
    const next = all[i + 1];
    if (!FINISHED.test(sentence.text) || isHeading(sentence.text)) return false;
    return next === undefined || FRESH.test(next.text);
  };
  return all.filter(open).map(({ end }) => end);
}

function countIntact(text: string, facts: readonly HiddenFact[]): number {
  const found = new Set(spans(text).map(({ start, text: sentence }) => `${start}:${sentence}`));
  return facts.filter((fact) => found.has(`${fact.offset}:${fact.text}`)).length;
}

function spans(text: string): Sentence[] {
  return text.trim() === "" ? [] : [...sentences(makeDocument("background", text))];
}

const CHAPTER = /^[ \t]*(?:chapter|letter|book) (?:[ivxlc]+|\d+)\b.*$/gim;
const FINISHED = /[.!?…]["'”’)*_]*$/;
const FRESH = /^["'“‘(*_]*\p{Lu}/u;

type Options = ReturnType<typeof readOptions>;

function readOptions() {
  const { values } = parseArgs({
    options: {
      book: { type: "string" },
      task: { type: "string" },
      sample: { type: "string", default: "0" },
      samples: { type: "string" },
      characters: { type: "string" },
      chapter: { type: "string" },
      from: { type: "string", default: "start" },
      seed: { type: "string", default: "42" },
      data: { type: "string" },
      out: { type: "string" },
    },
  });
  const { book, task, out } = values;
  if (!book || !task || !out) throw new UsageError("--book, --task and --out are needed");
  const name = basename(book, ".txt.gz");
  const whole = { min: 1, whole: true };
  return {
    book: name,
    task: choiceOption("task", task, ["qa1", "qa2", "qa3", "qa4", "qa5"]),
    samples: range(values.samples ?? values.sample),
    several: values.samples !== undefined,
    characters: numberOption("characters", values.characters, whole),
    chapter: numberOption("chapter", values.chapter, whole),
    random: choiceOption("from", values.from, ["start", "random"]) === "random",
    seed: numberOption("seed", values.seed, { min: 0, whole: true })!,
    data: values.data ?? folderWith(name),
    out,
  };
}

/** The data folder with the book: whole novels if the larger set is next to the repository, otherwise its own chapters. */
function folderWith(book: string): string {
  const folders = ["../../../shared/data", "../../data"].map((folder) =>
    fileURLToPath(new URL(folder, import.meta.url)),
  );
  return folders.find((folder) => existsSync(join(folder, "books", `${book}.txt.gz`))) ?? folders[1]!;
}

/** "3" -> [3]; "0-19" -> [0, …, 19]. */
function range(text: string): number[] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  const first = Number(match?.[1]);
  const last = Number(match?.[2] ?? match?.[1]);
  assert(match && last >= first, () => `haystack: "${text}" is not a sample number or a range such as 0-19`);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function readZipped(path: string, what: string): string {
  assert(existsSync(path), () => `haystack: ${what} not found at ${path}; name another, or another --data`);
  return gunzipSync(readFileSync(path)).toString("utf8");
}

/** Makes one text and writes it; returns what the command prints about it. */
function make(options: Options, book: string, stories: readonly Story[], sample: number): object {
  const story = stories[sample];
  assert(story, () => `haystack: ${options.task} has samples 0 to ${stories.length - 1}, not ${sample}`);
  // Each story gets separate gaps, the same ones alone and in a range.
  const seed = options.seed + sample;
  const needed = story.facts.reduce((sum, fact) => sum + fact.length + 1, 0);
  const length = Math.max(0, (options.characters ?? book.length + needed) - needed);
  const start = options.random
    ? paragraphNear(book, seeded(seed ^ START_SALT)() * (book.length - length))
    : 0;
  const hidden = hide(story, excerpt(book, start, length), seed);
  const out = resolve(options.several ? options.out.replace(/(\.[^./]+)?$/, `-${sample}$1`) : options.out);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, hidden.text);
  const { question, answer } = story;
  const { book: name, task } = options;
  const characters = hidden.text.length;
  return {
    file: out,
    book: name,
    task,
    sample,
    seed,
    characters,
    question,
    answer,
    intact: hidden.intact,
    facts: hidden.facts,
  };
}

/** The paragraph start at or after a place, so that a random text does not begin inside a sentence. */
function paragraphNear(book: string, place: number): number {
  const at = book.indexOf("\n\n", Math.max(0, Math.floor(place)));
  return at < 0 ? 0 : at + 2;
}

/** Keeps the draw of the start apart from the draws of the gaps. */
const START_SALT = 0x5eed;

function main(): Promise<void> {
  const options = readOptions();
  const { book: name, task, data } = options;
  const whole = readZipped(join(data, "books", `${name}.txt.gz`), `book "${name}"`);
  const book = options.chapter === undefined ? whole : chapter(whole, options.chapter);
  const lines = readZipped(join(data, "babi", `samples_${task}_test.jsonl.gz`), task);
  const stories = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Story);
  const made = options.samples.map((sample) => make(options, book, stories, sample));
  console.log(JSON.stringify(options.several ? made : made[0], null, 2));
  return Promise.resolve();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main, USAGE);
