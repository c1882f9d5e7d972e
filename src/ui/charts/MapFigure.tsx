/** @file Keys or residuals in two dimensions, coloured by layer, anchor or fidelity. */

import { useMemo, useState } from "react";
import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { groupBy } from "../../lib/group.ts";
import { Choice } from "../controls/Choice.tsx";
import { counted } from "../format.ts";
import { layerColor, ramp } from "./kit/colors.ts";
import { Legend } from "./kit/Chart.tsx";
import { Marked } from "./kit/HeatGrid.tsx";
import { tipOf } from "./kit/text.ts";
import type { Picture, Room } from "./kit/picture.ts";
import { bothRows, distinct, ends } from "./kit/scale.ts";

type Row = RowOf<"map">;
type By = "layer" | "anchor" | "fidelity";

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

/** Pixels between the frame and the outermost points. */
const INSET = 18;

function points(figure: FigureOf<"map">, room: Room<Row>, both: readonly Row[], color: (row: Row) => string) {
  const { rows } = figure;
  const { width } = room;
  const height = Math.round(Math.max(260, Math.min(440, width * 0.62)));
  const [[left, right], [low, high]] = [ends(both, (row) => row.x), ends(both, (row) => row.y)];
  const at = (row: Row) => ({
    x: INSET + ((row.x - left) / (right - left)) * (width - 2 * INSET),
    y: height - INSET - ((row.y - low) / (high - low)) * (height - 2 * INSET),
  });
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
      </svg>
    </Marked>
  );
}
