/**
 * @file The source as a strip: the whole text above, the part in view below, from parts of the book down to one
 * sentence. Wheel or pinch, drag, + − and arrow keys, and a choice by dragging over the strip above.
 */

import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { extractionMarks, extractionStrip, type StripInput, type View } from "../../figures/extraction.ts";
import type { Row as FigureRow, Source } from "../../figures/figure.ts";
import type { FigureOf } from "../../figures/registry.ts";
import type { ExtractionTrace } from "../../records/trace.ts";
import { IconButton } from "../controls/Button.tsx";
import { count, counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { Lanes, Overview, Sentences } from "./StripLanes.tsx";
import { moved, selected, zoomed } from "./stripView.ts";
import { useStripPointer } from "./useStripPointer.ts";
import { Row } from "../controls/layout.tsx";
import s from "./charts.module.css";

/** Fewer sentences than this in view are drawn one by one. */
const ONE_BY_ONE = 48;
/** Pixels of one part of the strip. */
const PART = 4;
/** Parts that a table and an export have; drawings take as many as fit. */
const PARTS = 120;

export function StripFigure({
  input,
  trace,
  source,
}: {
  readonly input: StripInput;
  /** Sentences with words, while the text's reading is at hand. */
  readonly trace?: ExtractionTrace | undefined;
  readonly source: Source;
}) {
  const { characters } = input;
  const [view, setView] = useState<View>({ from: 0, to: characters });
  const inView = useMemo(
    () => trace?.sentences.filter(({ start, end }) => end > view.from && start < view.to).length ?? Infinity,
    [trace, view],
  );
  const close = trace !== undefined && inView <= ONE_BY_ONE;
  const figure: FigureOf<"extraction-strip" | "extraction-marks"> = useMemo(
    () =>
      close
        ? extractionMarks({ trace, view, limit: ONE_BY_ONE }, source)
        : extractionStrip({ text: input, view, bins: PARTS }, source),
    [close, trace, input, view, source],
  );
  const totals = useMemo(() => totalsOf(input), [input]);
  const at = (character: number) => figure.rows.find((row) => holds(row, character));
  return (
    <FigureFrame<"extraction-strip" | "extraction-marks">
      figure={figure}
      picture={{
        interactive: true,
        summary: `${totals}; in view: characters ${count(view.from)} to ${count(view.to)}.`,
        controls: <Tools view={view} setView={setView} characters={characters} />,
        below:
          "Drag over the upper strip to choose a part. In the lower one: wheel or pinch after a click, drag, or the keys + − ← →.",
        draw: ({ width, label, pick }) => (
          <Strip
            {...{ input, source, view, setView, width, label }}
            trace={close ? trace : undefined}
            onCharacter={(character) => {
              const row = at(character);
              if (row) pick?.(row);
            }}
          />
        ),
      }}
    />
  );
}

/** Whether a part of the strip, or a sentence on it, holds a character. */
const holds = (row: FigureRow, at: number): boolean =>
  at >= Number(row["from"] ?? row["start"]) && at < Number(row["to"] ?? row["end"]);

/** Pixels: a press that moves further is a drag. */
const STILL = 4;

function totalsOf({ sentences, anchors, characters }: StripInput): string {
  const candidates = sentences.filter(({ reasons }) => reasons.length > 0).length;
  return (
    `${counted(sentences.length, "sentence")}, ${counted(candidates, "candidate")} and ` +
    `${counted(anchors.length, "anchor")} in ${counted(characters, "character")}`
  );
}

interface Viewing {
  readonly view: View;
  readonly setView: (change: (view: View) => View) => void;
}

function Tools({ view, setView, characters }: Viewing & { readonly characters: number }) {
  const zoom = (factor: number) => () =>
    setView((now) => zoomed(now, factor, (now.from + now.to) / 2, characters));
  return (
    <Row align="center" gap="0.15rem" tone="soft" size="s">
      <IconButton icon="plus" label="Zoom in" keys="+" size="s" onClick={zoom(0.5)} />
      <IconButton icon="undo" label="Zoom out" keys="−" size="s" onClick={zoom(2)} />
      <IconButton
        icon="close"
        label="The whole text"
        keys="0"
        size="s"
        onClick={() => setView(() => ({ from: 0, to: characters }))}
      />
      <span className="num">
        {count(view.from)} to {count(view.to)} of {count(characters)}
      </span>
    </Row>
  );
}

function Strip({
  input,
  trace,
  source,
  view,
  setView,
  width,
  label,
  onCharacter,
}: Viewing & {
  /** A place was clicked. */
  readonly onCharacter: (at: number) => void;
  readonly input: StripInput;
  readonly trace: ExtractionTrace | undefined;
  readonly source: Source;
  readonly width: number;
  readonly label: string;
}) {
  const { characters } = input;
  const bins = Math.floor(width / PART);
  const whole = useMemo(() => extractionStrip({ text: input, bins }, source).rows, [input, bins, source]);
  const rows = useMemo(
    () =>
      trace
        ? []
        : view.from === 0 && view.to === characters
          ? whole
          : extractionStrip({ text: input, view, bins }, source).rows,
    [trace, input, view, characters, whole, bins, source],
  );
  return (
    <div>
      <Overview
        rows={whole}
        view={view}
        characters={characters}
        width={width}
        onChoose={(a, b) => setView((now) => selected(now, a, b, characters))}
      />
      <Lower {...{ view, setView, characters, width, label, onCharacter }}>
        {trace ? (
          <Sentences trace={trace} view={view} width={width} />
        ) : (
          <Lanes rows={rows} view={view} width={width} />
        )}
      </Lower>
    </div>
  );
}

/** The part in view, which wheel, drag and keys move. */
function Lower({
  view,
  setView,
  characters,
  width,
  label,
  onCharacter,
  children,
}: Viewing & {
  readonly characters: number;
  readonly width: number;
  readonly label: string;
  readonly onCharacter: (at: number) => void;
  readonly children: ReactNode;
}) {
  const pressed = useRef(0);
  const lower = useStripPointer({
    width,
    onZoom: (factor, share) =>
      setView((now) => zoomed(now, factor, now.from + share * (now.to - now.from), characters)),
    onPan: (share) => setView((now) => moved(now, share, characters)),
  });
  return (
    <div
      ref={lower}
      className={s.lower}
      role="group"
      aria-label={label}
      aria-keyshortcuts="+ - 0 ArrowLeft ArrowRight"
      tabIndex={0}
      onPointerDown={({ clientX }) => {
        pressed.current = clientX;
      }}
      onClick={({ clientX, currentTarget }) => {
        if (Math.abs(clientX - pressed.current) > STILL) return;
        const share = (clientX - currentTarget.getBoundingClientRect().left) / width;
        onCharacter(view.from + share * (view.to - view.from));
      }}
      onKeyDown={(event) => onKey(event, setView, characters)}
    >
      {children}
    </div>
  );
}

function onKey(event: KeyboardEvent, setView: Viewing["setView"], characters: number): void {
  const change: Record<string, (view: View) => View> = {
    "+": (view) => zoomed(view, 0.5, (view.from + view.to) / 2, characters),
    "=": (view) => zoomed(view, 0.5, (view.from + view.to) / 2, characters),
    "-": (view) => zoomed(view, 2, (view.from + view.to) / 2, characters),
    "0": () => ({ from: 0, to: characters }),
    ArrowLeft: (view) => moved(view, -0.2, characters),
    ArrowRight: (view) => moved(view, 0.2, characters),
  };
  const apply = change[event.key];
  if (!apply || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  setView(apply);
}
