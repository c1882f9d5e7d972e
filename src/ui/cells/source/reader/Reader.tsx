/** @file The reader: a source text with its candidates and anchors marked, and a search in it. */

import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  memo,
  type RefObject,
} from "react";
import type { FactRow } from "../../../../records/notebook.ts";
import { valueText } from "../../../../records/parameterText.ts";
import type { TextMarks } from "../../../../records/source.ts";
import { IconButton, Row, Stack, Text, cx } from "../../../controls/basics.tsx";
import { TextField } from "../../../controls/Field.tsx";
import { useAsync, useStable } from "../../../controls/useAsync.tsx";
import { count, counted } from "../../../format.ts";
import { layerColor } from "../../../charts/kit/scale.ts";
import {
  ALL_REASONS,
  REASONS,
  countMarks,
  type Filter,
  reasonWords,
  strokeOf,
  paragraphsOf,
  type Overlays,
  type TextRun,
  type Hit,
} from "./runs.ts";
import type { PalimpsestProps } from "../palimpsest/Palimpsest.tsx";
import { Sheet, useTarget, type Jump } from "./Sheet.tsx";
import { keyText } from "../../../../records/fact.ts";
import { literal } from "../../../../lib/words.ts";
import s from "./Reader.module.css";

interface ReaderProps extends Pick<PalimpsestProps, "title" | "target" | "onOpenFact"> {
  readonly text: string;
  readonly marks: TextMarks | null;
  readonly filter: Filter;
  /** Facts of this document by offset; empty before memorising. */
  readonly facts: readonly FactRow[];
  readonly pageStarts: readonly number[];
  readonly fading: boolean;
}

export function Reader(props: ReaderProps) {
  const { title, text, marks, facts, filter, pageStarts, target, onOpenFact } = props;
  const blocks = useMemo(() => blocksOf(text), [text]);
  const [shown, setShown] = useState(ALL_REASONS);
  const [picked, setPicked] = useState<FactRow | null>(null);
  const [jump, setJump] = useState<Jump | null>(null);
  const [top, setTop] = useState(0);
  const eye = useRef(0);
  eye.current = blocks[top]?.start ?? text.length;
  const search = useSearch(text, eye);
  const { hits, current } = search;
  const overlays = useMemo(() => ({ marks, facts, hits: hits ?? [] }), [marks, facts, hits]);
  const goTo = (offset: number, selector: string, fromOutside = false): void =>
    setJump({ index: blockAt(blocks, offset), selector, fromOutside });
  useTarget(target, (offset) => {
    setPicked(facts.find((fact) => fact.offset === offset) ?? null);
    goTo(offset, `[data-at="${sentenceStart(marks, offset)}"]`, true);
  });
  const showHit = useStable(() => {
    const hit = hits?.[current];
    if (hit) goTo(hit.start, `[data-hit="${current}"]`);
  });
  // The place of a hit does not depend on what else changed.
  useEffect(() => showHit(), [hits, current, showHit]);
  const keyOf = useCallback((index: number) => blocks[index]!.start, [blocks]);
  const draw = (index: number): ReactNode => {
    const { start, end } = blocks[index]!;
    const look = { shown, picked, hit: current, onPick: setPicked };
    return <Block text={text.slice(start, end)} start={start} overlays={overlays} {...look} />;
  };
  return (
    <Stack gap={2} shrinks>
      <Row wrap align="center" gap="var(--space-2) var(--space-3)">
        <SearchBar search={search} />
        <Text flex="end" tone="soft" size="s" numeric>
          {placeText(eye.current, text.length, pageStarts)}
        </Text>
      </Row>
      <Legend {...{ marks, filter, shown, facts }} onToggle={(bit) => setShown((before) => before ^ bit)} />
      <Sheet
        label={`The text of “${title}”${facts.length > 0 ? ". J and K go from anchor to anchor." : ""}`}
        count={blocks.length}
        estimate={(index) => {
          const { start, end, breaks } = blocks[index]!;
          return Math.max(1, Math.ceil((end - start) / PER_LINE), breaks) * LINE_PX;
        }}
        {...{ keyOf, jump, facts, picked, onOpenFact }}
        onTop={setTop}
        onStep={(next) => {
          setPicked(next);
          goTo(next.offset, `[data-anchor="${next.id}"]`);
        }}
        hint={facts.length > 0 ? "Pick an anchor to see its fact." : ""}
        className={props.fading ? s.fading : undefined}
      >
        {draw}
      </Sheet>
    </Stack>
  );
}

function sentenceStart(marks: TextMarks | null, offset: number): number {
  if (!marks) return offset;
  const index = marks.starts.findLastIndex((start) => start <= offset);
  return index >= 0 && marks.ends[index]! > offset ? marks.starts[index]! : offset;
}

const LINE_PX = 28;
const PER_LINE = 95;

interface LegendProps extends Pick<ReaderProps, "marks" | "filter" | "facts"> {
  readonly shown: number;
  readonly onToggle: (bit: number) => void;
}

