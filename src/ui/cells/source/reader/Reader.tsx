/** @file The reader: a source text whose sentences are marked by their state, with a search field and an outline. */

import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { MethodParams } from "../../../../records/params.ts";
import type { TextMarks } from "../../../../records/source.ts";
import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { Notice } from "../../../controls/Badge.tsx";
import { useStable } from "../../../controls/useAsync.ts";
import { Block } from "./Block.tsx";
import { FactLine } from "./FactLine.tsx";
import { neighbour } from "./neighbour.ts";
import { blockAt, blockSpan, estimatedLines, type Outline } from "./outline.ts";
import { ALL_REASONS, REASONS, countMarks, type MarkCounts } from "./reasons.ts";
import { firstIndex, type Overlays } from "./runs.ts";
import { Sheet, type Jump } from "./Sheet.tsx";
import { useSearch, type Search } from "./search.ts";
import { useText, type ReadRange } from "./useText.ts";
import { Row, Stack, Text } from "../../../controls/layout.tsx";
import { cx } from "../../../cx.ts";
import { count, counted } from "../../../format.ts";
import { layerColor } from "../../../layerColor.ts";
import { valueText } from "../../../../records/parameterText.ts";
import { IconButton } from "../../../controls/Button.tsx";
import { TextField } from "../../../controls/Field.tsx";
import s from "./Reader.module.css";

export interface ReaderProps {
  readonly title: string;
  readonly characters: number;
  /** Gives characters [start, end); the same function for the same text. */
  readonly readRange: ReadRange;
  /** Null while they are being found. */
  readonly marks: TextMarks | null;
  readonly filter: MethodParams["candidateFilter"];
  /** Facts of this document by offset; empty before memorising. */
  readonly facts: readonly FactRow[];
  /** Where each page starts; empty for formats without pages. */
  readonly pageStarts: readonly number[];
  /** Offset to bring into view; a new object is a new request. */
  readonly target: { readonly offset: number } | null;
  readonly onOpenFact: ((id: FactId) => void) | null;
  /** Called with true when the first of the text is there. */
  readonly onSeen: (seen: boolean) => void;
  /** The text is being thrown away: it fades. */
  readonly fading: boolean;
}

export function Reader(props: ReaderProps) {
  const { title, characters, readRange, marks, facts, pageStarts, onSeen } = props;
  const { window, outline, version, problem } = useText(characters, readRange);
  const seen = outline.starts.length > 0 && version > 0;
  useEffect(() => onSeen(seen), [seen, onSeen]);
  const [shown, setShown] = useState(ALL_REASONS);
  const [picked, setPicked] = useState<FactRow | null>(null);
  const [top, setTop] = useState(0);
  const eye = useRef(0);
  eye.current = outline.starts[top] ?? outline.characters;
  const search = useSearch(characters, readRange, eye);
  const { hits } = search;
  const overlays = useMemo((): Overlays => ({ marks, facts, hits }), [marks, facts, hits]);
  const counts = useMemo(() => (marks ? countMarks(marks) : null), [marks]);
  const { jump, goTo } = useJumps(props, outline, search, setPicked);
  const { count, estimate, keyOf } = useBlocks(outline, characters);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = neighbour(event, facts, picked);
    if (!next) return;
    setPicked(next);
    goTo(next.offset, `[data-anchor="${next.id}"]`, false);
  };
  const draw = (index: number): ReactNode => {
    const { start, end } = blockSpan(outline, index);
    const text = index === outline.starts.length ? null : window.slice(start, end);
    if (text === null) return <div className={s.coming} style={{ height: estimate(index) }} />;
    const look = { shown, picked, hit: search.current, onPick: setPicked };
    return <Block text={text} start={start} overlays={overlays} {...look} />;
  };
  return (
    <Stack gap={2} shrinks>
      <Row wrap align="center" gap="var(--space-2) var(--space-3)">
        <SearchBar search={search} />
        <Text flex="end" tone="soft" size="s" numeric>
          {placeText(eye.current, characters, pageStarts)}
        </Text>
      </Row>
      <Legend
        counts={counts}
        filter={props.filter}
        shown={shown}
        onToggle={(bit) => setShown((now) => now ^ bit)}
        facts={facts}
      />
      {problem && (
        <Notice tone="rubric" role="alert">
          {problem}
        </Notice>
      )}
      <Sheet
        label={`The text of “${title}”${facts.length > 0 ? ". J and K go from anchor to anchor." : ""}`}
        count={count}
        estimate={estimate}
        keyOf={keyOf}
        jump={jump}
        onTop={setTop}
        onKeyDown={onKeyDown}
        className={props.fading ? s.fading : undefined}
      >
        {draw}
      </Sheet>
      <FactLine
        fact={picked}
        hint={facts.length > 0 ? "Pick an anchor to see its fact." : ""}
        onOpen={props.onOpenFact}
      />
    </Stack>
  );
}

/** The scroll target: a requested sentence, a search hit, or the argument of `goTo`. */
function useJumps(
  { target, facts, marks }: ReaderProps,
  outline: Outline,
  { current, hits, query }: Search,
  onPick: (fact: FactRow | null) => void,
) {
  const [jump, setJump] = useState<Jump | null>(null);
  const [wish, setWish] = useState<Wish | null>(null);
  const goTo = (offset: number, selector: string, fromOutside: boolean): void =>
    setWish({ offset, selector, fromOutside });
  useEffect(() => {
    // As soon as the text is outlined up to there.
    if (!wish || outline.characters <= wish.offset) return;
    setJump({ ...wish, index: blockAt(outline.starts, wish.offset) });
    setWish(null);
  }, [wish, outline]);
  const follow = useStable((asked: ReaderProps["target"]) => {
    if (!asked) return;
    onPick(facts.find((fact) => fact.offset === asked.offset) ?? null);
    goTo(asked.offset, `[data-at="${sentenceStart(marks, asked.offset)}"]`, true);
  });
  // Only a new request moves the page.
  useEffect(() => follow(target), [target, follow]);
  const showHit = useStable((number: number | null) => {
    const hit = number === null ? undefined : hits[number];
    if (hit) goTo(hit.start, `[data-hit="${number}"]`, false);
  });
  // The place of a hit does not depend on what else changed.
  useEffect(() => showHit(current), [current, query, showHit]);
  return { jump, goTo };
}

