/** @file Question -> facts, best first: a linear score over features of a fact and its neighbours, without sentences. */

import { mean } from "../lib/stats.ts";
import { questionWords } from "../lib/terms.ts";
import { isStopWord, tokens } from "../lib/tokens.ts";
import { asksOf, asksPrice, hasCue, type Ask, type Cue } from "./cues.ts";
import type { Route, RoutedAnchor } from "../records/answer.ts";
import { SENTENCES_SHOWN } from "../records/judge.ts";
import type { ParamsOf } from "../records/params.ts";
import { cosine, unitEmbedding } from "./dense.ts";
import { heldThing, ofHolders } from "./holders.ts";
import weights from "./rankWeights.json" with { type: "json" };
import type { FactPlaces, RouterIndex } from "./routerIndex.ts";

export const FEATURES = {
  words: "words in common (BM25+)",
  wordsSquared: "words in common, squared",
  covered: "share of the question's words",
  coveredSquared: "share of the question's words, squared",
  withPrevious: "share of its words, with the sentence before and the heading",
  withNext: "share of its words, with the sentence after",
  previous: "words of the sentence before",
  previousButOne: "words of the sentence before that",
  next: "words of the sentence after",
  pronoun: "opens with a pronoun, the sentence before fits",
  length: "length",
  short: "very short",
  heading: "a heading",
  shared: "names the same as one of the best sentences",
  sharedLatest: "the latest of that anchor",
  who: "asks who, has a name",
  where: "asks where, has a place",
  howMany: "asks how many, has a number",
  when: "asks when, has a time",
  why: "asks why, has a cause",
  feel: "asks how one felt, has a feeling",
  said: "asks what was said, has speech",
  nextAfter: "asks what happened next, the sentence before fits",
  whyAfter: "asks why, the sentence before fits",
  whyBefore: "asks why, the sentence after fits",
  meaning: "similar in meaning",
  meaningOfPrevious: "the sentence before is similar in meaning",
  meaningOfNext: "the sentence after is similar in meaning",
  cosine: "similar by the text embedder (cosine)",
} as const;
type Feature = keyof typeof FEATURES;
export const FEATURE_NAMES = Object.keys(FEATURES) as Feature[];

interface RankedFact {
  readonly position: number;
  readonly score: number;
  readonly features: Float64Array;
}

const FEATURE_PLACES = new Map(FEATURE_NAMES.map((name, i) => [name, i]));
const valueOf = ({ features }: RankedFact, name: Feature): number => features[FEATURE_PLACES.get(name)!]!;

export type RankWeights = Partial<Readonly<Record<Feature, number>>>;

/** Factor of scores in the softmax by which the weights were learnt. */
export const SHARPNESS = 4;
export const LEARNED: RankWeights = weights;
export const BM25_ALONE: RankWeights = { words: 1 };

export const weightsOf = (ranking: ParamsOf<"route">["ranking"]): RankWeights =>
  ranking === "learned" ? LEARNED : BM25_ALONE;

const LEADERS = 3;

/** Ranks facts that share a word with the question, are next to such a fact, or share an anchor with a leading one. */
export function rankFacts(
  question: string,
  index: RouterIndex,
  by: RankWeights,
  cosines: ReadonlyMap<number, number> = NO_COSINES,
): RankedFact[] {
  const found = gather(question, index, cosines, (by.meaning ?? 0) > 0);
  const vector = FEATURE_NAMES.map((name) => by[name] ?? 0);
  const featuresOf = featuresIn(found);
  const ranked = found.candidates.map((position) => {
    const features = featuresOf(position);
    let score = 0;
    for (let i = 0; i < vector.length; i++) score += features[i]! * vector[i]!;
    return { position, features, score };
  });
  return ranked.sort((a, b) => b.score - a.score || a.position - b.position);
}

/**
 * The best `maxFacts` ranked facts with their anchors. A question for the place of something also gets the facts of those who
 * have it: a thing is where its last holder is. @param vector if single facts have vectors @param floor cosine from which they count
 */
