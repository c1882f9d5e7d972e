/** @file What drawings of our own share: lines across with their numbers, tokens on end, and cells of a heat map. */

import { onRamp, ramp, type Tone } from "./colors.ts";
import { numberText, tokenText } from "./text.ts";

/** Lines across at values, each with its number on the left. */
export function Gridlines({
  values,
  y,
  left,
  right,
}: {
  readonly values: readonly number[];
  readonly y: (value: number) => number;
  readonly left: number;
  readonly right: number;
}) {
  return values.map((value) => (
    <g key={value}>
      <line x1={left} x2={right} y1={y(value)} y2={y(value)} stroke="var(--hairline)" />
      <text x={left - 6} y={y(value) + 4} textAnchor="end">
        {numberText(value)}
      </text>
    </g>
  ));
}

/** A token on end, below its place. */
export function TokenOnEnd({
  x,
  y,
  token,
  strong = false,
}: {
  readonly x: number;
  readonly y: number;
  readonly token: string;
  readonly strong?: boolean;
}) {
  return (
    <text
      transform={`translate(${x + 4} ${y}) rotate(-90)`}
      textAnchor="end"
      fill={strong ? "var(--lapis)" : "var(--ink)"}
      fontWeight={strong ? 600 : 400}
    >
      {tokenText(token).slice(0, 11)}
    </text>
  );
}

/** A cell of a heat map around a place, with a word where there is one. */
export function HeatCell({
  x,
  y,
  width,
  height,
  share,
  tone,
  children,
}: {
  /** The middle. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly share: number;
  readonly tone?: Tone;
  readonly children: string;
}) {
  return (
    <g>
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} fill={ramp(share, tone)} />
      <text x={x} y={y + 4} textAnchor="middle" fill={onRamp(share)}>
        {children}
      </text>
    </g>
  );
}
