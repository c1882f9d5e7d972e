/** @file How the numbers of a vector are spread, as bars, with zero marked. */

import { FigureFrame } from "../../charts/kit/FigureFrame.tsx";
import { numberText } from "../../charts/kit/text.ts";
import type { vectorHistogram } from "./vectors.ts";

const HEIGHT = 72;
const FOOT = 18;

export function HistogramFigure({ figure }: { readonly figure: ReturnType<typeof vectorHistogram> }) {
  const { rows } = figure;
  const [first, last] = [rows[0], rows.at(-1)];
  const most = rows.reduce((top, { values }) => Math.max(top, values), 1);
  const summary = `Numbers from ${numberText(first?.from ?? 0)} to ${numberText(last?.to ?? 0)}; at most ${most} in one of ${rows.length} parts.`;
  return (
    <FigureFrame figure={figure} summary={summary}>
      {({ width }) => {
        if (!first || !last) return null;
        const x = (value: number): number => ((value - first.from) / (last.to - first.from || 1)) * width;
        const zero = x(0);
        // A single number in a part of its own must be seen beside hundreds in another.
        const tall = (values: number): number =>
          values === 0 ? 0 : Math.max(2, (values / most) * (HEIGHT - 4));
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
            {zero > 30 && zero < width - 30 && (
              <>
                <line
                  x1={zero}
                  x2={zero}
                  y1={0}
                  y2={HEIGHT + 4}
                  stroke="var(--ink-soft)"
                  strokeDasharray="2 3"
                />
                <text x={zero} y={HEIGHT + 15} textAnchor="middle">
                  0
                </text>
              </>
            )}
            <text x={0} y={HEIGHT + 15}>
              {numberText(first.from)}
            </text>
            <text x={width} y={HEIGHT + 15} textAnchor="end">
              {numberText(last.to)}
            </text>
          </svg>
        );
      }}
    </FigureFrame>
  );
}