function Legend({ marks, filter, shown, onToggle, facts }: LegendProps) {
  const counts = useMemo(() => marks && countMarks(marks), [marks]);
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
          <Text tone="soft" className="num">
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
  const none = !hits || hits.length === 0;
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

function foundText({ query, hits, current }: Search): string {
  if (!query.trim()) return "";
  if (!hits) return "Searching…";
  if (hits.length === 0) return "Not in the text.";
  const more = hits.length === MAX_HITS ? " or more" : "";
  return `${count(current + 1)} of ${counted(hits.length, "hit")}${more}`;
}

/** "page 3 of 12, 34 %"; pages that start at the same offset are empty but for the last. */
export function placeText(offset: number, characters: number, pageStarts: readonly number[]): string {
  const share = `${characters === 0 ? 0 : Math.round((offset / characters) * 100)} %`;
  if (pageStarts.length === 0) return `at ${share} of ${counted(characters, "character")}`;
  const page = pageStarts.findLastIndex((start) => start <= offset) + 1;
  return `page ${count(Math.max(1, page))} of ${count(pageStarts.length)}, ${share}`;
}

interface Look {
  readonly shown: number;
  readonly hit: number;
  readonly picked: FactRow | null;
  readonly onPick: (fact: FactRow) => void;
}

const Block = memo(function Block(
  props: Look & Readonly<{ text: string; start: number; overlays: Overlays }>,
) {
  const { text, start, overlays, ...look } = props;
  const paragraphs = paragraphsOf(text, start, overlays);
  return paragraphs.map((paragraph, i) => (
    <p
      key={paragraph.start}
      className={cx(
        s.paragraph,
        paragraph.wrapped && s.wrapped,
        i === paragraphs.length - 1 && !text.endsWith("\n") && s.unfinished,
      )}
    >
      {paragraph.runs.map((run) => (
        <RunSpan key={run.start} run={run} {...look} />
      ))}
    </p>
  ));
});

function RunSpan({ run, shown, hit, picked, onPick }: Look & { readonly run: TextRun }) {
  const { anchorOf: fact, kinds, opens, start, text } = run;
  const stroke = strokeOf(kinds, shown);
  const isHit = run.hit !== null;
  const look = cx(stroke && s[stroke], isHit && s.hit, isHit && run.hit === hit && s.current);
  if (!fact && !look && !opens) return text;
  return (
    <span
      className={cx(fact && s.anchor, look, fact && picked?.id === fact.id && s.picked) || undefined}
      {...(opens && { "data-at": start })}
      {...(isHit && { "data-hit": run.hit })}
      {...(fact && {
        style: { "--layer": layerColor(fact.layer) } as object,
        title: `${keyText(fact)}, layer ${fact.layer}${kinds ? `; ${reasonWords(kinds)}` : ""}`,
        "data-anchor": fact.id,
        onClick: () => onPick(fact),
      })}
    >
      {text}
    </span>
  );
}

interface TextBlock extends Hit {
  readonly breaks: number;
}

export function blocksOf(text: string): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  for (let start = 0; start < text.length; start = blocks.at(-1)!.end) {
    const end = start + firstLength(text.slice(start, start + LONGEST));
    blocks.push({ start, end, breaks: text.slice(start, end).split("\n").length - 1 });
  }
  return blocks;
}

export function blockAt(blocks: readonly TextBlock[], offset: number): number {
  const at = blocks.findLastIndex(({ start }) => start <= offset);
  return Math.max(0, at);
}

/** Length of the first block of `window`: up to a blank line, otherwise a line end, otherwise a space. */
function firstLength(window: string): number {
  PARAGRAPH.lastIndex = TARGET;
  if (window.length <= TARGET) return window.length;
  if (PARAGRAPH.test(window)) return PARAGRAPH.lastIndex;
  const line = window.indexOf("\n", 2 * TARGET);
  if (line >= 0) return line + 1;
  // A single remaining paragraph: cutting before its last word would create a separate paragraph.
  if (window.length < LONGEST) return window.length;
  const space = window.lastIndexOf(" ");
  if (space >= TARGET) return space + 1;
  // Not within a surrogate pair.
  return /[\ud800-\udbff]$/.test(window) ? LONGEST - 1 : LONGEST;
}

const TARGET = 900;
const LONGEST = 3 * TARGET;
const PARAGRAPH = /\n[ \t]*\n\s*/g;

const MAX_HITS = 5_000;

/** Places of `query` in `text`, up to a limit. Letter case does not matter, and any white space matches any. */
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

export const nearestHit = (hits: readonly Hit[], offset: number): number =>
  Math.max(
    0,
    hits.findIndex(({ start }) => start >= offset),
  );

type Search = ReturnType<typeof useSearch>;

function useSearch(text: string, eye: RefObject<number>) {
  const [query, setQuery] = useState("");
  const [current, setCurrent] = useState(0);
  const find = async (): Promise<readonly Hit[]> => {
    const found = searchText(query, text);
    setCurrent(nearestHit(found, eye.current));
    return found;
  };
  const { value: hits } = useAsync(find, [query, text], { wanted: query.trim() !== "", delay: TYPING_MS });
  return {
    query,
    setQuery,
    hits,
    current,
    step: (by: 1 | -1) => hits && setCurrent((current + by + hits.length) % hits.length),
  };
}

const TYPING_MS = 180;
