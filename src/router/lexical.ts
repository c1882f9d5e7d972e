/** @file Word search by MiniSearch over words, stems or their salted hashes, by BM25+ or inverse document frequency alone. */

import MiniSearch from "minisearch";
import { indexTerms, indexWords, plainTerms, questionTerms } from "../lib/terms.ts";
import type { MethodParams } from "../records/params.ts";
import { rankByScore, type Ranked } from "./fuse.ts";

type Weights = MethodParams["lexical"];

interface TermScheme {
  tokenize(text: string): string[];
  /** A term of a question as it is looked up: unchanged, or hashed with each salt of a memory. */
  readonly keys: readonly ((term: string) => string)[];
}

export const hashScheme = (keys: TermScheme["keys"]): TermScheme => ({ tokenize: atSpaces, keys });

function wordScheme(): TermScheme {
  const known = new Map<string, string[]>();
  const termsOf = (word: string): string[] => {
    const terms = known.get(word) ?? indexTerms(word);
    known.set(word, terms);
    return terms;
  };
  return { tokenize: (text) => indexWords(text).flatMap(termsOf), keys: [(term) => term] };
}

export interface LexicalIndex<Field extends string = string> {
  /** Ranks the texts that share a term with the question in `fields` (all by default), by position, best first. */
  rank(question: string, weights: Weights, fields?: readonly Field[]): ReadonlyMap<number, Ranked>;
  /** Positions, ascending, of the texts with any or with every one of `terms` in `field`. */
  having(terms: readonly string[], match: "any" | "all", field: Field): readonly number[];
}

type Text<Field extends string> = Readonly<Record<Field, string>>;

/** An index that `prepare` builds in pieces, so that other work continues (50,000 facts take seconds); otherwise its first use does. */
export function laterIndex<Field extends string>(
  texts: () => readonly Text<Field>[],
  fields: readonly Field[],
  scheme?: TermScheme,
) {
  let made: LexicalIndex<Field> | undefined;
  let preparing: Promise<void> | undefined;
  const prepared = async (): Promise<void> => {
    const { index, search } = emptyIndex<Field>(fields, scheme);
    await index.addAllAsync(numbered(texts()), { chunkSize: PIECE });
    made ??= search;
  };
  return {
    get: () => (made ??= lexicalIndex(texts(), fields, scheme)),
    prepare: () => (preparing ??= made ? Promise.resolve() : prepared()),
  };
}

export function lexicalIndex<Field extends string>(
  texts: readonly Text<Field>[],
  fields: readonly Field[],
  scheme?: TermScheme,
): LexicalIndex<Field> {
  const { index, search } = emptyIndex<Field>(fields, scheme);
  index.addAll(numbered(texts));
  return search;
}

const numbered = <Field extends string>(texts: readonly Text<Field>[]) =>
  texts.map((text, id) => ({ id, ...text }));

function emptyIndex<Field extends string>(
  fields: readonly Field[],
  { tokenize, keys }: TermScheme = wordScheme(),
) {
  const index = new MiniSearch<{ id: number } & Text<Field>>({
    fields: [...fields],
    tokenize,
    processTerm: (term) => term,
    searchOptions: { processTerm: (term) => keys.map((key) => key(term)) },
  });
  const search: LexicalIndex<Field> = {
    rank(question, weights, only = fields) {
      const found = index.search(question, { ...SEARCH[weights], fields: [...only] });
      // MiniSearch multiplies a score by the number of the question's terms that match. The paper's weights do not.
      const times = (terms: readonly string[]): number => (weights === "idf" ? 1 / terms.length : 1);
      return rankByScore(
        found.map(({ id, score, queryTerms }) => ({ id: id as number, score: score * times(queryTerms) })),
      );
    },
    having(terms, match, field) {
      if (terms.length === 0) return [];
      const combineWith = match === "all" ? "AND" : "OR";
      // One salt after another: no text has hashes of two.
      const found = keys.flatMap((processTerm) =>
        index.search(terms.join(" "), { fields: [field], combineWith, tokenize: atSpaces, processTerm }),
      );
      return found.map(({ id }) => id as number).sort((a, b) => a - b);
    },
  };
  return { index, search };
}

/** Texts that are indexed at a time, in some 50 ms. */
const PIECE = 1000;

const atSpaces = (terms: string): string[] => terms.split(" ");

/** BM25+ with MiniSearch's constants (k 1.2, b 0.7, d 0.5), and the inverse document frequency that is left without them. */
const SEARCH = {
  bm25: { tokenize: questionTerms },
  idf: { tokenize: plainTerms, bm25: { k: 0, b: 0, d: 0 } },
} as const;
