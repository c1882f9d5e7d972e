/** @file The key of a colour ramp, inside the drawing: a bar with its ends in numbers. */

import { ramp, type Tone } from "./colors.ts";

const STEPS = 24;

/** `label` stands in front; the bar runs from `from` to `to`. A mark is a short line with a word. */
export function RampKey({
  x,
  y,
  width,
  tone,
  label,
  from,
  to,
  mark = null,
}: {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly tone?: Tone;
  readonly label: string;
  readonly from: string;
  readonly to: string;
  /** A place on the bar, from 0 to 1. */
  readonly mark?: { readonly share: number; readonly label: string } | null;
}) {
  const step = width / STEPS;
  return (
    <g transform={`translate(${x} ${y})`} fontSize={11.5} fill="var(--ink-soft)">
      <text x={0} y={-5}>
        {label}
      </text>
      {Array.from({ length: STEPS }, (_, i) => (
        <rect key={i} x={i * step} y={0} width={step + 0.5} height={8} fill={ramp(i / (STEPS - 1), tone)} />
      ))}
      {mark && (
        <g fill="var(--lapis)">
          <rect x={mark.share * width - 0.75} y={-3} width={1.5} height={14} />
          <text x={mark.share * width} y={21} textAnchor="middle">
            {mark.label}
          </text>
        </g>
      )}
      <text x={0} y={21}>
        {from}
      </text>
      <text x={width} y={21} textAnchor="end">
        {to}
      </text>
    </g>
  );
}
