/** @file Figures that are heat maps: studies and evaluations, similar keys, the logit lens, and Eq. 2. */

import type { RowOf } from "../../figures/registry.ts";
import { count, counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import { HeatGrid } from "./kit/HeatGrid.tsx";
import type { PictureOf } from "./kit/picture.ts";
import { bothRows, distinct, largest, rowOfMost } from "./kit/scale.ts";
import { apartText, axisText, behindShare, numberText, tokenText } from "./kit/text.ts";

export const gridFigure: PictureOf<"grid"> = (figure, beside) => {
  const { rows, columns } = figure;
  const best = rowOfMost(rows, ({ value }) => value);
  const column = (name: string) => columns.find((one) => one.name === name)!;
  const value = column("value");
  const top = largest(bothRows(figure, beside), (row) => row.value, 1);
  const different = (name: "panel" | "row" | "column") => [...new Set(rows.map((row) => row[name]))];
  return {
    interactive: true,
    summary: `Highest: ${numberText(best?.value ?? NaN)} for ${[best?.panel, best?.row, best?.column].filter(Boolean).join(", ")}.`,
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
        tip={(row) => [
          [row.panel, row.row, row.column].filter(Boolean).join(", "),
          [[value.label, `${numberText(row.value)}${behindShare(value, row)}`]],
        ]}
      />
    ),
  };
};

export const similarityFigure: PictureOf<"similarity-matrix"> = (figure, beside) => {
  const { rows, guides } = figure;
  const names = rows.filter(({ column }) => column === 0).map(({ a }) => a);
  const others = rows.filter(({ row, column }) => row !== column);
  const closest = rowOfMost(others, ({ similarity }) => similarity);
  const farthest = rowOfMost(others, ({ similarity }) => -similarity);
  const low = bothRows(figure, beside).reduce((least, { similarity }) => Math.min(least, similarity), 1);
  const theta = guides[0]!;
  const gate =
    low > theta.value
      ? ` All are above ${theta.label}: every prompt opens the gate, and the nearest key decides.`
      : "";
  const keys = names.map((_, i) => String(i));
  return {
    interactive: true,
    summary:
      closest && farthest
        ? `${counted(names.length, "key")}; similarities from ${apartText(farthest.similarity, 1)} to ${apartText(closest.similarity, 1)}, the closest pair ${closest.a} and ${closest.b}.`
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

/** Smallest and largest width of a cell of the lens: room for a short word. */
export const LENS_WIDTHS = [44, Infinity] as const;

export const lensFigure: PictureOf<"lens"> = ({ rows, guides }) => {
  const layers = distinct(rows, ({ layer }) => layer).reverse();
  const last = rows.filter(({ layer }) => layer === layers[0]);
  const right = last.filter(({ rank }) => rank === 1).length;
  const probability = (row: RowOf<"lens">): number => Math.exp(row.logProbability);
  return {
    interactive: true,
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
        share={probability}
        tone="rubric"
        text={({ best }) => tokenText(best)}
        tip={(row) => [
          `After layer ${row.layer}: ${tokenText(row.right)}`,
          [
            ["rank", row.rank],
            ["probability", numberText(probability(row), 2)],
            ["most likely", row.top],
          ],
        ]}
      />
    ),
  };
};

/** Smallest and largest cell of Eq. 2 in pixels. Anchors without room are in the table. */
const CELLS = [10, 26] as const;
const LABELS = 16;

export const roundRobinFigure: PictureOf<"round-robin"> = ({ rows, caption, guides }) => {
  const moved = rows.filter(({ byEquation }) => !byEquation).length;
  const example = rows.find(({ index }) => index > 1) ?? rows[0];
  const orders = distinct(rows, ({ order }) => order);
  return {
    interactive: true,
    summary: `${caption} Layers alternate along each anchor and from anchor to anchor${moved > 0 ? `; ${counted(moved, "fact")} moved by hand` : ""}.`,
    below: example && workedExample(example, guides.length),
    draw: (room) => {
      const shown = orders.slice(0, Math.floor((room.width - LABELS) / CELLS[0]));
      const facts = rows.filter(({ order }) => order <= shown.at(-1)!);
      const size = Math.min(CELLS[1], (room.width - LABELS) / shown.length);
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
          height={size}
          share={() => 1}
          color={({ layer }) => layerOf(layer)}
          text={({ layer }) => String(layer)}
          outlined={({ byEquation }) => !byEquation}
          tip={({ key, layer, slot, byEquation }) => [
            key,
            [["layer", layer], ["place in λ", slot], ...(byEquation ? [] : [["", "moved by hand"] as const])],
          ]}
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