export function rankedRoute(
  question: string,
  vector: Float32Array | null,
  index: RouterIndex,
  { ranking, maxFacts, maxAnchors }: Pick<ParamsOf<"route">, "ranking" | "maxFacts" | "maxAnchors">,
  floor: number,
): Route {
  const by = weightsOf(ranking);
  const ranked = rankFacts(question, index, by, vector ? cosinesOf(vector, index, floor) : NO_COSINES);
  const order = ranked.map(({ position }) => position);
  const first = order.slice(0, BEFORE_HOLDERS);
  const room = Math.max(1, maxFacts - first.length);
  const having = heldThing(question, index);
  const head = having ? [...first, ...ofHolders(question, having, index, maxAnchors, room)] : [];
  // A memory that fits into one recall needs no level if it has a word of the question: rarity means nothing among a few facts.
  const all =
    by === BM25_ALONE ||
    (index.facts.length <= maxFacts && questionWords(question).some((word) => index.storedWith(word) > 0));
  const near = all || ranked.slice(0, SENTENCES_SHOWN).some((fact) => comesNear(fact, question, index));
  const byWords = ranked.toSorted((a, b) => valueOf(b, "words") - valueOf(a, "words")).slice(0, BY_WORDS);
  const leading = order.slice(0, Math.max(0, maxFacts - BY_WORDS));
  const wanted = [...head, ...leading, ...byWords.map(({ position }) => position), ...order];
  const listed = ranked.filter(isRelated).slice(0, SENTENCES_SHOWN);
  const chosen = near ? distinct(wanted).slice(0, maxFacts) : listed.map(({ position }) => position);
  const byPosition = new Map(ranked.map((one) => [one.position, one]));
  const anchors = new Map<number, RoutedAnchor>();
  const kept = new Set(chosen.map((position) => index.facts[position]!.owner));
  ranked.forEach(({ position, score }, i) => {
    const { owner } = index.facts[position]!;
    if (anchors.has(owner)) return;
    const why = kept.has(owner) ? "has one of the best sentences" : "cut: its sentences score lower";
    anchors.set(owner, {
      anchor: index.documents[owner]!.anchor,
      denseRank: null,
      denseScore: null,
      lexicalRank: i + 1,
      lexicalScore: score,
      fused: score,
      kept: kept.has(owner),
      why,
    });
  });
  return {
    question,
    anchors: [...anchors.values()],
    facts: chosen.map((position) => index.facts[position]!.fact.id),
    ranked: chosen.map((position) => {
      const one = byPosition.get(position);
      return { score: one?.score ?? 0, parts: one ? partsOf(one, by) : [] };
    }),
    ...(!near && { far: true }),
  };
}

/**
 * Whether a fact with a neighbour has enough of the words of a question, or is similar. The levels are chosen with training questions (n =
 * 1,596): all of FairytaleQA's and 92 % of the other ones come near their own text, and half of them come near another text.
 */
function comesNear(fact: RankedFact, question: string, index: RouterIndex): boolean {
  // With titles and without numbers, other than namedWords, as when the levels were chosen.
  const names = tokens(question).filter(({ word, named }) => named && !isStopWord(word));
  const level = names.every(({ word }) => index.storedWith(word) > 0) ? NEAR : NEAR_UNKNOWN;
  return (
    Math.max(valueOf(fact, "withPrevious"), valueOf(fact, "withNext")) >= level ||
    valueOf(fact, "meaning") >= ALIKE_TO_COME_NEAR ||
    valueOf(fact, "cosine") > 0
  );
}
/** If none comes near, a fact is still listed if it or a neighbour has a word of the question, or if it is a little alike. */
const isRelated = (fact: RankedFact): boolean =>
  valueOf(fact, "withPrevious") > 0 ||
  valueOf(fact, "withNext") > 0 ||
  valueOf(fact, "meaning") >= ALIKE_TO_LIST;

const NEAR = 0.35;
const ALIKE_TO_COME_NEAR = 0.35;
const ALIKE_TO_LIST = 0.2;
/** For a question with a name that no fact has. */
const NEAR_UNKNOWN = 0.5;

/** Facts that are recalled for their own words alone: the learned ranking prefers those whose neighbours fit as well. */
const BY_WORDS = 8;

const BEFORE_HOLDERS = 5;

/** How far above `floor` the vectors of facts are, from 0 to 1 by position. */
function cosinesOf(vector: Float32Array, index: RouterIndex, floor: number): Map<number, number> {
  const own = unitEmbedding(vector);
  const found = new Map<number, number>();
  index.facts.forEach(({ fact }, position) => {
    const near = fact.vector && floor < 1 ? (cosine(own, fact.vector) - floor) / (1 - floor) : 0;
    if (near > 0) found.set(position, near);
  });
  return found;
}

