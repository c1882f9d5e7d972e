/** @file The names of colours and lines, each behind its mark, in as many lines as they need. */

import type { ReactNode } from "react";
import { TICK } from "./Chart.tsx";
import { FONT, textWidth } from "./measure.ts";

/** Pixels of a line, of a mark, and between names. */
const [LINE, MARK, BETWEEN] = [18, 33, 25];

export function Legend({
  items,
  width,
}: {
  readonly items: readonly { readonly label: string; readonly mark: ReactNode }[];
  readonly width: number;
}) {
  let [x, y] = [0, 0];
  const placed = items.map((item) => {
    const wide = MARK + textWidth(item.label, FONT.label) + BETWEEN;
    if (x > 0 && x + wide > width) [x, y] = [0, y + LINE];
    const place = `translate(${x} ${y})`;
    x += wide;
    return { ...item, place };
  });
  return (
    <svg width={width} height={y + LINE + 6} {...TICK}>
      {placed.map(({ label, mark, place }) => (
        <g key={label} transform={place}>
          {mark}
          <text x={MARK} y={13} fill="var(--ink)">
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}
