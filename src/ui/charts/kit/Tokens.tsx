/** @file Tokens of text one after another, in lines, each with its fate as colour and as a mark under or through it. */

import type { ReactNode } from "react";
import { FONT, textWidth } from "./measure.ts";
import { tokenText } from "./text.ts";

export interface DrawnToken {
  readonly text: string;
  /** right: ink. missing: stored, not said (struck). added: said, not stored (underlined). plain: soft. */
  readonly fate: "right" | "missing" | "added" | "plain";
  /** For a tooltip. */
  readonly title?: string;
}

const LINE = 28;
const GAP = 3;

interface Placed {
  readonly token: DrawnToken;
  readonly x: number;
  readonly line: number;
  readonly width: number;
  readonly text: string;
}

/** Where each token stands, in lines of `width` pixels. */
function layTokens(tokens: readonly DrawnToken[], width: number): { placed: Placed[]; lines: number } {
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

/** Tokens under each other: a text, a read, a fact. */
export interface TokenBlock {
  readonly key: string;
  readonly tokens: readonly DrawnToken[];
  /** Pixels left of the tokens, above and below them. */
  readonly left?: number;
  readonly above?: number;
  readonly below?: number;
  /** What stands there, from the block's own corner. */
  readonly head?: ReactNode;
  /** Leads to what the block is of. */
  readonly pick?: (() => void) | null;
}

export function TokenText({
  blocks,
  width,
}: {
  readonly blocks: readonly TokenBlock[];
  readonly width: number;
}) {
  let y = 0;
  const drawn = blocks.map(({ key, tokens, left = 0, above = 0, below = 0, head, pick }) => {
    const { placed, lines } = layTokens(tokens, width - left);
    const [top, height] = [y, above + lines * LINE];
    y += height + below;
    return (
      <g
        key={key}
        transform={`translate(0 ${top})`}
        {...(pick ? { onClick: pick, style: { cursor: "pointer" } } : {})}
      >
        {pick && <rect width={width} height={height} fill="none" pointerEvents="all" />}
        {head}
        <g transform={`translate(${left} ${above})`}>
          {placed.map((place, i) => (
            <Token key={i} {...place} />
          ))}
        </g>
      </g>
    );
  });
  return (
    <svg width={width} height={y}>
      {drawn}
    </svg>
  );
}

function Token({ token: { title, fate }, x, line, width, text }: Placed) {
  const base = line * LINE + 19;
  const rule = (y: number, stroke: string) => (
    <line x1={x - 1} x2={x + width - 1} y1={y} y2={y} stroke={stroke} strokeWidth={1.4} />
  );
  return (
    <g>
      {title && <title>{title}</title>}
      {fate === "added" && (
        <rect x={x - 1} y={base - 14} width={width} height={18} fill="var(--rubric-wash)" />
      )}
      <text x={x} y={base} fontSize={15} fill={INK[fate]} style={{ fontFamily: "var(--serif)" }}>
        {text}
      </text>
      {fate === "missing" && rule(base - 5, "var(--ink)")}
      {fate === "added" && rule(base + 4, "var(--rubric)")}
    </g>
  );
}
