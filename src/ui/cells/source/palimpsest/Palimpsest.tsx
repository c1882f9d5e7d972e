/** @file The palimpsest: a forgotten text drawn as strokes, with the stored sentences readable in their places. */

import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { useStable } from "../../../controls/useAsync.ts";
import { FactLine } from "../reader/FactLine.tsx";
import { Sheet, type Jump } from "../reader/Sheet.tsx";
import { neighbour } from "../reader/neighbour.ts";
import { LeafView, type Arrival } from "./LeafView.tsx";
import { extentOf, leafAt, leavesOf, segmentsOf, type Leaf } from "./segments.ts";
import { Stack, Text } from "../../../controls/layout.tsx";
import { count, counted } from "../../../format.ts";
import s from "./Palimpsest.module.css";

export interface PalimpsestProps {
  readonly title: string;
  /** Length of the text that is gone. */
  readonly characters: number;
  /** The facts of this document, by offset. */
  readonly facts: readonly FactRow[];
  /** The original words of facts that were edited since. */
  readonly changed: ReadonlyMap<FactId, string>;
  /** Offset to bring into view; a new object is a new request. */
  readonly target: { readonly offset: number } | null;
  /** The facts are those of the saved example, and not in this browser's memory yet. */
  readonly saved: boolean;
  /** Opens a fact in the inspector. */
  readonly onOpenFact: ((id: FactId) => void) | null;
}

export function Palimpsest({
  title,
  characters,
  facts,
  changed,
  target,
  saved,
  onOpenFact,
}: PalimpsestProps) {
  const { rows, leaving } = useLeaving(facts);
  const leaves = useMemo(() => leavesOf(segmentsOf(rows, characters, changed)), [rows, characters, changed]);
  const keyOf = useCallback(
    (index: number): number => leaves[index]!.key * 2 + (leaves[index]!.kind === "blank" ? 1 : 0),
    [leaves],
  );
  const [picked, setPicked] = useState<FactRow | null>(null);
  const [jump, setJump] = useState<Jump | null>(null);
  const arrival = useArrival(facts);

  const goTo = (fact: FactRow, fromOutside: boolean): void => {
    setPicked(fact);
    setJump({ index: leafAt(leaves, fact.offset), selector: `[data-at="${fact.offset}"]`, fromOutside });
  };
  const follow = useStable((asked: PalimpsestProps["target"]) => {
    const fact = asked && facts.find((row) => asked.offset < row.offset + extentOf(row));
    if (fact) goTo(fact, true);
  });
  // Only a new request moves the page.
  useEffect(() => follow(target), [target, follow]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = neighbour(event, facts, picked);
    if (next) goTo(next, false);
  };
  return (
    <Stack gap={2} shrinks>
      <Text as="p" measure tone="soft">
        {captionOf(facts, characters, saved, changed)}
      </Text>
      <Sheet
        label={`Stored sentences of “${title}”. J and K go from sentence to sentence.`}
        count={leaves.length}
        estimate={(index) => estimateOf(leaves[index]!)}
        keyOf={keyOf}
        jump={jump}
        onKeyDown={onKeyDown}
        className={s.page}
      >
        {(index) => (
          <LeafView
            leaf={leaves[index]!}
            leaving={leaving}
            changed={changed}
            picked={picked}
            arrival={arrival}
            onPick={setPicked}
          />
        )}
      </Sheet>
      <FactLine
        fact={picked && facts.some(({ id }) => id === picked.id) ? picked : null}
        hint={facts.length > 0 ? "Select a sentence to see its layer." : ""}
        onOpen={onOpenFact}
      />
    </Stack>
  );
}

function useArrival(facts: readonly FactRow[]): Arrival {
  const seen = useRef(new Map<FactId, { at: number; delay: number }>());
  const last = useRef(0);
  useEffect(() => {
    // A fact that was taken away and comes back writes itself in again.
    const there = new Set(facts.map(({ id }) => id));
    for (const id of seen.current.keys()) if (!there.has(id)) seen.current.delete(id);
  }, [facts]);
  return useMemo(
    () => ({
      delayOf(id) {
        const now = performance.now();
        const known = seen.current.get(id);
        if (known) return now - known.at < known.delay + WRITING_MS ? known.delay : null;
        // One after the other like handwriting, but with a limited total time.
        const start = Math.min(Math.max(now, last.current + NEXT_MS), now + LONGEST_WAIT_MS);
        last.current = start;
        seen.current.set(id, { at: now, delay: Math.round(start - now) });
        return Math.round(start - now);
      },
    }),
    [],
  );
}

const estimateOf = (leaf: Leaf): number =>
  leaf.kind === "blank"
    ? leaf.lines * LINE_PX
    : Math.ceil(leaf.segments.reduce((sum, { start, end }) => sum + end - start, 0) / PER_LINE) * LINE_PX;

const LINE_PX = 32;
const PER_LINE = 80;
const NEXT_MS = 140;
const LONGEST_WAIT_MS = 2200;
const WRITING_MS = 1400;

interface Leaving {
  /** The facts with those that are on their way out. */
  readonly rows: readonly FactRow[];
  readonly leaving: ReadonlySet<FactId>;
}

const NONE: readonly FactRow[] = [];

function useLeaving(facts: readonly FactRow[]): Leaving {
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
function removedFrom(before: readonly FactRow[], now: readonly FactRow[]): readonly FactRow[] {
  const there = new Set(now.map(({ id }) => id));
  return before.filter(({ id }) => !there.has(id));
}

/** `facts` with `gone` among them; a fact that came back is no longer leaving. */
function withLeaving(facts: readonly FactRow[], gone: readonly FactRow[]): Leaving {
  const there = new Set(facts.map(({ id }) => id));
  const out = gone.filter(({ id }) => !there.has(id));
  return {
    rows: out.length === 0 ? facts : [...facts, ...out].toSorted((a, b) => a.offset - b.offset),
    leaving: new Set(out.map(({ id }) => id)),
  };
}

const SCRAPE_MS = 1350;

/**
 * `saved`: the facts are those of a saved run, and not in this browser's memory yet. `changed`: those that were given
 * other words than the text had.
 */
export function captionOf(
  facts: readonly FactRow[],
  characters: number,
  saved: boolean,
  changed: ReadonlyMap<FactId, string> = new Map(),
): string {
  if (facts.length === 0)
    return `The text is not stored in this browser, and the memory has no sentence of its ${counted(characters, "character")}.`;
  const says = saved ? "in the saved run the model recalled" : "the model recalls";
  const exact = facts.filter((fact) => fact.exact).length;
  const wordless = facts.every(({ value }) => value === null);
  if (wordless)
    return (
      `The text was deleted, and none of its words are stored. Below is what ${says} from the vectors: ` +
      `${counted(facts.length, "sentence")}, at their places among ${counted(characters, "character")}.`
    );
  const kept = facts.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
  return (
    `The text was deleted. Of its ${counted(characters, "character")} the routing index stores ${count(kept)} as words, ` +
    `${counted(facts.length, "sentence")}; ${says} ${saidExactly(exact, facts.length)} word for word from its vectors. ` +
    (changed.size === 0
      ? ""
      : `${counted(changed.size, "of them was edited and differs", "of them were edited and differ")} from the text. `) +
    `Set the index to “wordless” before memorising to store no words.`
  );
}

function saidExactly(exact: number, all: number): string {
  if (exact === all) return all === 1 ? "it" : "each of them";
  return all === 1 ? "it, but not" : exact === 0 ? "none of them" : `${count(exact)} of them`;
}
