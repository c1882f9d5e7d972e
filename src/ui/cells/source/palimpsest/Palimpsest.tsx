/** @file The palimpsest: a forgotten text drawn as strokes, with the stored sentences readable in their places. */

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { Stack, Text, cx } from "../../../controls/basics.tsx";
import { isStill } from "../../../controls/page.ts";
import { count, counted } from "../../../format.ts";
import { Sheet, useTarget, type Jump, type Target } from "../reader/Sheet.tsx";
import { useApp } from "../../../app.tsx";
import { ReadBack, useSaid } from "../../../facts/Recalled.tsx";
import { layerColor } from "../../../charts/kit/scale.ts";
import { keyText } from "../../../../records/fact.ts";
import {
  LONGEST_MARK,
  factAt,
  leafAt,
  leavesOf,
  segmentsOf,
  type Gap,
  type Leaf,
  type Recalled,
  type Segment,
} from "./leaves.ts";
import s from "./Palimpsest.module.css";

export interface PalimpsestProps {
  readonly title: string;
  readonly characters: number;
  readonly facts: readonly FactRow[];
  /** The original words of facts that were edited since. */
  readonly changed: ReadonlyMap<FactId, string>;
  readonly target: Target;
  /** The facts are those of the saved example, and not in this browser's memory yet. */
  readonly saved: boolean;
  readonly onOpenFact: (id: FactId) => void;
}

export function Palimpsest(props: PalimpsestProps) {
  const { title, characters, facts, changed, target, saved, onOpenFact } = props;
  const { rows, leaving } = useLeaving(facts);
  const said = useApp(({ memory }) => memory.said);
  const leaves = useMemo(
    () => leavesOf(segmentsOf(rows, characters, new Map([...said, ...changed]))),
    [rows, characters, said, changed],
  );
  const keyOf = useCallback(
    (index: number): number => leaves[index]!.key * 2 + (leaves[index]!.kind === "blank" ? 1 : 0),
    [leaves],
  );
  const [picked, setPicked] = useState<FactRow | null>(null);
  const [jump, setJump] = useState<Jump | null>(null);
  const arrival = useArrival(facts);
  const goTo = (fact: FactRow, fromOutside = false): void => {
    setPicked(fact);
    setJump({ index: leafAt(leaves, fact.offset), selector: `[data-at="${fact.offset}"]`, fromOutside });
  };
  useTarget(target, (offset) => {
    const fact = factAt(facts, offset);
    if (fact) goTo(fact, true);
  });
  return (
    <Stack gap={2} shrinks>
      <Text as="p" measure tone="soft">
        {captionOf(facts, characters, saved, changed)} <ReadBack rows={facts} />
      </Text>
      <Sheet
        label={`Stored sentences of “${title}”. J and K go from sentence to sentence.`}
        count={leaves.length}
        estimate={(index) => estimateOf(leaves[index]!)}
        {...{ keyOf, jump, facts, onOpenFact }}
        picked={picked && facts.some(({ id }) => id === picked.id) ? picked : null}
        onStep={goTo}
        hint={facts.length > 0 ? "Select a sentence to see its layer." : ""}
        className={s.page}
      >
        {(index) => (
          <LeafView leaf={leaves[index]!} {...{ leaving, changed, picked, arrival }} onPick={setPicked} />
        )}
      </Sheet>
    </Stack>
  );
}

function useArrival(facts: readonly FactRow[]): LeafLook["arrival"] {
  const seen = useRef(new Map<FactId, { at: number; delay: number }>());
  const last = useRef(0);
  useEffect(() => {
    // A fact that was taken away and comes back writes itself in again.
    const there = new Set(facts.map(({ id }) => id));
    for (const id of seen.current.keys()) if (!there.has(id)) seen.current.delete(id);
  }, [facts]);
  return useCallback((id) => {
    const now = performance.now();
    const known = seen.current.get(id);
    if (known) return now - known.at < known.delay + WRITING_MS ? known.delay : null;
    // One after the other like handwriting, but with a limited total time.
    const start = Math.min(Math.max(now, last.current + NEXT_MS), now + LONGEST_WAIT_MS);
    const delay = Math.round(start - now);
    last.current = start;
    seen.current.set(id, { at: now, delay });
    return delay;
  }, []);
}