const partsOf = ({ features }: RankedFact, by: RankWeights): [string, number][] =>
  FEATURE_NAMES.map((name, i): [string, number] => [FEATURES[name], features[i]! * (by[name] ?? 0)])
    .filter(([, added]) => Math.abs(added) >= LEAST_ADDED)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));

const LEAST_ADDED = 0.01;

const NO_COSINES: ReadonlyMap<number, number> = new Map();

/** Typed arrays are by position: a question has thousands of candidates in a long text. */
interface Found {
  readonly facts: RouterIndex["facts"];
  readonly places: FactPlaces;
  readonly asks: ReadonlySet<Ask>;
  readonly words: Float64Array;
  /** Share of the question's words, weighted by rarity: of the fact, and of it with a neighbour. */
  readonly covered: Float64Array;
  readonly withPrevious: Float64Array;
  readonly withNext: Float64Array;
  readonly leading: ReadonlySet<number>;
  readonly cosines: ReadonlyMap<number, number>;
  /** See router/meaning.ts. */
  readonly alike: Float32Array;
  readonly candidates: readonly number[];
}

function gather(
  question: string,
  index: RouterIndex,
  cosines: ReadonlyMap<number, number>,
  byMeaning: boolean,
): Found {
  const places = index.places();
  const { previous, next } = places;
  const measure = measureOf(question);
  const noun = measure ? MEASURES[measure] : "";
  const asked = questionWords(question).map((word) =>
    askedWord(word === measure ? [word, noun] : [word], index),
  );
  const nearWords = asked.flatMap(({ near }) => near);
  const scored = index.byFact().rank([question, noun, ...nearWords].join(" "), "bm25", ["value"]);
  const [best] = scored.values();
  const facts = index.facts.length;
  const words = new Float64Array(facts);
  for (const [position, { score }] of scored) words[position] = score / best!.score;
  const [covered, withPrevious, withNext] = [
    new Float64Array(facts),
    new Float64Array(facts),
    new Float64Array(facts),
  ];
  const candidate = new Uint8Array(facts);
  const mark = (positions: Iterable<number>): void => {
    for (const position of positions) candidate[position] = 1;
  };
  const add = (to: Float64Array, position: number, weight: number): void => {
    to[position]! += weight;
    candidate[position] = 1;
  };
  // A word that no fact has counts as much as the others do on average.
  const known = asked.filter(({ holders }) => holders.length > 0);
  const usual = mean(known.map(({ holders }) => idf(holders.length, facts)));
  const rarity = asked.map(({ holders: { length } }) => (length > 0 ? idf(length, facts) : usual));
  const total = rarity.reduce((sum, weight) => sum + weight, 0);
  asked.forEach(({ holders, near }, i) => {
    const weight = (rarity[i]! / total) * (near.length > 0 ? NEAR_SHARE : 1);
    const having = new Set(holders);
    const headings = new Set(holders.filter((one) => hasCue(places.cues[one]!, "heading")));
    if (headings.size > 0)
      places.heading.forEach((heading, position) => {
        if (headings.has(heading) && !having.has(position) && !having.has(previous[position]!))
          add(withPrevious, position, weight);
      });
    for (const position of holders) {
      add(covered, position, weight);
      add(withPrevious, position, weight);
      add(withNext, position, weight);
      const [before, after] = [previous[position]!, next[position]!];
      if (after >= 0 && !having.has(after)) add(withPrevious, after, weight);
      if (before >= 0 && !having.has(before)) add(withNext, before, weight);
    }
  });
  const leading = new Set(
    [...scored.keys()].slice(0, LEADERS).map((position) => index.facts[position]!.owner),
  );
  const alike = byMeaning ? index.alike(`${question} ${noun}`) : NO_MEANINGS;
  mark(scored.keys());
  mark(cosines.keys());
  mark(alikest(alike));
  for (const owner of leading) mark(index.factsOf(owner));
  for (const position of scored.keys()) {
    const after = next[position]!;
    if (after >= 0 && next[after]! >= 0) candidate[next[after]!] = 1;
  }
  return {
    facts: index.facts,
    places,
    asks: asksOf(question),
    words,
    covered,
    withPrevious,
    withNext,
    leading,
    cosines,
    alike,
    candidates: [...candidate.keys()].filter((position) => candidate[position]),
  };
}

