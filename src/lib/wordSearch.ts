import MiniSearch from "minisearch";
import { plainTerms } from "./terms.ts";

export type WordSearch = (query: string) => ReadonlySet<number>;

/** Letter case and accents do not count. A query without words finds every text. */
export function wordSearch(texts: readonly string[]): WordSearch {
  const index = new MiniSearch<{ readonly id: number; readonly text: string }>({
    fields: ["text"],
    tokenize: plainTerms,
    processTerm: (term) => term,
    searchOptions: { prefix: true, combineWith: "AND" },
  });
  index.addAll(texts.map((text, id) => ({ id, text })));
  return (query) => {
    const found = index.search(plainTerms(query).length > 0 ? query : MiniSearch.wildcard);
    return new Set(found.map(({ id }) => id as number));
  };
}
