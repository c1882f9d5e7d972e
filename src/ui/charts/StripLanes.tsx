/** @file Parts of the strip: an overview of the whole text, lanes of counts, and single sentences with their anchors. */

import { useRef, useState } from "react";
import type { View } from "../../figures/extraction.ts";
import type { RowOf } from "../../figures/registry.ts";
import type { AnchorVerdict, ExtractionTrace } from "../../records/trace.ts";
import { count } from "../format.ts";
import { ramp } from "./kit/colors.ts";
import { cut, FONT, textWidth } from "./kit/text.ts";
import type { PictureOf } from "./kit/picture.ts";
import { ticks } from "./kit/scale.ts";
import s from "./charts.module.css";

type Row = RowOf<"extraction-strip">;

interface Part {
  readonly view: View;
  readonly width: number;
}

const UPPER = 26;

interface OverviewProps extends Part {
  readonly rows: readonly Row[];
  readonly characters: number;
  readonly onChoose: (from: number, to: number) => void;
}

export function Overview({ rows, view, characters, width, onChoose }: OverviewProps) {
  const start = useRef<number | null>(null);
  const [drag, setDrag] = useState<readonly [number, number] | null>(null);
  const most = Math.max(1, ...rows.map(({ anchors }) => anchors));
  const at = (character: number): number => (character / Math.max(1, characters)) * width;
  const framed = drag ? [Math.min(...drag), Math.max(...drag)] : [at(view.from), at(view.to)];
  const place = (event: React.PointerEvent): number =>
    Math.max(0, Math.min(width, event.clientX - event.currentTarget.getBoundingClientRect().left));
  return (
    <svg
      className={s.upper}
      width={width}
      height={UPPER + 6}
      aria-hidden="true"
      onPointerDown={(event) => {
        start.current = place(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (start.current !== null) setDrag([start.current, place(event)]);
      }}
      onPointerUp={(event) => {
        if (start.current === null) return;
        const scale = characters / width;
        onChoose(start.current * scale, place(event) * scale);
        start.current = null;
        setDrag(null);
      }}
    >
      {rows.map(({ from, to, anchors }) => (
        <rect
          key={from}
          x={at(from)}
          y={3}
          width={Math.max(1, at(to) - at(from) + 0.3)}
          height={UPPER - 6}
          fill={ramp((anchors / most) * 0.8)}
        />
      ))}
      <rect
        x={framed[0]! + 0.5}
        y={0.5}
        width={Math.max(3, framed[1]! - framed[0]! - 1)}
        height={UPPER - 1}
        fill="none"
        stroke="var(--ink)"
        strokeWidth={1.5}
      />
    </svg>
  );
}

const LANE = 40;
const LANE_GAP = 20;

export function Lanes({ rows, view, width }: Part & { readonly rows: readonly Row[] }) {
  const lanes = [
    { name: "sentence", by: "", color: "var(--ink-faint)", of: (row: Row) => row.sentences },
    { name: "candidate", by: "", color: "var(--ink)", of: (row: Row) => row.candidates },
    { name: "anchor", by: ", by the model", color: "var(--lapis)", of: (row: Row) => row.byModel },
    { name: "anchor", by: ", by rule", color: "var(--ochre)", of: (row: Row) => row.byRule },
  ];
  const most = Math.max(1, ...rows.map(({ sentences }) => sentences));
  const step = width / rows.length;
  const total = (of: (row: Row) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  const height = 12 + lanes.length * (LANE + LANE_GAP);
  return (
    <svg width={width} height={height + 18} fontSize={13} fill="var(--ink-soft)">
      {lanes.map(({ name, by, color, of }, lane) => {
        const named = (n: number): string => `${n === 1 ? name : `${name}s`}${by}`;
        const base = 12 + (lane + 1) * (LANE + LANE_GAP) - 8;
        return (
          <g key={name + by}>
            <text x={0} y={base - LANE + 2}>
              <tspan fill={color === "var(--ink-faint)" ? "var(--ink-soft)" : color} fontWeight={600}>
                {count(total(of))}
              </tspan>{" "}
              {named(total(of))}
            </text>
            <line x1={0} x2={width} y1={base + 0.5} y2={base + 0.5} stroke="var(--hairline)" />
            {rows.map((row, i) => {
              const height = (of(row) / most) * (LANE - 10);
              return height === 0 ? null : (
                <rect
                  key={row.from}
                  x={i * step}
                  y={base - Math.max(2, height)}
                  width={Math.max(1, step - 0.6)}
                  height={Math.max(2, height)}
                  fill={color}
                >
                  <title>{`characters ${count(row.from)} to ${count(row.to)}: ${of(row)} ${named(of(row))}`}</title>
                </rect>
              );
            })}
          </g>
        );
      })}
      <Characters view={view} width={width} y={height} />
    </svg>
  );
}

function Characters({ view, width, y }: Part & { readonly y: number }) {
  const at = (character: number): number => ((character - view.from) / (view.to - view.from)) * width;
  return (
    <g>
      {ticks(view.from, view.to, Math.max(2, width / 120)).map((value) => (
        <text
          key={value}
          x={Math.max(0, Math.min(width, at(value)))}
          y={y + 12}
          textAnchor={at(value) < 30 ? "start" : at(value) > width - 30 ? "end" : "middle"}
        >
          {count(value)}
        </text>
      ))}
    </g>
  );
}

const BLOCK = 34;
const LEVELS = 3;

/** Sentences as blocks with their first words, and anchors above them; dropped sentences are hollow. */
export function Sentences({ trace, view, width }: Part & { readonly trace: ExtractionTrace }) {
  const at = (character: number): number => ((character - view.from) / (view.to - view.from)) * width;
  const anchors = new Map(trace.anchors.map((anchor) => [anchor.start as number, anchor]));
  const shown = trace.sentences.filter(({ start, end }) => end > view.from && start < view.to);
  const ends = Array.from({ length: LEVELS }, () => -Infinity);
  const top = 16 + LEVELS * 17;
  return (
    <svg width={width} height={top + BLOCK + 40} fontSize={13} fill="var(--ink-soft)">
      <text x={0} y={12}>
        anchors above their sentences; dropped sentences hollow
      </text>
      {shown.map(({ start, end, reasons, dropped, sample }) => {
        const [left, right] = [Math.max(0, at(start)), Math.min(width, at(end))];
        const room = right - left - 12;
        const anchor = anchors.get(start);
        const words = room > 24 ? cut(sample, room, FONT.words) : "";
        return (
          <g key={start}>
            <title>{`${dropped ?? reasons.join(", ")}: ${sample}`}</title>
            <rect
              x={left + 0.5}
              y={top + 0.5}
              width={Math.max(1, right - left - 2)}
              height={BLOCK - 1}
              fill={dropped === null ? "var(--paper-sunk)" : "none"}
              stroke={dropped === null ? "var(--ink-soft)" : "var(--hairline-strong)"}
              strokeDasharray={dropped === null ? "none" : "3 2"}
            />
            {words && (
              <text
                x={left + 6}
                y={top + 22}
                fontSize={14}
                fill="var(--ink)"
                style={{ fontFamily: "var(--serif)" }}
              >
                {words}
              </text>
            )}
            {anchor && anchorMark(anchor, left, top, ends, width)}
          </g>
        );
      })}
      <Characters view={view} width={width} y={top + BLOCK + 12} />
    </svg>
  );
}

/** The anchor's words on the lowest free level; only a mark if no level is free. */
function anchorMark(
  { anchor, outcome }: AnchorVerdict,
  left: number,
  bottom: number,
  ends: number[],
  width: number,
) {
  const color = outcome === "model" ? "var(--lapis)" : "var(--ochre)";
  const wide = textWidth(anchor, FONT.strong) + 10;
  const level = ends.findIndex((end) => end <= left);
  const fits = level >= 0 && left + wide <= width + 6;
  if (fits) ends[level] = left + wide;
  const y = fits ? bottom - 7 - level * 17 : bottom - 6;
  return (
    <g>
      <line x1={left + 1} x2={left + 1} y1={y} y2={bottom} stroke={color} strokeWidth={2} />
      {fits && (
        <text x={left + 5} y={y + 4} fontSize={13} fontWeight={600} fill={color}>
          {anchor}
        </text>
      )}
    </g>
  );
}

/** The strip without controls, from rows only: in reports, and after the text is deleted. */
export const lanesFigure: PictureOf<"extraction-strip"> = ({ rows, caption }) => {
  const view = { from: rows[0]?.from ?? 0, to: rows.at(-1)?.to ?? 1 };
  return {
    summary: caption,
    still: true,
    draw: ({ width, pick }) => (
      <div
        style={pick ? { cursor: "pointer" } : undefined}
        onClick={({ clientX, currentTarget }) => {
          const share = (clientX - currentTarget.getBoundingClientRect().left) / width;
          const row = rows[Math.floor(share * rows.length)];
          if (row) pick?.(row);
        }}
      >
        <Lanes rows={rows} view={view} width={width} />
      </div>
    ),
  };
};
