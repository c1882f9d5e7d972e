/** @file Heat maps: cells in rows and columns, coloured by a share, in one or several panels. */

import { type ReactNode, useState, type KeyboardEvent, type PointerEvent } from "react";
import type { Row } from "../../../figures/figure.ts";
import { TICK, Tip, type ChartProps } from "./Chart.tsx";
import { onRamp, ramp, type Tone } from "./scale.ts";
import { cut, FONT, textWidth, tokenText, type TipWords } from "./text.ts";
import type { Room } from "./picture.tsx";
import s from "../charts.module.css";

const [BETWEEN, GAP] = [18, 8];
/** Pixels of a panel's title, of a line of labels, and of tokens on end. */
const [HEAD, FOOT, TOKENS] = [22, 20, 66];
const MOST_FOR_LABELS = 0.4;
const LINE = 13;

interface Axis {
  readonly keys: readonly string[];
  readonly labels?: readonly string[];
  readonly title?: string;
}

interface HeatGridProps<R extends Row> extends Pick<ChartProps<R>, "room" | "rows" | "tip"> {
  readonly at: (row: R) => { readonly panel?: string; readonly row: string; readonly column: string };
  readonly panels?: readonly string[];
  readonly down: Axis;
  readonly across: Axis;
  readonly tokens?: boolean;
  /** Smallest and largest width of a cell in pixels. A grid that is wider than its room scrolls. */
  readonly widths: readonly [smallest: number, largest: number];
  /** Height of a cell in pixels; square without it. */
  readonly height?: number;
  /** Colour, from 0 to 1 on the ramp of `tone`. */
  readonly share?: (row: R) => number;
  readonly tone?: Tone;
  readonly color?: (row: R) => string;
  readonly text?: (row: R) => string;
  readonly outlined?: (row: R) => boolean;
}

/** Width in pixels of the labels of rows, the longest of which takes `longest`. */
export const labelColumn = (longest: number, width: number): number =>
  Math.min(Math.ceil(longest) + GAP, Math.round(width * MOST_FOR_LABELS));

/** Width in pixels of each of `columns` cells next to `left` pixels of labels. */
export const cellWidth = (
  room: number,
  left: number,
  columns: number,
  [smallest, largest]: readonly [number, number],
): number => Math.min(largest, Math.max(smallest, (room - left) / columns));

function layoutOf<R extends Row>(props: HeatGridProps<R>) {
  const { room, at, panels = [""], down, across, tokens, widths, height } = props;
  const [columns, lines] = [across.keys.length, down.keys.length];
  const labels = down.labels ?? down.keys;
  const longest = labelColumn(Math.max(...labels.map((text) => textWidth(text, FONT.label))), room.width);
  const left = (height ?? cellWidth(room.width, longest, columns, widths)) < LINE ? 0 : longest;
  const least = left + columns * widths[0];
  const side = Math.max(1, Math.min(panels.length, Math.floor((room.width + BETWEEN) / (least + BETWEEN))));
  const pitch = cellWidth((room.width - (side - 1) * BETWEEN) / side, left, columns, widths);
  const cell = { width: pitch, height: height ?? pitch };
  const panel = {
    width: left + columns * pitch,
    height: HEAD + lines * cell.height + (tokens ? TOKENS : FOOT) + (across.title ? FOOT : 4),
  };
  const [rowAt, columnAt] = [down, across].map(({ keys }) => new Map(keys.map((key, i) => [key, i])));
  const corner = (name = "") => {
    const i = Math.max(0, panels.indexOf(name));
    return { x: (i % side) * (panel.width + BETWEEN), y: Math.floor(i / side) * panel.height };
  };
  const place = (row: R) => {
    const keys = at(row);
    const { x, y } = corner(keys.panel);
    return {
      x: x + left + (columnAt!.get(keys.column)! + 0.5) * cell.width,
      y: y + HEAD + (rowAt!.get(keys.row)! + 0.5) * cell.height,
    };
  };
  const width = side * panel.width + (side - 1) * BETWEEN;
  const total = Math.ceil(panels.length / side) * panel.height;
  return { panels, labels, left, cell, panel, corner, place, width, height: total };
}

