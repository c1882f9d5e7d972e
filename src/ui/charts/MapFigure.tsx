/** @file Keys or residuals in two dimensions, coloured by layer, anchor or fidelity; on canvas past 5,000 points. */

import { useMemo, useState } from "react";
import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { groupBy } from "../../lib/group.ts";
import { Choice } from "../controls/Choice.tsx";
import { counted } from "../format.ts";
import { layerOf, ramp, resolved } from "./kit/colors.ts";
import { Marked } from "./kit/Marked.tsx";
import { FONT, HALO, textWidth } from "./kit/measure.ts";
import { usePainter } from "./kit/painters.ts";
import type { Picture, Room } from "./kit/picture.ts";
import { placeNames } from "./kit/placeNames.ts";
import type { TipWords } from "./kit/recharts.tsx";
import { bothRows, distinct, ends } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Row = RowOf<"map">;
type By = "layer" | "anchor" | "fidelity";

const MOST_MARKS = 5000;
/** Up to this many points have names. */
const MOST_NAMES = 60;
/** Anchors with their own colour; more colours would look alike. */
const NAMED = 6;

const OPTIONS = (["layer", "anchor", "fidelity"] as const).map((value) => ({ value, label: value }));

const NOTES: Readonly<Record<By, string>> = {
  layer: "Hollow: not exact.",
  anchor: "Grey: the other anchors. Hollow: not exact.",
  fidelity: "Green: exact. Hollow red, stronger as fidelity falls: not exact.",
};

const tip = ({ key, layer, exact, fidelity }: Row): TipWords => [
  key,
  [[`layer ${layer},`, exact ? "exact" : `fidelity ${numberText(fidelity)}`]],
];

/** Axes and colours are those of both figures. */
export function useMapFigure(figure: FigureOf<"map">, beside: FigureOf<"map"> | null): Picture<Row> {
  const { rows } = figure;
  const [by, setBy] = useState<By>("layer");
  const both = useMemo(() => bothRows(figure, beside), [figure, beside]);
  const color = useMemo(() => colorBy(both, by), [both, by]);
  const layers = distinct(rows, ({ layer }) => layer).length;
  return {
    interactive: true,
    summary: `${counted(rows.length, "point")} of ${counted(layers, "layer")}, coloured by ${by}.`,
    controls: <Choice label="Coloured by" value={by} onChange={setBy} options={OPTIONS} />,
    below: NOTES[by],
    draw: (room) => (
      <>
        {by !== "fidelity" && <Key rows={both} by={by} color={color} width={room.width} />}
        <Points room={room} rows={rows} both={both} color={color} />
      </>
    ),
  };
}

const ANCHOR_COLORS = [0, 5, 2, 9, 4, 1].map(layerOf);

/** The anchors with the most points, most first. */
const largestAnchors = (rows: readonly Row[]): string[] =>
  [...groupBy(rows, ({ anchor }) => anchor)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, NAMED)
    .map(([anchor]) => anchor);

function colorBy(rows: readonly Row[], by: By): (row: Row) => string {
  if (by === "layer") return ({ layer }) => layerOf(layer);
  if (by === "fidelity")
    return ({ fidelity, exact }) =>
      exact ? "var(--verdigris)" : ramp(0.35 + 0.65 * (1 - fidelity), "rubric");
  const place = new Map(largestAnchors(rows).map((anchor, i) => [anchor, i]));
  return ({ anchor }) => ANCHOR_COLORS[place.get(anchor) ?? -1] ?? "var(--ink-faint)";
}

/** Height in pixels of a line of the key. */
const KEY = 18;

