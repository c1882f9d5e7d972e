/** @file Stored and recalled value as one line, token by token. */

import type { reconstructionDiff } from "../../figures/reconstruction.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { layTokens, LINE, TokenLines } from "./kit/Tokens.tsx";

const FATES = { same: "right", missing: "missing", added: "added" } as const;

export function DiffFigure({ figure }: { readonly figure: ReturnType<typeof reconstructionDiff> }) {
  const tokens = figure.rows.map(({ op, token }) => ({
    text: token,
    fate: FATES[op],
    title: `${token}: ${op}`,
  }));
  const exact = figure.rows.every(({ op }) => op === "same");
  return (
    <FigureFrame
      figure={figure}
      summary={exact ? `The recall is the stored value, token for token. ${figure.caption}` : figure.caption}
      below={
        exact
          ? "Token for token the stored value."
          : "Struck through: stored, not said. Red: said, not stored."
      }
    >
      {({ width }) => {
        const { placed, lines } = layTokens(tokens, width);
        return (
          <svg width={width} height={lines * LINE}>
            <TokenLines placed={placed} />
          </svg>
        );
      }}
    </FigureFrame>
  );
}