export function HeatGrid<R extends Row>(props: HeatGridProps<R>) {
  const { room, rows, tip, down, across, tokens = false } = props;
  const { share = () => 1, tone, color, text, outlined } = props;
  const { panels, labels, left, cell, panel, corner, place, width, height } = layoutOf(props);
  const gap = Math.min(cell.width, cell.height) > 6 ? 1.5 : 0;
  const inside = { width: cell.width - gap, height: cell.height - gap };
  return (
    <div className={s.scroller}>
      <Marked
        room={{ ...room, width }}
        {...{ rows, tip, at: place }}
        reach={Math.max(cell.width, cell.height) / 2 + 2}
      >
        <svg width={width} height={height} {...TICK}>
          {panels.map((name) => (
            <g key={name} transform={`translate(${corner(name).x} ${corner(name).y})`}>
              <text x={left} y={13} fill="var(--ink)">
                {name}
              </text>
              <text x={Math.max(0, left - GAP)} y={13} textAnchor={left > 0 ? "end" : "start"}>
                {down.title}
              </text>
              {left > 0 &&
                labels.map((label, i) => (
                  <text key={i} x={left - GAP} y={HEAD + (i + 0.5) * cell.height + 4} textAnchor="end">
                    {cut(label, left - GAP, FONT.label)}
                  </text>
                ))}
              <g transform={`translate(${left} ${HEAD + labels.length * cell.height})`}>
                {columnLabels(across.labels ?? across.keys, cell.width, tokens)}
              </g>
              <text x={panel.width - 2} y={panel.height - 8} textAnchor="end">
                {across.title}
              </text>
            </g>
          ))}
          {rows.map((row, i) => {
            const { x, y } = place(row);
            const words = text ? cut(text(row), inside.width - 2, FONT.label) : "";
            return (
              <g key={i}>
                <rect
                  {...{ x: x - inside.width / 2, y: y - inside.height / 2, ...inside }}
                  fill={color?.(row) ?? ramp(share(row), tone)}
                  {...(outlined?.(row) ? { stroke: "var(--ink)", strokeWidth: 2 } : {})}
                />
                {words && (
                  <text
                    {...{ x, y: y + 4 }}
                    textAnchor="middle"
                    fill={color ? "var(--paper-raised)" : onRamp(share(row))}
                  >
                    {words}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </Marked>
    </div>
  );
}

function columnLabels(labels: readonly string[], pitch: number, tokens: boolean): ReactNode {
  if (tokens)
    return labels.map((label, i) => <TokenOnEnd key={i} x={(i + 0.5) * pitch} y={6} token={label} />);
  const longest = Math.max(...labels.map((label) => textWidth(label, FONT.label)));
  const every = Math.ceil((longest + 6) / pitch);
  return labels.map((label, i) =>
    i % every === 0 ? (
      <text key={i} x={(i + 0.5) * pitch} y={15} textAnchor="middle">
        {label}
      </text>
    ) : null,
  );
}

export const TokenOnEnd = ({
  x,
  y,
  token,
  strong = false,
}: Readonly<{ x: number; y: number; token: string; strong?: boolean }>) => (
  <text
    transform={`translate(${x + 4} ${y}) rotate(-90)`}
    textAnchor="end"
    fill={strong ? "var(--lapis)" : "var(--ink)"}
    fontWeight={strong ? 600 : 400}
  >
    {tokenText(token).slice(0, 11)}
  </text>
);

interface Place {
  readonly x: number;
  readonly y: number;
}

interface MarkedProps<R extends Row> extends Pick<ChartProps<R>, "rows" | "tip" | "children"> {
  readonly room: Pick<Room<R>, "width" | "label" | "pick">;
  readonly at: (row: R) => Place | null;
  /** Pixels from a mark within which the pointer means it. */
  readonly reach?: number;
}

export function Marked<R extends Row>({ room, rows, at, tip, reach = 18, children }: MarkedProps<R>) {
  const [shown, setShown] = useState<number | null>(null);
  const row = shown === null ? undefined : rows[shown];
  const { pick, label, width } = room;
  const placeUnder = (event: PointerEvent | React.MouseEvent): number | null => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return nearestRow(rows, at, { x: event.clientX - left, y: event.clientY - top }, reach);
  };
  return (
    <div style={{ position: "relative" }}>
      <div
        role="img"
        tabIndex={0}
        aria-label={`${label} Arrow keys walk through its points.`}
        style={pick ? { cursor: "pointer" } : undefined}
        onPointerMove={(event) => setShown(placeUnder(event))}
        onPointerLeave={() => setShown(null)}
        onClick={(event) => {
          const under = placeUnder(event);
          if (under !== null) pick?.(rows[under]!);
        }}
        onKeyDown={(event) => {
          const next = walked(event, shown, rows.length);
          if (next !== undefined) setShown(next);
          if (event.key === "Enter" && row) pick?.(row);
        }}
        onBlur={() => setShown(null)}
      >
        {children}
      </div>
      <div role="status">{row && tipAt(at(row), width, tip(row))}</div>
    </div>
  );
}

function nearestRow<R>(rows: readonly R[], at: (row: R) => Place | null, { x, y }: Place, reach: number) {
  let [best, least] = [null as number | null, reach];
  for (const [i, row] of rows.entries()) {
    const place = at(row);
    const away = place ? Math.hypot(place.x - x, place.y - y) : Infinity;
    if (away <= least) [best, least] = [i, away];
  }
  return best;
}

function walked(event: KeyboardEvent, from: number | null, count: number): number | null | undefined {
  if (event.key === "Escape" && from !== null) {
    event.stopPropagation();
    return null;
  }
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by || count === 0) return undefined;
  event.preventDefault();
  return from === null ? (by > 0 ? 0 : count - 1) : Math.max(0, Math.min(count - 1, from + by));
}

function tipAt(place: Place | null, width: number, words: TipWords): ReactNode {
  if (!place) return null;
  const side = place.x > width / 2 ? { right: width - place.x + 12 } : { left: place.x + 12 };
  return (
    <div className={s.tipAt} style={{ ...side, top: place.y + 8 }}>
      <Tip words={words} />
    </div>
  );
}
