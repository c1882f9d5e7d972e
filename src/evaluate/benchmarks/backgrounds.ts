/** @file Backgrounds: sentences of at least ten tokens from random places of novels, as BABILong makes them, and facts among them. */

import { assert } from "../../lib/assert.ts";
import {
  drawing,
  pick,
  tokensOf,
  type BenchmarkOptions,
  type TokenCounter,
  type UserFile,
} from "./benchmark.ts";
import { passagesOf } from "../tokens.ts";

export const LENGTHS = "0k 1k 2k 4k 8k 16k 32k 64k 128k 256k 512k 1M 2M".split(" ");

/** Kept for the prompt: a length names text and prompt together. */
export const PROMPT_TOKENS = 300;

export async function readBooks({ data }: Pick<BenchmarkOptions, "data">): Promise<UserFile[]> {
  const paths = (await data.list("novels")).filter((path) => path.endsWith(".txt.gz"));
  const books: UserFile[] = [];
  for (const path of paths) books.push({ name: path, text: await data.text(path) });
  return books;
}

/** A background: its sentences, and its text in pieces that end where a shorter one ends. */
export interface Pieces {
  readonly sentences: readonly string[];
  readonly texts: readonly string[];
}

export type SharedBackground = (number: number, length: string) => Pieces;

/** Shared backgrounds: each begins with those of shorter lengths, and leaves room for the prompt, but for no story. */
export function sharedBackgrounds(
  books: readonly UserFile[],
  { seed, gpt2 }: Pick<BenchmarkOptions, "seed" | "gpt2">,
): SharedBackground {
  const steps = LENGTHS.map((name) => tokensOf(name, 1000));
  const opened = (number: number) => ({
    sentences: novelSentences(books, STRETCH_TOKENS, gpt2, drawing(seed, `background ${number}`)),
    read: [] as string[],
    /** Tokens up to the end of each read sentence. */
    ends: [0],
  });
  const backgrounds = new Map<number, ReturnType<typeof opened>>();
  const pieced = new Map<string, Pieces>();
  const piecesOf = (number: number, length: string): Pieces => {
    const one = backgrounds.get(number) ?? opened(number);
    backgrounds.set(number, one);
    const { sentences, read, ends } = one;
    const tokens = tokensOf(length, 1000);
    while (ends.at(-1)! < tokens) {
      read.push(sentences.next().value);
      ends.push(ends.at(-1)! + gpt2.count(` ${read.at(-1)!}`));
    }
    const bounds = [...steps.filter((step) => step < tokens), tokens];
    const places = bounds.map((bound) =>
      ends.findLastIndex((end) => end <= Math.max(0, bound - PROMPT_TOKENS)),
    );
    const pieces = places
      .map((to, i) => read.slice(places[i - 1] ?? 0, to))
      .filter(({ length: of }) => of > 0);
    return { sentences: pieces.flat(), texts: pieces.map((piece) => piece.join(" ")) };
  };
  // The samples of a length take turns on the backgrounds.
  return (number, length) => {
    const key = `${number} ${length}`;
    const made = pieced.get(key) ?? piecesOf(number, length);
    pieced.set(key, made);
    return made;
  };
}

/** Tokens that are read from one place of a book for a shared background: about a chapter. */
const STRETCH_TOKENS = 5000;

const SHORTEST_TOKENS = 10;
/** Maximum characters read from a place, per wanted token. */
const CHARACTERS_PER_TOKEN = 10;
/** Minimum: the first and the last sentence of a stretch are left out. */
const SHORTEST_STRETCH = 2000;
/** Limit of successive places without a usable sentence; in novels there are hardly ever two. */
const MOST_FRUITLESS = 1000;

/** Sentences of `tokens` tokens together; the last one is cut at a word to fit. @throws as {@link novelSentences} */
export function background(
  books: readonly UserFile[],
  tokens: number,
  counter: TokenCounter,
  random: () => number,
): string[] {
  const found: string[] = [];
  let left = tokens;
  for (const sentence of left > 0 ? novelSentences(books, tokens, counter, random) : []) {
    const own = counter.count(` ${sentence}`);
    found.push(own <= left ? sentence : cutTo(sentence, left, counter.count));
    left -= own;
    if (left <= 0) break;
  }
  return found.filter((sentence) => sentence !== "");
}

/** Sentences from random places of books, about `tokens` from each. @throws without a book, or without long sentences */
function* novelSentences(
  books: readonly UserFile[],
  tokens: number,
  { count }: TokenCounter,
  random: () => number,
): Generator<string, never> {
  assert(
    books.length > 0,
    () => "evaluate: there is no book to take a background from; name a folder with --data",
  );
  for (let fruitless = 0; ; fruitless++) {
    assert(
      fruitless < MOST_FRUITLESS,
      () =>
        `evaluate: no sentence of ${SHORTEST_TOKENS} tokens or more was found at ${MOST_FRUITLESS} places of ${books
          .map(({ name }) => name)
          .join(", ")
          .slice(0, 200)}; ` + "a background needs longer books, in running sentences",
    );
    for (const sentence of stretch(books, tokens, random)) {
      if (count(` ${sentence}`) < SHORTEST_TOKENS) continue;
      fruitless = -1;
      yield sentence;
    }
  }
}

/** The sentences of a random book from a random place on, without the first and the last, which may be incomplete. */
function stretch(books: readonly UserFile[], tokens: number, random: () => number): string[] {
  const { text } = books[pick(random, books.length)]!;
  const from = pick(random, text.length);
  const piece = text.slice(from, from + Math.max(tokens * CHARACTERS_PER_TOKEN, SHORTEST_STRETCH));
  return passagesOf(piece).slice(1, -1);
}

/** As many of a sentence's words as `tokens` hold. */
function cutTo(sentence: string, tokens: number, count: TokenCounter["count"]): string {
  const ends = Array.from(sentence.matchAll(/\S+/g), ({ 0: word, index }) => index + word.length);
  const fits = (end: number): boolean => count(` ${sentence.slice(0, end)}`) <= tokens;
  return sentence.slice(0, ends.findLast(fits) ?? 0);
}

/** `facts` in their order in gaps drawn with replacement between sentences; several may fall in one gap. */
export function injected(
  facts: readonly string[],
  sentencesOf: readonly string[],
  random: () => number,
): string {
  const gaps = facts.map(() => pick(random, sentencesOf.length + 1)).sort((a, b) => a - b);
  const woven: string[] = [];
  let next = 0;
  for (let gap = 0; gap <= sentencesOf.length; gap++) {
    while (next < facts.length && gaps[next] === gap) woven.push(facts[next++]!);
    if (gap < sentencesOf.length) woven.push(sentencesOf[gap]!);
  }
  return woven.join(" ");
}
