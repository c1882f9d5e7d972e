/** @file The searchable form of the routing documents. It is built in memory from the documents and never stored. */

import { contentTerms, mentionTerms } from "../lib/terms.ts";
import { isStopWord, tokens, type Token } from "../lib/tokens.ts";
import type { RoutingDocument, RoutingFact } from "../records/memory.ts";
import { groupBy } from "../lib/group.ts";
import { documentOf, offsetOf } from "../records/ids.ts";
import { hashScheme, laterIndex, type LexicalIndex } from "./lexical.ts";
import { hasCue } from "./cues.ts";
import { factCues, factMeaning, factTerms, termHasher, termHashes } from "./termHashes.ts";

interface IndexedFact {
  readonly fact: RoutingFact;
  readonly owner: number;
}

export interface FactPlaces {
  /** Position of the fact before and after it in its source; -1 at the ends. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
  /** Position of the heading above it; -1 if it has none. */
  readonly heading: Int32Array;
  readonly fromLatest: Uint32Array;
  readonly cues: Uint32Array;
  readonly length: Uint32Array;
}

export interface RouterIndex {
  readonly documents: readonly RoutingDocument[];
  readonly facts: readonly IndexedFact[];
  readonly byDocument: () => LexicalIndex;
  readonly byFact: () => LexicalIndex<"value" | "questions">;
  readonly places: () => FactPlaces;
  /** Builds the word indexes while other work continues. Without it the first question waits for them. */
  prepare(): Promise<void>;
  factsOf(document: number): readonly number[];
  /** Positions of the documents whose anchor occurs verbatim in the text, as whole words in any case. */
  verbatim(text: string): ReadonlySet<number>;
  /** Positions of the facts whose value has a word or its stem, ascending; none for a stop word. */
  holding(word: string): readonly number[];
  storedWith(word: string): number;
  /** Words of nearly the same meaning; none before {@link prepare}. */
  near(word: string): readonly string[];
  /** Cosine of the question's meaning and that of each fact, by position; none before {@link prepare}, or without meanings. */
  alike(question: string): Float32Array;
  /** Positions of the facts whose value has every word of the anchor of one of `documents`. */
  mentioning(documents: ReadonlySet<number>): ReadonlySet<number>;
}

/** @param salts of the memory's hashes */
export function buildIndex(documents: readonly RoutingDocument[], salts: readonly string[]): RouterIndex {
  const facts = documents.flatMap((document, owner) => document.facts.map((fact) => ({ fact, owner })));
  const hashers = salts.map(termHasher);
  const scheme = hashScheme(hashers);
  const documentTerms = ({ anchor, facts: own }: RoutingDocument): string =>
    [
      ...hashers.flatMap((hasher) => termHashes(anchor, hasher)),
      ...own.flatMap((fact) => Object.values(factTerms(fact))),
    ].join(" ");
  const byDocument = laterIndex(
    () => documents.map((document) => ({ text: documentTerms(document) })),
    ["text"],
    scheme,
  );
  const byFact = laterIndex(() => facts.map(({ fact }) => factTerms(fact)), ["value", "questions"], scheme);
  const holding = (word: string): readonly number[] =>
    byFact.get().having(contentTerms(word), "any", "value");
  const owned = groupBy(facts.keys(), (position) => facts[position]!.owner);
  const lengthOf = (fact: RoutingFact): number => {
    const { value } = factTerms(fact);
    return value === "" ? 0 : scheme.tokenize(value).length;
  };
  const places = onFirstUse(() => placesOf(facts, lengthOf));
  let nearWords: ((word: string) => readonly string[]) | undefined;
  let alike = (_: string): Float32Array => new Float32Array(facts.length);
  let compared: Promise<void> | undefined;
  const compareMeanings = async (): Promise<void> => {
    const meanings = facts.map(({ fact }) => factMeaning(fact));
    if (meanings.every((one) => one === "")) return;
    const { alikeTo } = await import("./meaning.ts");
    alike = alikeTo(meanings);
  };
  return {
    documents,
    facts,
    byDocument: byDocument.get,
    byFact: byFact.get,
    near: (word) => nearWords?.(word) ?? [],
    alike: (question) => alike(question),
    async prepare() {
      await byFact.prepare();
      await byDocument.prepare();
      ({ nearWords } = await import("./nearWords.ts"));
      await (compared ??= compareMeanings());
    },
    holding,
    places,
    factsOf: (document) => owned.get(document) ?? [],
    verbatim: verbatimFinder(documents.map(({ anchor }) => anchor)),
    storedWith: (word) => holding(word).length,
    mentioning(wanted) {
      const names = [...wanted].map((id) => mentionTerms(anchorWords(documents[id]!.anchor)));
      return new Set(names.flatMap((terms) => byFact.get().having(terms, "all", "value")));
    },
  };
}

/** Facts that a heading is read with, at most: a chapter has too many. */
const UNDER_HEADING = 20;

function placesOf(facts: readonly IndexedFact[], lengthOf: (fact: RoutingFact) => number): FactPlaces {
  const places: FactPlaces = {
    previous: new Int32Array(facts.length).fill(-1),
    next: new Int32Array(facts.length).fill(-1),
    heading: new Int32Array(facts.length).fill(-1),
    fromLatest: new Uint32Array(facts.length),
    cues: new Uint32Array(facts.length),
    length: new Uint32Array(facts.length),
  };
  for (const positions of groupBy(facts.keys(), (i) => documentOf(facts[i]!.fact.id)).values()) {
    const ordered = positions.sort((a, b) => offsetOf(facts[a]!.fact.id) - offsetOf(facts[b]!.fact.id));
    let heading = { at: -1, until: 0 };
    ordered.forEach((position, i) => {
      if (i < heading.until) places.heading[position] = heading.at;
      if (hasCue(factCues(facts[position]!.fact), "heading"))
        heading = { at: position, until: i + 1 + UNDER_HEADING };
      places.previous[position] = ordered[i - 1] ?? -1;
      places.next[position] = ordered[i + 1] ?? -1;
    });
  }
  for (let i = facts.length - 1; i >= 0; i--) {
    const { fact, owner } = facts[i]!;
    places.fromLatest[i] = facts[i + 1]?.owner === owner ? places.fromLatest[i + 1]! + 1 : 0;
    places.cues[i] = factCues(fact);
    places.length[i] = lengthOf(fact);
  }
  return places;
}

function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function verbatimFinder(anchors: readonly string[]): (text: string) => ReadonlySet<number> {
  const named = anchors.map((anchor, id) => ({ id, words: anchorWords(anchor) }));
  const byFirstWord = groupBy(named, ({ words }) => words[0]);
  return (text) => {
    const read = tokens(text);
    const found = new Set<number>();
    read.forEach(({ word }, at) => {
      for (const { id, words } of byFirstWord.get(word) ?? []) if (occursAt(read, at, words)) found.add(id);
    });
    return found;
  };
}

function anchorWords(anchor: string): string[] {
  const words = tokens(anchor).map(({ word }) => word);
  return words.length > 1 && /^(?:the|an?)$/.test(words[0]!) ? words.slice(1) : words;
}

/** An anchor of stop words ("May", "It") must be written as a name, and not open the line. */
function occursAt(read: readonly Token[], at: number, words: readonly string[]): boolean {
  if (!words.every((word, i) => read[at + i]?.word === word)) return false;
  return !words.every(isStopWord) || read[at]!.named;
}
