/** @file Tokens of text one after another, in lines, each with its fate as colour and as a mark under or through it. */

import { FONT, textWidth } from "./measure.ts";
import { tokenText } from "./text.ts";

export interface DrawnToken {
  readonly text: string;
  /** right: ink. missing: stored, not said (struck). added: said, not stored (underlined). plain: soft. */
  readonly fate: "right" | "missing" | "added" | "plain";
  /** For a tooltip. */
  readonly title?: string;
}

export const LINE = 28;
const GAP = 3;

interface Placed {
  readonly token: DrawnToken;
  readonly x: number;
  readonly line: number;
  readonly width: number;
  readonly text: string;
}

/** Where each token stands, in lines of `width` pixels. */
export function layTokens(tokens: readonly DrawnToken[], width: number): { placed: Placed[]; lines: number } {
  let [x, line] = [0, 0];
  const placed = tokens.map((token): Placed => {
    const starts = token.text === "" || /^\s/.test(token.text);
    const text = tokenText(token.text);
    const wide = textWidth(text, FONT.words) + 2;
    if (x > 0) x += starts ? GAP + 3 : 0;
    if (x + wide > width && x > 0) {
      x = 0;
      line++;
    }
    const place = { token, x, line, width: wide, text };
    x += wide;
    return place;
  });
  return { placed, lines: line + 1 };
}

const INK = {
  right: "var(--ink)",
  plain: "var(--ink-soft)",
  missing: "var(--ink-soft)",
  added: "var(--rubric)",
} as const;

/** The tokens from (x, y) down; y is the top of the first line. */
export function TokenLines({
  placed,
  x = 0,
  y = 0,
}: {
  readonly placed: readonly Placed[];
  readonly x?: number;
  readonly y?: number;
}) {
  return (
    <g transform={`translate(${x} ${y})`}>
      {placed.map(({ token, x: left, line, width, text }, i) => {
        const base = line * LINE + 19;
        return (
          <g key={i}>
            {token.title && <title>{token.title}</title>}
            {token.fate === "added" && (
              <rect x={left - 1} y={base - 14} width={width} height={18} fill="var(--rubric-wash)" />
            )}
            <text
              x={left}
              y={base}
              fontSize={15}
              fill={INK[token.fate]}
              style={{ fontFamily: "var(--serif)" }}
            >
              {text}
            </text>
            {token.fate === "missing" && (
              <line
                x1={left - 1}
                x2={left + width - 1}
                y1={base - 5}
                y2={base - 5}
                stroke="var(--ink)"
                strokeWidth={1.4}
              />
            )}
            {token.fate === "added" && (
              <line
                x1={left - 1}
                x2={left + width - 1}
                y1={base + 4}
                y2={base + 4}
                stroke="var(--rubric)"
                strokeWidth={1.4}
              />
            )}
          </g>
        );
      })}
    </g>
  );
}
