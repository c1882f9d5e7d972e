/**
 * @file The source as a strip: the whole text above, the part in view below, down to single sentences. It moves by wheel,
 * pinch, drag and keys; a drag over the upper strip chooses a part.
 */

import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import { extractionMarks, extractionStrip, type StripInput, type View } from "../../figures/extraction.ts";
import type { Row as FigureRow, Source } from "../../figures/figure.ts";
import type { FigureOf } from "../../figures/registry.ts";
import type { ExtractionTrace } from "../../records/trace.ts";
import { IconButton } from "../controls/Button.tsx";
import { Row } from "../controls/layout.tsx";
import { count, counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { Lanes, Overview, Sentences } from "./StripLanes.tsx";
import { moved, selected, zoomed } from "./stripView.ts";
import { useStripPointer } from "./useStripPointer.ts";
import s from "./charts.module.css";

const ONE_BY_ONE = 48;
/** Pixels of one part of the strip. */
const PART = 4;
const PARTS = 120;
/** A press that moves further than this many pixels is a drag. */
const STILL = 4;

export function StripFigure({
  input,
  trace,
  source,
}: {
  readonly input: StripInput;
  readonly trace?: ExtractionTrace | undefined;
  readonly source: Source;
}) {
  const { characters, sentences, anchors } = input;
  const [view, setView] = useState<View>({ from: 0, to: characters });
  const inView = useMemo(
    () => trace?.sentences.filter(({ start, end }) => end > view.from && start < view.to).length ?? Infinity,
    [trace, view],
  );
  const close = trace !== undefined && inView <= ONE_BY_ONE ? trace : null;
  const figure: FigureOf<"extraction-strip" | "extraction-marks"> = useMemo(
    () =>
      close
        ? extractionMarks({ trace: close, view, limit: ONE_BY_ONE }, source)
        : extractionStrip({ text: input, view, bins: PARTS }, source),
    [close, input, view, source],
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
            {...{ input, source, view, setView, width, label }}
            trace={close}
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
  readonly input: StripInput;
  readonly trace: ExtractionTrace | null;
  readonly source: Source;
  readonly width: number;
  readonly label: string;
  readonly onCharacter: (at: number) => void;
}) {
  const { characters } = input;
  const bins = Math.floor(width / PART);
  const whole = useMemo(() => extractionStrip({ text: input, bins }, source).rows, [input, bins, source]);
  const rows = useMemo(
    () => (trace ? [] : extractionStrip({ text: input, view, bins }, source).rows),
    [trace, input, view, bins, source],
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
        {trace ? (
          <Sentences trace={trace} view={view} width={width} />
        ) : (
          <Lanes rows={rows} view={view} width={width} />
        )}
      </div>
    </div>
  );
}