const estimateOf = (leaf: Leaf): number =>
  leaf.kind === "blank"
    ? leaf.lines * LINE_PX
    : Math.ceil(leaf.segments.reduce((sum, one) => sum + widthOf(one), 0) / PER_LINE) * LINE_PX;

/** A line that ends early is half full on average. */
const widthOf = (segment: Segment): number =>
  segment.kind === "gap" && segment.newLine ? PER_LINE / 2 : segment.end - segment.start;

const LINE_PX = 32;
const PER_LINE = 80;
const NEXT_MS = 140;
const LONGEST_WAIT_MS = 2200;
const WRITING_MS = 1400;

function useLeaving(facts: readonly FactRow[]) {
  const before = useRef(facts);
  const [gone, setGone] = useState<readonly FactRow[]>([]);
  const present = useMemo(() => new Set(facts.map(({ id }) => id)), [facts]);
  useEffect(() => {
    const removed = before.current.filter(({ id }) => !present.has(id));
    before.current = facts;
    if (removed.length === 0) return;
    const drop = (): void => setGone((now) => now.filter((row) => !removed.includes(row)));
    setGone((now) => [...now, ...removed]);
    const timer = setTimeout(drop, isStill() ? 0 : SCRAPE_MS);
    return () => {
      clearTimeout(timer);
      // The next change comes early: facts on their way out are removed now.
      drop();
    };
  }, [facts, present]);
  const out = gone.filter(({ id }) => !present.has(id));
  return {
    rows: out.length === 0 ? facts : [...facts, ...out].toSorted((a, b) => a.offset - b.offset),
    leaving: new Set(out.map(({ id }) => id)),
  };
}

const SCRAPE_MS = 1350;

export function captionOf(
  facts: readonly FactRow[],
  characters: number,
  saved: boolean,
  changed: ReadonlyMap<FactId, string> = new Map(),
): string {
  if (facts.length === 0)
    return `The text is not stored in this browser, and the memory has no sentence of its ${counted(characters, "character")}.`;
  const says = saved ? "the model recalled in the saved run" : "the model recalls";
  const exact = facts.filter((fact) => fact.exact).length;
  return (
    `The text was deleted, and no sentence is stored. Below is what ${says} from vectors: ` +
    `${counted(facts.length, "sentence")} at their places among ${counted(characters, "character")}, ` +
    `${saidExactly(exact, facts.length)} word for word.` +
    (changed.size === 0
      ? ""
      : ` ${counted(changed.size, "of them was edited and differs", "of them were edited and differ")} from the text.`)
  );
}

function saidExactly(exact: number, all: number): string {
  if (exact === all) return all === 1 ? "and it is" : "each of them";
  return exact === 0 ? (all === 1 ? "but not" : "none of them") : `${count(exact)} of them`;
}

interface LeafLook {
  readonly leaving: ReadonlySet<FactId>;
  readonly changed: ReadonlyMap<FactId, string>;
  readonly picked: FactRow | null;
  /** Milliseconds until a fact writes itself in when it is first drawn; null when it was there before. */
  readonly arrival: (id: FactId) => number | null;
  readonly onPick: (fact: FactRow) => void;
}

