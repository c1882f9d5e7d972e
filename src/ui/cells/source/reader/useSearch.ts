/** @file The search of a reader: a query, its hits as they are found, and which of them the eye is on. */

import { useEffect, useState, type RefObject } from "react";
import type { ReadRange } from "./useText.ts";
import { MAX_HITS, nearestHit, searchText, type Hit } from "./search.ts";

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

/** `eye` holds the offset of what is in view: a search starts from there. */
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
