/** @file Figures of marks that can be walked through: heat maps of studies, keys, layers and tokens, and the map of vectors. */

import type { RowOf, FigureOf } from "../../figures/registry.ts";
import { count, counted } from "../format.ts";
import { layerColor, ramp, bothRows, distinct, largest, rowOfMost, ends } from "./kit/scale.ts";
import { HeatGrid, Marked } from "./kit/HeatGrid.tsx";
import type { PictureOf, Picture, Room } from "./kit/picture.tsx";
import {
  apartText,
  axisText,
  behindShare,
  columnOf,
  numberText,
  shareText,
  tipOf,
  tokenText,
} from "./kit/text.ts";
import { useMemo, useState } from "react";
import { groupBy } from "../../lib/group.ts";
import { Choice } from "../controls/Field.tsx";
import { Legend } from "./kit/Chart.tsx";

export const gridFigure: PictureOf<"grid"> = (figure, beside) => {
  const { rows } = figure;
  const best = rowOfMost(rows, ({ value }) => value);
  const column = (name: string) => columnOf(figure, name);
  const value = column("value");
  const top = largest(bothRows(figure, beside), (row) => row.value, 1);
  const different = (name: "panel" | "row" | "column") => [...new Set(rows.map((row) => row[name]))];
  const nameOf = (row: RowOf<"grid">) => [row.panel, row.row, row.column].filter(Boolean).join(", ");
  return {
    summary: `Highest: ${numberText(best?.value ?? NaN)}${best ? ` for ${nameOf(best)}` : ""}.`,
    draw: (room) => (
      <HeatGrid
        {...{ room, rows }}
        at={(row) => row}
        panels={different("panel")}
        down={{ keys: different("row"), title: column("row").label }}
        across={{ keys: different("column"), title: axisText(column("column")) }}
        widths={[44, 110]}
        height={32}
        share={(row) => row.value / top}
        text={(row) => numberText(row.value, 2)}
        tip={(row) => [nameOf(row), [[value.label, `${numberText(row.value)}${behindShare(value, row)}`]]]}
      />
    ),
  };
};

export const attributionFigure: PictureOf<"attribution"> = (figure) => {
  const rows = figure.rows.filter(({ samples }) => samples > 0);
  const failed = rows.filter(({ outcome }) => outcome !== "right");
  const sum = failed.reduce((all, { samples }) => all + samples, 0);
  const nameOf = ({ task, length, method }: RowOf<"attribution">): string =>
    [task, length, method === "ours" ? "" : method].filter(Boolean).join(" ");
  return {
    summary: `${counted(sum, "question")} failed: ${failed.map(({ outcome, samples }) => `${outcome} ${samples}`).join(", ") || "none"}.`,
    below: "Colour: share of the questions of a row. Number: how many.",
    draw: (room) => (
      <HeatGrid
        {...{ room, rows }}
        at={(row) => ({ row: nameOf(row), column: row.outcome })}
        down={{ keys: [...new Set(rows.map(nameOf))] }}
        across={{ keys: [...new Set(rows.map(({ outcome }) => outcome))] }}
        widths={[78, 130]}
        height={28}
        share={({ share }) => share}
        text={({ samples, share }) => `${count(samples)}, ${shareText(share)}`}
        tip={tipOf(figure, (row) => `${nameOf(row)}: ${row.outcome}`, "task", "length", "method", "outcome")}
      />
    ),
  };
};

export const similarityFigure: PictureOf<"similarity-matrix"> = (figure, beside) => {
  const { rows, guides } = figure;
  const names = rows.filter(({ column }) => column === 0).map(({ a }) => a);
  const others = rows.filter(({ row, column }) => row !== column);
  const closest = rowOfMost(others, ({ similarity }) => similarity);
  const low = bothRows(figure, beside).reduce((least, { similarity }) => Math.min(least, similarity), 1);
  const theta = guides[0]!;
  const gate =
    low > theta.value
      ? ` All are above ${theta.label}: every prompt opens the gate, and the nearest key decides.`
      : "";
  const keys = names.map((_, i) => String(i));
  return {
    summary: closest
      ? `${counted(names.length, "key")}; the closest pair is ${closest.a} and ${closest.b} with ${apartText(closest.similarity, 1)}.`
      : "One key, similar only to itself.",
    below: closest
      ? low === 1
        ? "All keys are alike."
        : `Colour: cosine similarity from ${apartText(low, 1)} (palest) to 1.${gate}`
      : undefined,
    draw: (room) => (
      <HeatGrid
        {...{ room, rows }}
        at={({ row, column }) => ({ row: String(row), column: String(column) })}
        down={{ keys, labels: names }}
        across={{ keys, labels: keys.map(() => "") }}
        widths={[1, 34]}
        share={({ similarity }) => (low === 1 ? 1 : (similarity - low) / (1 - low))}
        tip={({ a, b, similarity }) => [`${a} and ${b}`, [["similarity", apartText(similarity, 1)]]]}
      />
    ),
  };
};

