/** @file What the soft and the top-1 read decode, beside the stored value. */

import type { RowOf } from "../../figures/registry.ts";
import type { PictureOf } from "./kit/picture.ts";
import { TokenText, type DrawnToken } from "./kit/Tokens.tsx";

type Row = RowOf<"reads-side-by-side">;

/** Pixels of the reads' names. */
const NAMES = 62;

export const readsFigure: PictureOf<"reads-side-by-side"> = ({ rows }) => {
  const wrong = (of: (row: Row) => boolean | null) => rows.filter((row) => of(row) === false).length;
  const blocks = [
    { key: "stored", tokens: tokensOf(rows, "value", () => true) },
    { key: "soft", tokens: tokensOf(rows, "soft", (row) => row.softRight) },
    { key: "top-1", tokens: tokensOf(rows, "top1", (row) => row.top1Right) },
  ].map((block) => ({ ...block, left: NAMES, below: 4, head: <Name>{block.key}</Name> }));
  return {
    summary: `Wrong tokens: ${wrong((row) => row.softRight)} in the soft read, ${wrong((row) => row.top1Right)} in the top-1 read, of ${rows.length}.`,
    draw: ({ width }) => <TokenText blocks={blocks} width={width} />,
  };
};

function Name({ children }: { readonly children: string }) {
  return (
    <text x={0} y={19} fontSize={11.5} fill="var(--ink-soft)">
      {children}
    </text>
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
