/** @file How the numbers of a vector are spread, as bars, with zero marked. */

import { counted } from "../format.ts";
import type { RowOf } from "../../figures/registry.ts";
import type { PictureOf } from "./kit/picture.ts";
import { largest } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Row = RowOf<"vector-histogram">;

const HEIGHT = 72;
const FOOT = 18;

export const histogramFigure: PictureOf<"vector-histogram"> = ({ rows }) => {
  const most = largest(rows, ({ values }) => values, 1);
  return {
    summary: `Numbers from ${numberText(rows[0]?.from ?? 0)} to ${numberText(rows.at(-1)?.to ?? 0)}; at most ${most} in one of ${counted(rows.length, "part")}.`,
    draw: ({ width }) => <Bars rows={rows} most={most} width={width} />,
  };
};

function Bars({
  rows,
  most,
  width,
}: {
  readonly rows: readonly Row[];
  readonly most: number;
  readonly width: number;
}) {
  const [low, high] = [rows[0]!.from, rows.at(-1)!.to];
  const x = (value: number): number => ((value - low) / (high - low || 1)) * width;
  // A single number in a part of its own must be seen beside hundreds in another.
  const tall = (values: number): number => (values === 0 ? 0 : Math.max(2, (values / most) * (HEIGHT - 4)));
  const zero = x(0);
  return (
    <svg width={width} height={HEIGHT + FOOT} fontSize={11.5} fill="var(--ink-soft)">
      {rows.map(({ from, to, values }) => (
        <rect
          key={from}
          x={x(from) + 0.5}
          y={HEIGHT - tall(values)}
          width={Math.max(1, x(to) - x(from) - 1)}
          height={tall(values)}
          fill="var(--lapis)"
        >
          <title>{`${numberText(from)} to ${numberText(to)}: ${values}`}</title>
        </rect>
      ))}
      <line x1={0} x2={width} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} stroke="var(--hairline-strong)" />
      {zero > 30 && zero < width - 30 && <Zero x={zero} />}
      <text x={0} y={HEIGHT + 15}>
        {numberText(low)}
      </text>
      <text x={width} y={HEIGHT + 15} textAnchor="end">
        {numberText(high)}
      </text>
    </svg>
  );
}

function Zero({ x }: { readonly x: number }) {
  return (
    <>
      <line x1={x} x2={x} y1={0} y2={HEIGHT + 4} stroke="var(--ink-soft)" strokeDasharray="2 3" />
      <text x={x} y={HEIGHT + 15} textAnchor="middle">
        0
      </text>
    </>
  );
}