/**
 * The part without an outline yet is one block of about the final height, so that the scroll bar is right from the
 * start.
 */
function useBlocks(outline: Outline, characters: number) {
  const blocks = outline.starts.length;
  const rest = characters - outline.characters;
  const estimate = useCallback(
    (index: number): number => {
      if (index === blocks) return estimatedLines(rest, 0, PER_LINE) * LINE_PX;
      const { start, end } = blockSpan(outline, index);
      return estimatedLines(end - start, outline.breaks[index] ?? 0, PER_LINE) * LINE_PX;
    },
    [outline, blocks, rest],
  );
  const keyOf = useCallback((index: number): number => outline.starts[index] ?? -rest, [outline, rest]);
  return { count: rest > 0 ? blocks + 1 : blocks, estimate, keyOf };
}

/** A scroll target: its offset, and the element at it. */
interface Wish {
  readonly offset: number;
  readonly selector: string;
  readonly fromOutside: boolean;
}

/** Start of the sentence at `offset`; the offset itself if no sentence contains it. */
function sentenceStart(marks: TextMarks | null, offset: number): number {
  if (!marks) return offset;
  const index = marks.starts.findLastIndex((start) => start <= offset);
  return index >= 0 && marks.ends[index]! > offset ? marks.starts[index]! : offset;
}

const LINE_PX = 28;
const PER_LINE = 95;

function Legend({
  counts,
  filter,
  shown,
  onToggle,
  facts,
}: {
  /** Null while the sentences are being found. */
  readonly counts: MarkCounts | null;
  readonly filter: MethodParams["candidateFilter"];
  /** Bits of the reasons that are drawn. */
  readonly shown: number;
  readonly onToggle: (bit: number) => void;
  readonly facts: readonly FactRow[];
}) {
  const layers = [...new Set(facts.map(({ layer }) => layer))].toSorted((a, b) => a - b);
  return (
    <Row
      wrap
      align="baseline"
      gap="var(--space-1) var(--space-2)"
      size="s"
      role="group"
      aria-label="Marks in the text"
    >
      <Text tone="soft">
        {counts
          ? `${count(counts.candidates)} of ${counted(counts.sentences, "sentence")} pass the filter “${valueText("candidateFilter", filter)}”:`
          : "Finding sentences…"}
      </Text>
      {REASONS.map(({ reason, bit, label, example }) => (
        <button
          key={reason}
          type="button"
          className={s.key}
          aria-pressed={Boolean(shown & bit)}
          title={example}
          disabled={counts?.byReason[reason] === 0}
          onClick={() => onToggle(bit)}
        >
          <span className={cx(s.sample, s[reason])}>{label}</span>
          <Text tone="soft" className={cx("num")}>
            {counts ? count(counts.byReason[reason]) : "…"}
          </Text>
        </button>
      ))}
      {layers.length > 0 && (
        <Row as="span" wrap gap="0 0.6rem" flex="end" tone="soft" inline>
          Anchors in{" "}
          {layers.map((layer) => (
            <span key={layer} className={s.layer} style={{ "--layer": layerColor(layer) } as object}>
              layer {layer}
            </span>
          ))}
        </Row>
      )}
    </Row>
  );
}

function SearchBar({ search }: { readonly search: Search }) {
  const { query, setQuery, hits, step } = search;
  const none = hits.length === 0;
  return (
    <Row align="center" gap={1} shrinks className={s.search} role="search">
      <TextField
        label="Search in the text"
        hideLabel
        type="search"
        placeholder="Search in the text"
        value={query}
        onChange={setQuery}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !none) step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape" && query) setQuery("");
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <IconButton icon="up" size="s" label="Previous hit" disabled={none} onClick={() => step(-1)} />
      <IconButton icon="down" size="s" label="Next hit" disabled={none} onClick={() => step(1)} />
      <Text tone="soft" size="s" whiteSpace="nowrap" style={{ minWidth: "6.5rem" }} role="status">
        {foundText(search)}
      </Text>
    </Row>
  );
}

/** The number of hits so far, e.g. "3 of 120 hits". */
function foundText({ status, hits, current, full }: Search): string {
  if (status === "idle") return "";
  if (status === "failed") return "The text could not be read.";
  if (hits.length === 0) return status === "searching" ? "Searching…" : "Not in the text.";
  const all = `${counted(hits.length, "hit")}${full ? " or more" : ""}`;
  return current === null ? `${all}…` : `${count(current + 1)} of ${all}`;
}

/** "page 3 of 12, 34 %"; pages that start at the same offset are empty but for the last. */
export function placeText(offset: number, characters: number, pageStarts: readonly number[]): string {
  const share = `${characters === 0 ? 0 : Math.round((offset / characters) * 100)} %`;
  if (pageStarts.length === 0) return `at ${share} of ${counted(characters, "character")}`;
  const page = Math.max(
    1,
    firstIndex(pageStarts.length, (i) => pageStarts[i]! > offset),
  );
  return `page ${count(page)} of ${count(pageStarts.length)}, ${share}`;
}
