/** @file Stored and recalled value as one line, token by token. */

import type { PictureOf } from "./kit/picture.ts";
import { TokenText, type DrawnToken } from "./kit/Tokens.tsx";

export const diffFigure: PictureOf<"reconstruction-diff"> = ({ rows, caption }) => {
  const tokens = rows.map(({ op, token }): DrawnToken => ({
    text: token,
    fate: op === "missing" || op === "added" ? op : "right",
    title: `${token}: ${op}`,
  }));
  const exact = rows.every(({ op }) => op === "same");
  return {
    summary: exact ? `The recall is the stored value, token for token. ${caption}` : caption,
    below: exact
      ? "Token for token the stored value."
      : "Struck through: stored, not said. Red: said, not stored.",
    draw: ({ width }) => <TokenText blocks={[{ tokens, key: "line" }]} width={width} />,
  };
};
