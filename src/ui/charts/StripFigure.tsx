/** @file The source as a strip: the whole text above, the part in view below. It moves by wheel, pinch, drag and keys. */

import { useMemo, useRef, useState, type KeyboardEvent, useCallback } from "react";
import { extractionMarks, extractionStrip, type View } from "../../figures/extraction.ts";
import type { Row as FigureRow, Source } from "../../figures/figure.ts";
import type { FigureOf } from "../../figures/registry.ts";
import type { ExtractionTrace } from "../../records/trace.ts";
import { IconButton } from "../controls/basics.tsx";
import { Row } from "../controls/layout.tsx";
import { count, counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { Lanes, Overview, Sentences } from "./StripLanes.tsx";
import s from "./charts.module.css";

const ONE_BY_ONE = 48;
/** Pixels of one part of the strip. */
const PART = 4;
const PARTS = 120;
/** A press that moves further than this many pixels is a drag. */
const STILL = 4;

interface StripFigureProps {
  readonly trace: ExtractionTrace;
  readonly source: Source;
}

export function StripFigure({ trace, source }: StripFigureProps) {
  const { characters, sentences, anchors } = trace;
  const [view, setView] = useState<View>({ from: 0, to: characters });
  const close = useMemo(() => {
    const inView = sentences.filter(({ start, end }) => end > view.from && start < view.to);
    return inView.length <= ONE_BY_ONE;
  }, [sentences, view]);
  const figure: FigureOf<"extraction-strip" | "extraction-marks"> = useMemo(
    () =>
      close
        ? extractionMarks({ trace, view, limit: ONE_BY_ONE }, source)
        : extractionStrip({ trace, view, bins: PARTS }, source),
    [close, trace, view, source],
  );
  const candidates = useMemo(() => sentences.filter(({ reasons }) => reasons.length > 0).length, [sentences]);
  const totals = `${counted(sentences.length, "sentence")}, ${counted(candidates, "candidate")} and ${counted(anchors.length, "anchor")} in ${counted(characters, "character")}`;
  return (
    <FigureFrame<"extraction-strip" | "extraction-marks">
      figure={figure}
      picture={{
        summary: `${totals}; in view: characters ${count(view.from)} to ${count(view.to)}.`,
        controls: <Tools view={view} setView={setView} characters={characters} />,
        below:
          "Drag over the upper strip to choose a part. In the lower one: wheel or pinch after a click, drag, or the keys + − ← →.",
        draw: ({ width, label, pick }) => (
          <Strip
            {...{ trace, close, source, view, setView, width, label }}
            onCharacter={(at) => {
              const row = figure.rows.find((one: FigureRow) => includes(one, at));
              if (row) pick?.(row);
            }}
          />
        ),
      }}
    />
  );
}

const includes = (row: FigureRow, at: number): boolean =>
  at >= Number(row["from"] ?? row["start"]) && at < Number(row["to"] ?? row["end"]);

interface Viewing {
  readonly view: View;
  readonly setView: (change: (view: View) => View) => void;
}

const KEYS: Readonly<Record<string, (view: View, characters: number) => View>> = {
  "+": (view, characters) => zoomed(view, 0.5, (view.from + view.to) / 2, characters),
  "-": (view, characters) => zoomed(view, 2, (view.from + view.to) / 2, characters),
  "0": (_, characters) => ({ from: 0, to: characters }),
  ArrowLeft: (view, characters) => moved(view, -0.2, characters),
  ArrowRight: (view, characters) => moved(view, 0.2, characters),
};

function Tools({ view, setView, characters }: Viewing & { readonly characters: number }) {
  const press = (key: string) => () => setView((now) => KEYS[key]!(now, characters));
  return (
    <Row align="center" gap="0.15rem" tone="soft" size="s">
      <IconButton icon="plus" label="Zoom in" keys="+" size="s" onClick={press("+")} />
      <IconButton icon="undo" label="Zoom out" keys="−" size="s" onClick={press("-")} />
      <IconButton icon="close" label="The whole text" keys="0" size="s" onClick={press("0")} />
      <span className="num">
        {count(view.from)} to {count(view.to)} of {count(characters)}
      </span>
    </Row>
  );
}

interface StripProps extends Viewing {
  readonly trace: ExtractionTrace;
  /** Draws single sentences in place of lanes of counts. */
  readonly close: boolean;
  readonly source: Source;
  readonly width: number;
  readonly label: string;
  readonly onCharacter: (at: number) => void;
}

function Strip({ trace, close, source, view, setView, width, label, onCharacter }: StripProps) {
  const { characters } = trace;
  const bins = Math.floor(width / PART);
  const whole = useMemo(() => extractionStrip({ trace, bins }, source).rows, [trace, bins, source]);
  const rows = useMemo(
    () => (close ? [] : extractionStrip({ trace, view, bins }, source).rows),
    [close, trace, view, bins, source],
  );
  const pressed = useRef(0);
  const lower = useStripPointer({
    width,
    onZoom: (factor, share) =>
      setView((now) => zoomed(now, factor, now.from + share * (now.to - now.from), characters)),
    onPan: (share) => setView((now) => moved(now, share, characters)),
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const apply = KEYS[event.key === "=" ? "+" : event.key];
    if (!apply || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    setView((now) => apply(now, characters));
  };
  return (
    <div>
      <Overview
        {...{ view, characters, width }}
        rows={whole}
        onChoose={(a, b) => setView((now) => selected(now, a, b, characters))}
      />
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
        onKeyDown={onKeyDown}
      >
        {close ? (
          <Sentences trace={trace} view={view} width={width} />
        ) : (
          <Lanes rows={rows} view={view} width={width} />
        )}
      </div>
    </div>
  );
}

const CLOSEST = 60;

/** `view` made `factor` times as wide about `center`, inside 0..characters. */
export function zoomed({ from, to }: View, factor: number, center: number, characters: number): View {
  const width = Math.min(characters, Math.max(CLOSEST, (to - from) * factor));
  const share = (center - from) / (to - from || 1);
  return inside(center - share * width, width, characters);
}

/** `view` moved by a share of its width. */
export const moved = ({ from, to }: View, share: number, characters: number): View =>
  inside(from + share * (to - from), to - from, characters);

/** The view between two places; too narrow a choice is a click, and only moves the view there. */
export function selected(view: View, a: number, b: number, characters: number): View {
  const width = Math.abs(b - a);
  if (width >= CLOSEST) return inside(Math.min(a, b), width, characters);
  return inside(a - (view.to - view.from) / 2, view.to - view.from, characters);
}

function inside(from: number, width: number, characters: number): View {
  const start = Math.max(0, Math.min(characters - width, from));
  return { from: Math.round(start), to: Math.round(Math.min(characters, start + width)) };
}

interface StripPointer {
  readonly width: number;
  readonly onZoom: (factor: number, share: number) => void;
  /** Share of the width to move by. */
  readonly onPan: (share: number) => void;
}

/** A ref for the element that listens. React's own wheel listeners are passive, so these are added by hand. */
function useStripPointer(handlers: StripPointer) {
  const latest = useRef(handlers);
  latest.current = handlers;
  return useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const pointers = new Map<number, number>();
    const shareAt = (clientX: number): number =>
      (clientX - element.getBoundingClientRect().left) / latest.current.width;
    const ends = new AbortController();
    const options = { signal: ends.signal };
    element.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) return;
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
          latest.current.onPan(event.deltaX / latest.current.width);
        else latest.current.onZoom(Math.exp(event.deltaY * 0.002), shareAt(event.clientX));
      },
      { ...options, passive: false },
    );
    element.addEventListener(
      "pointerdown",
      (event) => {
        pointers.set(event.pointerId, event.clientX);
        element.setPointerCapture(event.pointerId);
      },
      options,
    );
    element.addEventListener(
      "pointermove",
      (event) => {
        const before = pointers.get(event.pointerId);
        if (before === undefined) return;
        const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
        pointers.set(event.pointerId, event.clientX);
        if (other === undefined) latest.current.onPan((before - event.clientX) / latest.current.width);
        else {
          const [was, is] = [Math.abs(before - other), Math.abs(event.clientX - other)];
          if (was > 4 && is > 4) latest.current.onZoom(was / is, shareAt((other + event.clientX) / 2));
        }
      },
      options,
    );
    for (const name of ["pointerup", "pointercancel"] as const)
      element.addEventListener(name, (event) => pointers.delete(event.pointerId), options);
    return () => ends.abort();
  }, []);
}