export function LeafView({ leaf, ...look }: LeafLook & { readonly leaf: Leaf }) {
  if (leaf.kind === "blank") {
    const { start, end, lines } = leaf;
    return (
      <div className={s.blank} style={{ "--lines": lines } as object}>
        <span className={s.ghost} aria-hidden="true" data-strokes={strokes(start, lines * FULL_LINE)} />
        <Stack as="span" tone="soft" className={s.length}>
          {counted(end - start, "character")} forgotten
        </Stack>
      </div>
    );
  }
  return (
    <p className={s.flow}>
      {leaf.segments.map((segment) =>
        segment.kind === "gap" ? (
          <Lost key={segment.start} gap={segment} />
        ) : (
          <Sentence key={segment.row.id} segment={segment} {...look} />
        ),
      )}
    </p>
  );
}

/** A gap within a line, as long as the lost text; a few characters were white space, or the mark of a reference or an item. */
function Lost({ gap }: { readonly gap: Gap }) {
  const length = gap.end - gap.start;
  const line = gap.newLine && <br />;
  if (length <= LONGEST_MARK) return line || " ";
  return (
    <>
      {gap.start > 0 && line}
      <span className="visually-hidden"> ({counted(length, "character")} forgotten) </span>
      <span className={s.ghost} aria-hidden="true" data-strokes={` ${strokes(gap.start, length - 2)} `} />
      {line}
    </>
  );
}

interface SentenceProps extends LeafLook {
  readonly segment: Recalled;
}

function Sentence(props: SentenceProps) {
  const { row, start, end } = props.segment;
  const words = useSaid(row.id);
  if (words !== null) return <Written {...props} words={words} />;
  return (
    <span data-at={row.offset} data-fact={row.id} onClick={() => props.onPick(row)}>
      <span className="visually-hidden">{keyText(row)} is not read back yet. </span>
      <span className={s.ghost} aria-hidden="true" data-strokes={`${strokes(start, end - start)} `} />
    </span>
  );
}

function Written({
  segment: { row },
  leaving,
  changed,
  picked,
  arrival,
  onPick,
  words,
}: SentenceProps & { readonly words: string }) {
  // Asked once: the pen writes a sentence when it is first drawn.
  const [delay, setDelay] = useState(() => arrival(row.id));
  const gone = leaving.has(row.id);
  return (
    <span
      className={cx(
        s.sentence,
        !row.exact && s.inexact,
        changed.has(row.id) && s.changed,
        gone ? s.scraped : delay !== null && s.writing,
        picked?.id === row.id && s.picked,
      )}
      style={{ "--layer": layerColor(row.layer), "--delay": `${delay ?? 0}ms` } as object}
      data-at={row.offset}
      data-fact={row.id}
      {...(gone ? { "aria-hidden": true } : {})}
      // The mask would continue to clip the content below the words.
      onAnimationEnd={() => setDelay(null)}
      onClick={() => onPick(row)}
    >
      <Words words={words} anchor={row.anchor} />
      {changed.has(row.id) && (
        <Text tone="soft" font="sans" size="s" className={s.note}>
          changed by hand
        </Text>
      )}
    </span>
  );
}

function Words({ words, anchor }: { readonly words: string; readonly anchor: string }) {
  const at = words.toLowerCase().indexOf(anchor.toLowerCase());
  if (at < 0) return words;
  return (
    <>
      {words.slice(0, at)}
      <Text weight="bold" style={{ color: "color-mix(in oklab, var(--layer) 72%, var(--ink))" }}>
        {words.slice(at, at + anchor.length)}
      </Text>
      {words.slice(at + anchor.length)}
    </>
  );
}

/** More strokes than a line of the widest page holds; what is over is clipped. */
const FULL_LINE = 110;

/** `length` characters of strokes in words, the same for the same seed. */
export function strokes(seed: number, length: number): string {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let text = "";
  while (text.length < length) {
    for (let left = 2 + next(3) + next(5); left > 0; left--) text += MINIMS[next(MINIMS.length)];
    text += " ";
  }
  return text.slice(0, length);
}

/** Of the shipped fonts’ first files, and without vowels, so that they make no word. */
const MINIMS = ["r", "r", "n", "v", "m", "j", "l", "r"] as const;
