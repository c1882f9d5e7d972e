/** @file Search in a text, and the hit that is in view. */

import { useEffect, useState, type RefObject } from "react";
import { literal } from "../../../../lib/words.ts";

export interface Hit {
  readonly start: number;
  readonly end: number;
}

export const MAX_HITS = 5_000;

/**
 * All places of `query` in `text`, up to a limit. Letter case does not matter; white space of the query matches any run
 * of white space, line ends too. An empty query has no hits.
 */
export function searchText(query: string, text: string, limit = MAX_HITS): readonly Hit[] {
  const words = query.trim().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return [];
  const escaped = words.map(literal);
  const hits: Hit[] = [];
  for (const { index, 0: match } of text.matchAll(new RegExp(escaped.join("\\s+"), "giu"))) {
    hits.push({ start: index, end: index + match.length });
    if (hits.length === limit) break;
  }
  return hits;
}

/** The hit to show first when `offset` is in view: the next one, or the first. */
export function nearestHit(hits: readonly Hit[], offset: number): number {
  const next = hits.findIndex(({ start }) => start >= offset);
  return Math.max(0, next);
}

export type Search = ReturnType<typeof useSearch>;

/** @param eye the offset in view, where a search starts */
export function useSearch(text: string, eye: RefObject<number>) {
  const [query, setQuery] = useState("");
  const [hits, setHits] = useState<readonly Hit[] | null>(null);
  const [current, setCurrent] = useState(0);
  useEffect(() => {
    setHits(null);
    if (!query.trim()) return;
    const timer = setTimeout(() => {
      const found = searchText(query, text);
      setHits(found);
      setCurrent(nearestHit(found, eye.current));
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [query, text, eye]);
  return {
    query,
    setQuery,
    hits,
    current,
    step: (by: 1 | -1) => hits && setCurrent((current + by + hits.length) % hits.length),
  };
}

const TYPING_MS = 180;
