/** @file A layer's keys against each other: a matrix in one colour, on canvas where its cells pass 5,000. */

import { useCallback } from "react";
import type { similarityCells } from "../../figures/layers.ts";
import { ramp, rampBytes } from "./kit/colors.ts";
import { FigureFrame, type Room } from "./kit/FigureFrame.tsx";
import { cut, FONT, textWidth } from "./kit/measure.ts";
import { usePainter } from "./kit/painters.ts";
import { RampKey } from "./kit/RampKey.tsx";
import { bothRows } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Cells = ReturnType<typeof similarityCells>;
type Row = Cells["rows"][number];

const MOST_MARKS = 5000;
const TOP = 40;
const LARGEST = 34;

export function SimilarityFigure({
  figure,
  beside,
}: {
  readonly figure: Cells;
  /** Drawn on the same scale. */
  readonly beside?: Cells | null | undefined;
}) {
  const { rows } = figure;
  const n = Math.round(Math.sqrt(rows.length));
  const others = rows.filter(({ row, column }) => row !== column);
  const low = bothRows(figure, beside).reduce((least, { similarity }) => Math.min(least, similarity), 1);
  const closest = others.reduce<Row | undefined>(
    (best, row) => (best && best.similarity >= row.similarity ? best : row),
    undefined,
  );
  return (
    <FigureFrame
      figure={figure}
      empty="There is no key at this layer."
      summary={
        closest
          ? `${n} keys; similarities from ${numberText(Math.min(...others.map(({ similarity }) => similarity)))} to ${numberText(closest.similarity)}, the closest pair ${closest.a} and ${closest.b}.`
          : "One key, similar to itself alone."
      }
    >
      {({ width, pick }) => <Matrix rows={rows} n={n} low={low} width={width} pick={pick} />}
    </FigureFrame>
  );
}

interface Drawn {
  readonly rows: readonly Row[];
  readonly n: number;
  readonly low: number;
  readonly width: number;
}

function Matrix({ rows, n, low, width, pick }: Drawn & Pick<Room, "pick">) {
  const names = rows.filter(({ column }) => column === 0).map(({ a }) => a);
  const longest = Math.min(120, Math.max(...names.map((name) => textWidth(name, FONT.label))) + 10);
  const named = (width - longest) / n >= 12;
  const left = named ? longest : 0;
  const size = Math.max(1, Math.min(LARGEST, Math.floor((Math.min(width, 640) - left) / n)));
  const height = TOP + n * size + 4;
  return (
    <div
      style={{ position: "relative", height, ...(pick ? { cursor: "pointer" } : {}) }}
      onClick={({ clientX, clientY, currentTarget }) => {
        const { left: x, top: y } = currentTarget.getBoundingClientRect();
        const [column, row] = [(clientX - x - left) / size, (clientY - y - TOP) / size].map(Math.floor);
        const inside = [row!, column!].every((at) => at >= 0 && at < n);
        if (inside) pick?.(rows[row! * n + column!]!);
      }}
    >
      <svg width={width} height={height} fontSize={11.5} fill="var(--ink)">
        <RampKey
          x={left}
          y={14}
          width={Math.min(160, width - left)}
          label="similarity of two keys (cosine)"
          from={numberText(low)}
          to="1"
        />
        {named &&
          names.map((name, i) => (
            <text key={i} x={left - 8} y={TOP + i * size + size / 2 + 4} textAnchor="end">
              {cut(name, left - 12, FONT.label)}
            </text>
          ))}
        {rows.length <= MOST_MARKS &&
          rows.map(({ row, column, a, b, similarity }) => (
            <rect
              key={row * n + column}
              x={left + column * size}
              y={TOP + row * size}
              width={size - (size > 8 ? 1 : 0)}
              height={size - (size > 8 ? 1 : 0)}
              fill={ramp((similarity - low) / (1 - low || 1))}
            >
              <title>{`${a} and ${b}: ${similarity.toFixed(3)}`}</title>
            </rect>
          ))}
      </svg>
      {rows.length > MOST_MARKS && <CanvasMatrix rows={rows} n={n} low={low} width={n * size} left={left} />}
    </div>
  );
}

function CanvasMatrix({ rows, n, low, width, left }: Drawn & { readonly left: number }) {
  const paint = useCallback(
    (context: CanvasRenderingContext2D, element: Element) => {
      const colors = rampBytes(element);
      const image = new ImageData(n, n);
      rows.forEach(({ similarity }, i) => {
        const at = 3 * Math.round(255 * Math.max(0, (similarity - low) / (1 - low || 1)));
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