/** Names of the colours. */
function Key({
  rows,
  by,
  color,
  width,
}: {
  readonly rows: readonly Row[];
  readonly by: "layer" | "anchor";
  readonly color: (row: Row) => string;
  readonly width: number;
}) {
  const names = by === "anchor" ? largestAnchors(rows) : distinct(rows, ({ layer }) => layer);
  let [x, y] = [0, 0];
  const items = names.map((name) => {
    const label = by === "layer" ? `layer ${name}` : String(name);
    const wide = textWidth(label, FONT.label) + 30;
    if (x > 0 && x + wide > width) [x, y] = [0, y + KEY];
    const item = { label, x, y, row: rows.find((row) => row[by] === name)! };
    x += wide;
    return item;
  });
  return (
    <svg width={width} height={y + KEY} fontSize={11.5} fill="var(--ink-soft)">
      {items.map(({ label, x: left, y: top, row }) => (
        <g key={label} transform={`translate(${left} ${top})`}>
          <circle cx={5} cy={9} r={4.5} fill={color(row)} />
          <text x={14} y={13}>
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}

interface Cloud {
  readonly rows: readonly Row[];
  readonly color: (row: Row) => string;
  readonly width: number;
  readonly height: number;
  readonly x: (row: Row) => number;
  readonly y: (row: Row) => number;
}

/** Pixels between names. */
const BETWEEN = 8;

const heightAt = (width: number): number => Math.round(Math.max(260, Math.min(440, width * 0.62)));

/** Pixels between the frame and the outermost points; names need more. */
const INSET = { named: 46, bare: 18 } as const;

function Points({
  room,
  rows,
  both,
  color,
}: Pick<Cloud, "rows" | "color"> & {
  readonly room: Room<Row>;
  /** The rows that the axes cover. */
  readonly both: readonly Row[];
}) {
  const { width } = room;
  const height = heightAt(width);
  const { x, y } = useMemo(() => {
    const inset = rows.length <= MOST_NAMES ? INSET.named : INSET.bare;
    const [[left, right], [low, high]] = [ends(both, (row) => row.x), ends(both, (row) => row.y)];
    return {
      x: (row: Row) => inset + ((row.x - left) / (right - left)) * (width - 2 * inset),
      y: (row: Row) => height - inset - ((row.y - low) / (high - low)) * (height - 2 * inset),
    };
  }, [rows.length, both, width, height]);
  const cloud = { rows, color, width, height, x, y };
  return (
    <Marked room={room} rows={rows} at={(row) => ({ x: x(row), y: y(row) })} tip={tip}>
      {rows.length > MOST_MARKS ? <Painted {...cloud} /> : <Drawn {...cloud} />}
    </Marked>
  );
}

function Drawn({ rows, color, width, height, x, y }: Cloud) {
  const radius = rows.length > 800 ? 2.5 : 4.5;
  return (
    <svg width={width} height={height} fontSize={11.5} fill="var(--ink-soft)">
      <rect x={0.5} y={0.5} width={width - 1} height={height - 1} fill="none" stroke="var(--hairline)" />
      {rows.map((row, i) => {
        const own = color(row);
        return (
          <circle
            key={i}
            cx={x(row)}
            cy={y(row)}
            r={radius}
            fill={row.exact ? own : "var(--paper)"}
            stroke={own}
            strokeWidth={1.5}
          />
        );
      })}
      {rows.length <= MOST_NAMES && (
        <g {...HALO}>
          {placeNames(
            rows.map((row) => ({ x: x(row), y: y(row), wide: textWidth(row.key, FONT.label) + BETWEEN })),
            { width, height },
          ).map(
            (place, i) =>
              place && (
                <text key={i} x={place.x} y={place.y} textAnchor={place.anchor}>
                  {rows[i]!.key}
                </text>
              ),
          )}
        </g>
      )}
    </svg>
  );
}

/** Very many points, on canvas. */
function Painted({ rows, color, width, height, x, y }: Cloud) {
  const canvas = usePainter(width, height, (context, element) => {
    context.globalAlpha = rows.length > 20_000 ? 0.5 : 0.7;
    // By colour: changing the colour costs more than drawing a point.
    for (const [name, points] of groupBy(rows, color)) {
      context.fillStyle = resolved(element, name);
      for (const row of points) context.fillRect(x(row) - 1.25, y(row) - 1.25, 2.5, 2.5);
    }
  });
  return <canvas ref={canvas} style={{ width, height }} aria-hidden="true" />;
}