/** Facts that are ranked for their meaning alone. */
const MOST_ALIKE = 100;

/** Positions of the facts that are most alike. */
function alikest(alike: Float32Array): number[] {
  const least = alike.toSorted().at(-MOST_ALIKE) ?? 0;
  return [...alike.keys()].filter((position) => alike[position]! > 0 && alike[position]! >= least);
}
const NO_MEANINGS = new Float32Array(0);

/** The facts with any of `words`; if no fact has any, those with a word of nearly the same meaning. */
function askedWord(words: readonly string[], index: RouterIndex) {
  const holding = (some: readonly string[]): number[] => distinct(some.flatMap((one) => index.holding(one)));
  const holders = holding(words);
  const near = holders.length > 0 ? [] : words.flatMap((one) => index.near(one));
  return { holders: near.length > 0 ? holding(near) : holders, near };
}

/** Weight of a word of nearly the same meaning, as a share of the weight of the question's word. */
const NEAR_SHARE = 0.7;

/** A question has "how high" or "cost", a table or list has "Height: 54 m" or "price £48". */
const MEASURES = {
  high: "height",
  tall: "height",
  long: "length",
  wide: "width",
  deep: "depth",
  heavy: "weight",
  old: "age",
  far: "distance",
  fast: "speed",
  big: "size",
  large: "size",
  hot: "temperature",
  cost: "price",
};
const MEASURE = new RegExp(String.raw`\bhow (${Object.keys(MEASURES).join("|")})\b`, "i");

const measureOf = (question: string): keyof typeof MEASURES | undefined =>
  asksPrice(question)
    ? "cost"
    : (MEASURE.exec(question)?.[1]?.toLowerCase() as keyof typeof MEASURES | undefined);

const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)];

const idf = (holders: number, facts: number): number =>
  Math.log(1 + (facts - holders + 0.5) / (holders + 0.5));

function featuresIn(found: Found): (position: number) => Float64Array {
  const { facts, places, asks } = found;
  const { previous, next, cues } = places;
  const words = (at: number): number => (at < 0 ? 0 : found.words[at]!);
  const alike = (at: number): number => Math.max(0, found.alike[at] ?? 0);
  const flag = (ask: Ask, cue: Cue, position: number): number =>
    Number(asks.has(ask) && hasCue(cues[position]!, cue));
  const [asksNext, asksWhy] = [asks.has("next"), asks.has("why")];
  const valuesOf = (position: number): Readonly<Record<Feature, number>> => {
    const [before, after] = [previous[position]!, next[position]!];
    const covered = found.covered[position]!;
    const fits = words(before);
    const shared = Number(found.leading.has(facts[position]!.owner));
    return {
      words: words(position),
      wordsSquared: words(position) ** 2,
      covered,
      coveredSquared: covered ** 2,
      withPrevious: found.withPrevious[position]!,
      withNext: found.withNext[position]!,
      previous: fits,
      previousButOne: before < 0 ? 0 : words(previous[before]!),
      next: words(after),
      pronoun: hasCue(cues[position]!, "pronoun") ? fits : 0,
      length: Math.log1p(places.length[position]!) / 4,
      short: Number(places.length[position]! < 8),
      heading: Number(hasCue(cues[position]!, "heading")),
      shared,
      sharedLatest: shared / (1 + places.fromLatest[position]!),
      who: flag("who", "name", position),
      where: flag("where", "place", position),
      howMany: flag("howMany", "number", position),
      when: flag("when", "time", position),
      why: flag("why", "cause", position),
      feel: flag("feel", "feeling", position),
      said: flag("said", "speech", position),
      nextAfter: asksNext ? fits : 0,
      whyAfter: asksWhy ? fits : 0,
      whyBefore: asksWhy ? words(after) : 0,
      meaning: alike(position),
      meaningOfPrevious: alike(before),
      meaningOfNext: alike(after),
      cosine: found.cosines.get(position) ?? 0,
    };
  };
  return (position) => {
    const values = valuesOf(position);
    const features = new Float64Array(FEATURE_NAMES.length);
    for (let i = 0; i < features.length; i++) features[i] = values[FEATURE_NAMES[i]!];
    return features;
  };
}
