/** @file What the soft and the top-1 read decode, beside the stored value. */

import type { readsSideBySide } from "../../figures/gates.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { layTokens, LINE, TokenLines, type DrawnToken } from "./kit/Tokens.tsx";

type Row = ReturnType<typeof readsSideBySide>["rows"][number];

const NAMES = 62;

export function ReadsFigure({ figure }: { readonly figure: ReturnType<typeof readsSideBySide> }) {
  const { rows } = figure;
  const wrong = (of: (row: Row) => boolean | null) => rows.filter((row) => of(row) === false).length;
  const reads = [
    { name: "stored", tokens: tokensOf(rows, "value", () => true) },
    { name: "soft", tokens: tokensOf(rows, "soft", (row) => row.softRight) },
    { name: "top-1", tokens: tokensOf(rows, "top1", (row) => row.top1Right) },
  ];
  return (
    <FigureFrame
      figure={figure}
      summary={`Wrong tokens: ${wrong((row) => row.softRight)} in the soft read, ${wrong((row) => row.top1Right)} in the top-1 read, of ${rows.length}.`}
    >
      {({ width }) => {
        let y = 0;
        const lines = reads.map(({ name, tokens }) => {
          const { placed, lines: count } = layTokens(tokens, width - NAMES);
          const top = y;
          y += count * LINE + 4;
          return (
            <g key={name}>
              <text x={0} y={top + 19} fontSize={11.5} fill="var(--ink-soft)">
                {name}
              </text>
              <TokenLines placed={placed} x={NAMES} y={top} />
            </g>
          );
        });
        return (
          <svg width={width} height={y}>
            {lines}
          </svg>
        );
      }}
    </FigureFrame>
  );
}

const tokensOf = (
  rows: readonly Row[],
  name: "value" | "soft" | "top1",
  right: (row: Row) => boolean | null,
): DrawnToken[] =>
  rows.flatMap((row) => {
    const text = row[name];
    return text === null || text === "" ? [] : [{ text, fate: right(row) === false ? "added" : "right" }];
  });
