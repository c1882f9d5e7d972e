/** @file Who has a thing: a question for its place is answered by the place of its last holder. */

import { groupBy } from "../lib/group.ts";
import { questionWords } from "../lib/terms.ts";
import { isStopWord, tokens } from "../lib/tokens.ts";
import { asksOf } from "./cues.ts";
import type { RouterIndex } from "./routerIndex.ts";

/** Whether a question asks for the place of a thing: it is where its last holder is. */
export const seeksHolder = (question: string, index: RouterIndex): boolean =>
  heldThing(question, index) !== null;

/**
 * Positions of the facts of other anchors that name the thing whose place a question asks for; null if it asks for no place, or for
 * the place of an anchor. A thing ("the milk") may be an anchor too, but most of its facts belong to other anchors.
 */
export function heldThing(question: string, index: RouterIndex): number[] | null {
  if (!asksOf(question).has("where")) return null;
  const named = index.verbatim(question);
  const thing = thingOf(question);
  if (named.size === 0) return holdingAll(thing ?? questionWords(question), index);
  const having = thing ? holdingAll(thing, index) : [];
  const ofOthers = having.filter((position) => !named.has(index.facts[position]!.owner));
  return ofOthers.length > having.length / 2 ? ofOthers : null;
}

/** The words behind the first determiner of a question: "the old lamp". */
function thingOf(question: string): string[] | null {
  const words = tokens(question).map(({ word }) => word);
  const from = words.findIndex((word) => DETERMINERS.has(word)) + 1;
  const end = words.findIndex((word, i) => i > from && isStopWord(word));
  return from > 0 ? words.slice(from, end < 0 ? undefined : end) : null;
}

/** Positions of the facts with all of the words, or with any if no fact has all. */
function holdingAll(words: readonly string[], index: RouterIndex): number[] {
  const holding = words.map((word) => new Set(index.holding(word)));
  const any = [...new Set(holding.flatMap((having) => [...having]))];
  const all = any.filter((position) => holding.every((having) => having.has(position)));
  return all.length > 0 ? all : any;
}

const DETERMINERS = new Set("the a an this that my your his her its our their".split(" "));

/**
 * Facts of the anchors of `having`, at most `most`, those nearest to a fact with the thing first. A short sentence names a holder
 * most plainly, so only sentences of at most `PLAIN` times the shortest length count.
 */
export function ofHolders(
  question: string,
  having: readonly number[],
  index: RouterIndex,
  maxAnchors: number,
  most: number,
): number[] {
  const { length } = index.places();
  const shortest = having.reduce((least, at) => Math.min(least, length[at]!), Infinity);
  const plain = having.filter((at) => length[at]! <= PLAIN * shortest);
  const scored = index.byDocument().rank(question, "bm25");
  const holders = [...groupBy(plain, (at) => index.facts[at]!.owner)]
    .sort(([a], [b]) => (scored.get(b)?.score ?? 0) - (scored.get(a)?.score ?? 0))
    .slice(0, maxAnchors)
    .map(([owner, naming]) => {
      const near = index
        .factsOf(owner)
        .map((position) => ({ position, apart: Math.min(...naming.map((at) => Math.abs(at - position))) }))
        .sort((a, b) => a.apart - b.apart || b.position - a.position)
        .map(({ position }) => position);
      const first = 2 * naming.length + BESIDE;
      return { first: near.slice(0, first), rest: near.slice(first) };
    });
  return [...holders.flatMap(({ first }) => first), ...holders.flatMap(({ rest }) => rest)].slice(0, most);
}

/** Longest statement about a thing, as a multiple of the shortest. */
export const PLAIN = 2;
/** Facts of a holder besides two for each that names the thing. */
const BESIDE = 3;
