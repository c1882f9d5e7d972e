/** @file A layer's keys against each other: a matrix in one colour, on canvas where its cells pass 5,000. */

import { useCallback, type MouseEvent } from "react";
import { counted } from "../format.ts";
import type { Guide } from "../../figures/figure.ts";
import type { RowOf } from "../../figures/registry.ts";
import { ramp, rampBytes } from "./kit/colors.ts";
import { cut, FONT, textWidth } from "./kit/measure.ts";
import { usePainter } from "./kit/painters.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import { RampKey } from "./kit/RampKey.tsx";
import { bothRows, rowOfMost } from "./kit/scale.ts";
import { apartText } from "./kit/text.ts";

type Row = RowOf<"similarity-matrix">;

const MOST_MARKS = 5000;
const TOP = 40;
const LARGEST = 34;

export const similarityFigure: PictureOf<"similarity-matrix"> = (figure, beside) => {
  const { rows } = figure;
  const n = Math.round(Math.sqrt(rows.length));
  const others = rows.filter(({ row, column }) => row !== column);
  const closest = rowOfMost(others, ({ similarity }) => similarity);
  const farthest = rowOfMost(others, ({ similarity }) => -similarity);
  const low = bothRows(figure, beside).reduce((least, { similarity }) => Math.min(least, similarity), 1);
  return {
    summary:
      closest && farthest
        ? `${counted(n, "key")}; similarities from ${apartText(farthest.similarity, 1)} to ${apartText(closest.similarity, 1)}, the closest pair ${closest.a} and ${closest.b}.`
        : "One key, similar to itself alone.",
    below: n > 1 ? gateText(low, figure.guides[0]) : undefined,
    draw: (room) => <Matrix room={room} rows={rows} n={n} low={low} theta={figure.guides[0]!} />,
  };
};

/** What the gate makes of these keys: where all are alike, that it opens says nothing. */
const gateText = (low: number, theta: Guide | undefined): string | undefined =>
  theta && low > theta.value
    ? `All of them lie above ${theta.label}: every prompt opens the gate, and which key is nearest decides.`
    : undefined;

interface Cells {
  readonly rows: readonly Row[];
  readonly n: number;
  readonly low: number;
  /** Pixels of a cell. */
  readonly size: number;
  readonly left: number;
}

const shareOf = ({ similarity }: Row, low: number): number =>
  low === 1 ? 1 : (similarity - low) / (1 - low);

/** Pixels of a name's column that are not the name. */
const BESIDE = 12;
/** Names take at most this share of the figure: the cells need the rest. */
const MOST_FOR_NAMES = 0.4;

/** Pixels of the column that names stand in, the longest of which takes `longest`. */
export const nameColumn = (longest: number, width: number): number =>
  Math.min(Math.ceil(longest) + BESIDE, Math.round(width * MOST_FOR_NAMES));

function Matrix({
  room: { width, pick },
  rows,
  n,
  low,
  theta,
}: Pick<Cells, "rows" | "n" | "low"> & { readonly room: Room<Row>; readonly theta: Guide }) {
  const names = rows.filter(({ column }) => column === 0).map(({ a }) => a);
  const longest = nameColumn(Math.max(...names.map((name) => textWidth(name, FONT.label))), width);
  const named = (width - longest) / n >= 12;
  const left = named ? longest : 0;
  const size = Math.max(1, Math.min(LARGEST, Math.floor((Math.min(width, 640) - left) / n)));
  const height = TOP + n * size + 4;
  const many = rows.length > MOST_MARKS;
  const choose = ({ clientX, clientY, currentTarget }: MouseEvent): void => {
    const { left: x, top: y } = currentTarget.getBoundingClientRect();
    const [column, row] = [(clientX - x - left) / size, (clientY - y - TOP) / size].map(Math.floor);
    const inside = [row!, column!].every((at) => at >= 0 && at < n);
    if (inside) pick?.(rows[row! * n + column!]!);
  };
  return (
    <div style={{ position: "relative", height, ...(pick ? { cursor: "pointer" } : {}) }} onClick={choose}>
      <svg width={width} height={height} fontSize={11.5} fill="var(--ink)">
        <RampKey
          x={left}
          y={14}
          width={Math.min(160, width - left)}
          label="similarity of two keys (cosine)"
          from={low === 1 ? (n === 1 ? "1: one key" : "1: all alike") : apartText(low, 1)}
          to={low === 1 ? "" : "1"}
          mark={low < theta.value ? { share: (theta.value - low) / (1 - low), label: theta.label } : null}
        />
        {named &&
          names.map((name, i) => (
            <text key={i} x={left - 8} y={TOP + i * size + size / 2 + 4} textAnchor="end">
              {cut(name, left - BESIDE, FONT.label)}
            </text>
          ))}
        {!many && <Squares {...{ rows, n, low, size, left }} />}
      </svg>
      {many && <Painted {...{ rows, n, low, size, left }} />}
    </div>
  );
}

function Squares({ rows, low, size, left }: Cells) {
  const side = size - (size > 8 ? 1 : 0);
  return rows.map((cell, i) => (
    <rect
      key={i}
      x={left + cell.column * size}
      y={TOP + cell.row * size}
      width={side}
      height={side}
      fill={ramp(shareOf(cell, low))}
    >
      <title>{`${cell.a} and ${cell.b}: ${apartText(cell.similarity, 1)}`}</title>
    </rect>
  ));
}

function Painted({ rows, n, low, size, left }: Cells) {
  const width = n * size;
  const paint = useCallback(
    (context: CanvasRenderingContext2D, element: Element) => {
      const colors = rampBytes(element);
      const image = new ImageData(n, n);
      rows.forEach((row, i) => {
        const at = 3 * Math.round(255 * Math.max(0, shareOf(row, low)));
        image.data.set([colors[at]!, colors[at + 1]!, colors[at + 2]!, 255], 4 * i);
      });
      const small = new OffscreenCanvas(n, n);
      small.getContext("2d")!.putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      context.drawImage(small, 0, 0, width, width);
    },
    [rows, n, low, width],
  );
  const canvas = usePainter(width, width, paint);
  return (
    <canvas
      ref={canvas}
      style={{ position: "absolute", left, top: TOP, width, height: width }}
      aria-hidden="true"
    />
  );
}
