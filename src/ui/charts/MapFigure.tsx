/** @file Keys or residuals in two dimensions, coloured by layer, anchor or fidelity; on canvas past 5,000 points. */

import { useCallback, useMemo, useState } from "react";
import type { mapRows } from "../../figures/reconstruction.ts";
import { Choice } from "../controls/Choice.tsx";
import { counted } from "../format.ts";
import { layerOf, ramp } from "./kit/colors.ts";
import { FigureFrame, type Room } from "./kit/FigureFrame.tsx";
import { FONT, textWidth } from "./kit/measure.ts";
import { PlotDrawing, type Plot } from "./kit/PlotDrawing.tsx";
import { bothRows } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";
import { PointCloud } from "./PointCloud.tsx";

type Mapped = ReturnType<typeof mapRows>;
export type MapRow = Mapped["rows"][number];
type By = "layer" | "anchor" | "fidelity";

const MOST_MARKS = 5000;
/** Anchors that get a colour of their own; more could not be told apart. */
const NAMED = 6;

export function MapFigure({
  figure,
  beside,
}: {
  readonly figure: Mapped;
  /** Drawn on the same axes, with the same colours. */
  readonly beside?: Mapped | null | undefined;
}) {
  const { rows } = figure;
  const both = useMemo(() => bothRows(figure, beside), [figure, beside]);
  const [by, setBy] = useState<By>("layer");
  const layers = new Set(rows.map(({ layer }) => layer)).size;
  const color = useMemo(() => colorBy(both, by), [both, by]);
  return (
    <FigureFrame
      figure={figure}
      summary={`${counted(rows.length, "point")} of ${counted(layers, "layer")}, coloured by ${by}.`}
      controls={
        <Choice
          label="Coloured by"
          value={by}
          onChange={setBy}
          options={[
            { value: "layer", label: "layer" },
            { value: "anchor", label: "anchor" },
            { value: "fidelity", label: "fidelity" },
          ]}
        />
      }
      below={NOTES[by]}
    >
      {({ width, pick }) => (
        <>
          {by !== "fidelity" && <Key rows={both} by={by} color={color} width={width} />}
          {rows.length > MOST_MARKS ? (
            <PointCloud {...{ rows, both, color, width, pick }} height={heightAt(width)} />
          ) : (
            <Points {...{ rows, both, color, width, pick }} />
          )}
        </>
      )}
    </FigureFrame>
  );
}

const NOTES: Readonly<Record<By, string>> = {
  layer: "Hollow: not exact.",
  anchor: "Grey: the other anchors. Hollow: not exact.",
  fidelity: "Green: exact. Hollow red, stronger as fidelity falls: not exact.",
};

const heightAt = (width: number): number => Math.round(Math.max(260, Math.min(440, width * 0.62)));

const ANCHOR_COLORS = [0, 5, 2, 9, 4, 1].map(layerOf);

/** The anchors with the most points, most first. */
function largestAnchors(rows: readonly MapRow[]): string[] {
  const sizes = new Map<string, number>();
  for (const { anchor } of rows) sizes.set(anchor, (sizes.get(anchor) ?? 0) + 1);
  return [...sizes]
    .sort(([, a], [, b]) => b - a)
    .slice(0, NAMED)
    .map(([anchor]) => anchor);
}

function colorBy(rows: readonly MapRow[], by: By): (row: MapRow) => string {
  if (by === "layer") return ({ layer }) => layerOf(layer);
  if (by === "fidelity")
    return ({ fidelity, exact }) =>
      exact ? "var(--verdigris)" : ramp(0.35 + 0.65 * (1 - fidelity), "rubric");
  const place = new Map(largestAnchors(rows).map((anchor, i) => [anchor, i]));
  return ({ anchor }) => ANCHOR_COLORS[place.get(anchor) ?? -1] ?? "var(--ink-faint)";
}

/** The colours by name, inside the drawing. */
function Key({
  rows,
  by,
  color,
  width,
}: {
  readonly rows: readonly MapRow[];
  readonly by: "layer" | "anchor";
  readonly color: (row: MapRow) => string;
  readonly width: number;
}) {
  const names =
    by === "anchor"
      ? largestAnchors(rows)
      : [...new Set(rows.map(({ layer }) => layer))].sort((a, b) => a - b);
  let [x, y] = [0, 0];
  const items = names.map((name) => {
    const label = by === "layer" ? `layer ${name}` : String(name);
    const wide = textWidth(label, FONT.label) + 30;
    if (x > 0 && x + wide > width) [x, y] = [0, y + KEY];
    const place = {
      label,
      x,
      y,
      row: rows.find((one) => (by === "anchor" ? one.anchor : one.layer) === name)!,
    };
    x += wide;
    return place;
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

const KEY = 18;

function Points({
  rows,
  both,
  color,
  width,
  pick,
}: {
  readonly rows: readonly MapRow[];
  /** What the axes hold. */
  readonly both: readonly MapRow[];
  readonly color: (row: MapRow) => string;
} & Pick<Room, "width" | "pick">) {
  const height = heightAt(width);
  const make = useCallback(
    (plot: Plot, width: number) => {
      const fill = (row: MapRow) => (row.exact ? color(row) : "var(--paper)");
      return {
        margin: 12,
        axis: null,
        x: { domain: ends(both, ({ x }) => x) },
        y: { domain: ends(both, ({ y }) => y) },
        inset: rows.length <= 60 ? 34 : 14,
        marks: [
          plot.frame({ stroke: "var(--hairline)" }),
          plot.dot(rows, { x: "x", y: "y", r: rows.length > 800 ? 2.5 : 4.5, fill, stroke: color, strokeWidth: 1.5 }),
          ...(rows.length <= 60
            ? [plot.text(spread(rows, width, height), { x: "x", y: "y", text: "key", dy: -11, fill: "var(--ink-soft)", stroke: "var(--paper)", strokeWidth: 3 })]
            : []),
          plot.tip(rows, plot.pointer({
            x: "x",
            y: "y",
            title: (row: MapRow) =>
              `${row.key}\nlayer ${row.layer}, ${row.exact ? "exact" : `fidelity ${numberText(row.fidelity)}`}`,
          })),
        ],
      };
    }, // prettier-ignore
    [rows, both, color, height],
  );
  return <PlotDrawing width={width} height={height} make={make} onPick={pick} />;
}

/** Smallest and largest, never the same. */
export function ends(rows: readonly MapRow[], of: (row: MapRow) => number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) [low, high] = [Math.min(low, of(row)), Math.max(high, of(row))];
  return low < high ? [low, high] : [low - 1, low + 1];
}

/** Room that a name takes, in pixels of the frame. */
const NAME = 100;
const LINE = 26;

/** Points far enough from each other that their names do not meet. */
function spread(rows: readonly MapRow[], width: number, height: number): MapRow[] {
  const [xs, ys] = [rows.map(({ x }) => x), rows.map(({ y }) => y)];
  const across = Math.max(...xs) - Math.min(...xs) || 1;
  const down = Math.max(...ys) - Math.min(...ys) || 1;
  const named: MapRow[] = [];
  for (const row of rows) {
    const near = named.some(
      (other) =>
        Math.abs(other.x - row.x) / across < NAME / width && Math.abs(other.y - row.y) / down < LINE / height,
    );
    if (!near) named.push(row);
  }
  return named;
}
