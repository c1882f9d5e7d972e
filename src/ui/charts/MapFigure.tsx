/** @file Keys or residuals in two dimensions, coloured by layer, anchor or fidelity. */

import { useMemo, useState } from "react";
import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { groupBy } from "../../lib/group.ts";
import { Choice } from "../controls/Choice.tsx";
import { counted } from "../format.ts";
import { layerColor, ramp } from "./kit/colors.ts";
import { Legend } from "./kit/Chart.tsx";
import { Marked } from "./kit/HeatGrid.tsx";
import { FONT, HALO, textWidth, tipOf } from "./kit/text.ts";
import type { Picture, Room } from "./kit/picture.ts";
import { bothRows, distinct, ends } from "./kit/scale.ts";

type Row = RowOf<"map">;
type By = "layer" | "anchor" | "fidelity";

const MOST_NAMES = 60;
/** Anchors with their own colour; more colours would look alike. */
const NAMED = 6;

const OPTIONS = { layer: "layer", anchor: "anchor", fidelity: "fidelity" } as const;

const NOTES: Readonly<Record<By, string>> = {
  layer: "Hollow: not exact.",
  anchor: "Grey: the other anchors. Hollow: not exact.",
  fidelity: "Green: exact. Hollow red, stronger as fidelity falls: not exact.",
};

export function useMapFigure(figure: FigureOf<"map">, beside: FigureOf<"map"> | null): Picture<Row> {
  const { rows } = figure;
  const [by, setBy] = useState<By>("layer");
  const both = useMemo(() => bothRows(figure, beside), [figure, beside]);
  const color = useMemo(() => colorBy(both, by), [both, by]);
  const layers = distinct(rows, ({ layer }) => layer).length;
  return {
    summary: `${counted(rows.length, "point")} of ${counted(layers, "layer")}, coloured by ${by}.`,
    controls: <Choice label="Coloured by" value={by} onChange={setBy} options={OPTIONS} />,
    below: NOTES[by],
    draw: (room) => (
      <>
        {by !== "fidelity" && <Legend width={room.width} items={namesOf(both, by, color)} />}
        {points(figure, room, both, color)}
      </>
    ),
  };
}

const ANCHOR_COLORS = [0, 5, 2, 9, 4, 1].map(layerColor);

const largestAnchors = (rows: readonly Row[]): string[] =>
  [...groupBy(rows, ({ anchor }) => anchor)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, NAMED)
    .map(([anchor]) => anchor);

function colorBy(rows: readonly Row[], by: By): (row: Row) => string {
  if (by === "layer") return ({ layer }) => layerColor(layer);
  if (by === "fidelity")
    return ({ fidelity, exact }) =>
      exact ? "var(--verdigris)" : ramp(0.35 + 0.65 * (1 - fidelity), "rubric");
  const place = new Map(largestAnchors(rows).map((anchor, i) => [anchor, i]));
  return ({ anchor }) => ANCHOR_COLORS[place.get(anchor) ?? -1] ?? "var(--ink-faint)";
}

const namesOf = (rows: readonly Row[], by: "layer" | "anchor", color: (row: Row) => string) =>
  (by === "anchor" ? largestAnchors(rows) : distinct(rows, ({ layer }) => layer)).map((name) => ({
    label: by === "layer" ? `layer ${name}` : String(name),
    mark: <circle cx={24} cy={9} r={4.5} fill={color(rows.find((row) => row[by] === name)!)} />,
  }));

/** Pixels between names. */
const BETWEEN = 8;
/** Pixels between the frame and the outermost points; names need more. */
const INSET = { named: 46, bare: 18 } as const;

function points(figure: FigureOf<"map">, room: Room<Row>, both: readonly Row[], color: (row: Row) => string) {
  const { rows } = figure;
  const { width } = room;
  const height = Math.round(Math.max(260, Math.min(440, width * 0.62)));
  const named = rows.length <= MOST_NAMES;
  const inset = named ? INSET.named : INSET.bare;
  const [[left, right], [low, high]] = [ends(both, (row) => row.x), ends(both, (row) => row.y)];
  const at = (row: Row) => ({
    x: inset + ((row.x - left) / (right - left)) * (width - 2 * inset),
    y: height - inset - ((row.y - low) / (high - low)) * (height - 2 * inset),
  });
  const wide = ({ key }: Row): number => textWidth(key, FONT.label) + BETWEEN;
  const places = named ? rows.map((row) => ({ ...at(row), wide: wide(row) })) : [];
  const names = placeNames(places, { width, height });
  return (
    <Marked {...{ room, rows, at }} tip={tipOf(figure, ({ key }) => key, "key", "x", "y")}>
      <svg width={width} height={height} fontSize={13} fill="var(--ink-soft)">
        <rect x={0.5} y={0.5} width={width - 1} height={height - 1} fill="none" stroke="var(--hairline)" />
        {rows.map((row, i) => (
          <circle
            key={i}
            cx={at(row).x}
            cy={at(row).y}
            r={rows.length > 800 ? 2.5 : 4.5}
            fill={row.exact ? color(row) : "var(--paper)"}
            stroke={color(row)}
            strokeWidth={1.5}
          />
        ))}
        <g {...HALO}>
          {names.map(
            (place, i) =>
              place && (
                <text key={i} x={place.x} y={place.y} textAnchor={place.anchor}>
                  {rows[i]!.key}
                </text>
              ),
          )}
        </g>
      </svg>
    </Marked>
  );
}

/** A point with its name's width in pixels. */
interface Named {
  readonly x: number;
  readonly y: number;
  readonly wide: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Pixels from the middle of a point that no name may cover. */
const POINT = 6;
/** Pixels that letters reach above and below their baseline. */
const [ASCENT, DESCENT] = [10, 3];

/** A place for the name of each point, in order; null if there is no room above, below, right or left of it. */
export function placeNames(
  points: readonly Named[],
  frame: { readonly width: number; readonly height: number },
): (Place | null)[] {
  const taken = points.map(({ x, y }): Box => ({
    left: x - POINT,
    right: x + POINT,
    top: y - POINT,
    bottom: y + POINT,
  }));
  return points.map(({ x, y, wide }, own) => {
    const places: readonly Place[] = [
      { x, y: y - 9, anchor: "middle" },
      { x, y: y + 17, anchor: "middle" },
      { x: x + 9, y: y + 4, anchor: "start" },
      { x: x - 9, y: y + 4, anchor: "end" },
    ];
    const found = places.find((place) => {
      const box = boxOf(place, wide);
      const inside =
        box.left >= 2 && box.right <= frame.width - 2 && box.top >= 2 && box.bottom <= frame.height - 2;
      return inside && taken.every((other, i) => i === own || !meet(box, other));
    });
    if (found) taken.push(boxOf(found, wide));
    return found ?? null;
  });
}

const SHARE_LEFT = { start: 0, middle: 0.5, end: 1 } as const;

function boxOf({ x, y, anchor }: Place, wide: number): Box {
  const left = x - SHARE_LEFT[anchor] * wide;
  return { left, right: left + wide, top: y - ASCENT, bottom: y + DESCENT };
}

const meet = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
