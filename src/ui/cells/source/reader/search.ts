/** @file Search in a text that is not in the page: piece by piece, with offsets of the whole text. */

import { useEffect, useState, type RefObject } from "react";
import type { ReadRange } from "./useText.ts";

export interface Hit {
  readonly start: number;
  readonly end: number;
}

export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** Called after every piece that was looked through. */
  readonly onProgress?: (hits: readonly Hit[], searched: number) => void;
  /** Stops after this many hits. */
  readonly limit?: number;
  /** Characters looked through at once. */
  readonly piece?: number;
}

/**
 * All places of `query` in a text of `characters`, letter case aside, white space of the query matching any run of
 * it (a line end too). An empty query has no hits; an aborted search gives what it had.
 */
export async function searchText(
  query: string,
  characters: number,
  read: (start: number, end: number) => Promise<string>,
  options: SearchOptions = {},
): Promise<readonly Hit[]> {
  const { signal, onProgress, limit = MAX_HITS, piece = PIECE } = options;
  const pattern = queryPattern(query);
  if (!pattern) return [];
  const hits: Hit[] = [];
  for (let start = 0; start < characters && hits.length < limit; start += piece) {
    const end = Math.min(characters, start + piece);
    // A hit that begins in this piece may end in the next one; one that begins there is left to it.
    const text = await read(start, Math.min(characters, end + OVERLAP));
    if (signal?.aborted) break;
    collect(pattern, text, start, end, limit, hits);
    onProgress?.(hits, end);
  }
  return hits;
}

function collect(
  pattern: RegExp,
  text: string,
  start: number,
  end: number,
  limit: number,
  hits: Hit[],
): void {
  const past = hits.at(-1)?.end ?? 0;
  pattern.lastIndex = Math.max(0, past - start);
  for (let match = pattern.exec(text); match && hits.length < limit; match = pattern.exec(text)) {
    if (start + match.index >= end) return;
    hits.push({ start: start + match.index, end: start + match.index + match[0].length });
  }
}

/** The query as a pattern; null when it is empty. */
function queryPattern(query: string): RegExp | null {
  const words = query.trim().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return null;
  return new RegExp(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+"), "giu");
}

/** The hit to show first when the eye is at `offset`: the next one, or the first. */
export function nearestHit(hits: readonly Hit[], offset: number): number {
  const next = hits.findIndex(({ start }) => start >= offset);
  return next >= 0 ? next : 0;
}

const PIECE = 262_144;
const OVERLAP = 1_024;
export const MAX_HITS = 5_000;

export interface Search {
  readonly query: string;
  readonly setQuery: (query: string) => void;
  readonly hits: readonly Hit[];
  /** Number of the hit the eye is on; null without hits. */
  readonly current: number | null;
  readonly step: (by: 1 | -1) => void;
  readonly status: "idle" | "searching" | "done" | "failed";
  readonly full: boolean;
}

/** `eye` holds the offset in view, where a search starts. */
export function useSearch(characters: number, readRange: ReadRange, eye: RefObject<number>): Search {
  const [query, setQuery] = useState("");
  const [hits, setHits] = useState<readonly Hit[]>(NO_HITS);
  const [current, setCurrent] = useState<number | null>(null);
  const [status, setStatus] = useState<Search["status"]>("idle");
  useEffect(() => {
    setHits(NO_HITS);
    setCurrent(null);
    setStatus(query.trim() ? "searching" : "idle");
    if (!query.trim()) return;
    const from = eye.current;
    const controller = new AbortController();
    const { signal } = controller;
    const tell = throttled((found: readonly Hit[]) => setHits([...found]));
    const timer = setTimeout(() => {
      searchText(query, characters, readRange, { signal, onProgress: tell }).then(
        (found) => {
          if (signal.aborted) return;
          setHits([...found]);
          setStatus("done");
          setCurrent(found.length > 0 ? nearestHit(found, from) : null);
        },
        () => {
          if (!signal.aborted) setStatus("failed");
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
    // The eye moves all the time; a search starts from where it was.
  }, [query, characters, readRange, eye]);
  return {
    query,
    setQuery,
    hits,
    current,
    step: (by) =>
      setCurrent((now) =>
        now === null ? (hits.length > 0 ? 0 : null) : (now + by + hits.length) % hits.length,
      ),
    status,
    full: hits.length >= MAX_HITS,
  };
}

function throttled<T>(tell: (value: T) => void): (value: T) => void {
  let last = 0;
  return (value) => {
    if (performance.now() - last < 300) return;
    last = performance.now();
    tell(value);
  };
}

const NO_HITS: readonly Hit[] = [];
const TYPING_MS = 180;
