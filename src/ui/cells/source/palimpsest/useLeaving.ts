/** @file Facts that were deleted stay a moment longer, so that it can be seen how they go. */

import { useEffect, useRef, useState } from "react";
import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";

export interface Leaving {
  /** The facts with those that are on their way out. */
  readonly rows: readonly FactRow[];
  readonly leaving: ReadonlySet<FactId>;
}

const NONE: readonly FactRow[] = [];

export function useLeaving(facts: readonly FactRow[]): Leaving {
  const before = useRef(facts);
  const [gone, setGone] = useState<readonly FactRow[]>(NONE);
  useEffect(() => {
    const removed = removedFrom(before.current, facts);
    before.current = facts;
    if (removed.length === 0) return;
    setGone((now) => [...now, ...removed]);
    const timer = setTimeout(
      () => setGone((now) => now.filter((row) => !removed.includes(row))),
      matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : SCRAPE_MS,
    );
    return () => {
      clearTimeout(timer);
      // The next change comes early: what was on its way out is out.
      setGone((now) => now.filter((row) => !removed.includes(row)));
    };
  }, [facts]);
  return withLeaving(facts, gone);
}

/** Facts of `before` that are not in `now`; none when all of them went, for that is another document or a clear. */
export function removedFrom(before: readonly FactRow[], now: readonly FactRow[]): readonly FactRow[] {
  const there = new Set(now.map(({ id }) => id));
  return before.filter(({ id }) => !there.has(id));
}

/** `facts` with `gone` among them; a fact that came back is no longer leaving. */
export function withLeaving(facts: readonly FactRow[], gone: readonly FactRow[]): Leaving {
  const there = new Set(facts.map(({ id }) => id));
  const out = gone.filter(({ id }) => !there.has(id));
  return {
    rows: out.length === 0 ? facts : [...facts, ...out].toSorted((a, b) => a.offset - b.offset),
    leaving: new Set(out.map(({ id }) => id)),
  };
}

const SCRAPE_MS = 1350;