/** Smallest and largest width of a cell with a token: room for a short word. */
export const LENS_WIDTHS = [44, Infinity] as const;

export const lensFigure: PictureOf<"lens"> = (figure) => {
  const { rows, guides } = figure;
  const layers = distinct(rows, ({ layer }) => layer).reverse();
  const last = rows.filter(({ layer }) => layer === layers[0]);
  const right = last.filter(({ rank }) => rank === 1).length;
  return {
    summary: `After the last layer the right token is likeliest at ${right} of ${last.length} positions.`,
    below:
      "Colour: probability of the right token; darker is more likely. Word: the most likely token after that layer.",
    draw: (room) => (
      <HeatGrid
        {...{ room, rows }}
        at={({ layer, step }) => ({ row: String(layer), column: String(step) })}
        down={{
          keys: layers.map(String),
          labels: layers.map((layer) => (layer === guides[0]?.value ? `δ → layer ${layer}` : String(layer))),
        }}
        across={{ keys: last.map(({ step }) => String(step)), labels: last.map((row) => row.right) }}
        tokens
        widths={LENS_WIDTHS}
        height={26}
        share={({ logProbability }) => Math.exp(logProbability)}
        tone="rubric"
        text={({ best }) => tokenText(best)}
        tip={tipOf(
          figure,
          (row) => `After layer ${row.layer}: ${tokenText(row.right)}`,
          "layer",
          "step",
          "right",
        )}
      />
    ),
  };
};

const CELLS = [10, 26] as const;
const LABELS = 16;

export const roundRobinFigure: PictureOf<"round-robin"> = (figure) => {
  const { rows, caption, guides } = figure;
  const moved = rows.filter(({ byEquation }) => !byEquation).length;
  const example = rows.find(({ index }) => index > 1) ?? rows[0];
  const orders = distinct(rows, ({ order }) => order);
  return {
    summary: `${caption} Layers alternate along each anchor and from anchor to anchor${moved > 0 ? `; ${counted(moved, "fact")} moved by hand` : ""}.`,
    below: example && workedExample(example, guides.length),
    draw: (room) => {
      const shown = orders.slice(0, Math.floor((room.width - LABELS) / CELLS[0]));
      const facts = rows.filter(({ order }) => order <= shown.at(-1)!);
      return (
        <HeatGrid
          room={room}
          rows={facts}
          at={({ order, index }) => ({ row: String(index), column: String(order) })}
          down={{ keys: distinct(facts, ({ index }) => index).map(String), title: "j" }}
          across={{
            keys: shown.map(String),
            title:
              shown.length < orders.length
                ? `first ${count(shown.length)} of ${counted(orders.length, "anchor")}`
                : "anchor order ι",
          }}
          widths={CELLS}
          height={Math.min(CELLS[1], (room.width - LABELS) / shown.length)}
          color={({ layer }) => layerColor(layer)}
          text={({ layer }) => String(layer)}
          outlined={({ byEquation }) => !byEquation}
          tip={tipOf(figure, ({ key }) => key, "key", "order", "index")}
        />
      );
    },
  };
};

/** Eq. 2 for one fact in numbers; if ι is a hash of the anchor's words, with its remainder mod K. */
function workedExample({ key, order, index, slot, layer }: RowOf<"round-robin">, K: number): string {
  const j = index - 1;
  const rest = (((slot - j) % K) + K) % K;
  const [name, iota] = order % K === rest ? ["ι", order] : [`ι mod ${K}`, rest];
  return `Example: ${key} has ${name} = ${iota} and j = ${j}. (${iota} + ${j}) mod ${K} = ${slot}, and λ has layer ${layer} at place ${slot}.`;
}

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
