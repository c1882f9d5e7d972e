/** @file Bars under each other, each with its name, its number and a line of words: for things that have names. */

import { cut, FONT, textWidth } from "./measure.ts";

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The number as it is said beside the bar. */
  readonly said: string;
  /** Words below the bar, in the hand of remembered text. */
  readonly note?: string;
  readonly color: string;
  /** Drawn hollow: the lesser kind. */
  readonly hollow?: boolean;
  /** Set in bold: the one that is meant. */
  readonly strong?: boolean;
  /** Leads to what it stands for. */
  readonly pick?: (() => void) | undefined;
}

export interface BarGroup {
  /** Empty: no heading. */
  readonly heading: string;
  readonly bars: readonly Bar[];
}

const ROW = 22;
const NOTE = 18;
const NAME = 16;
const HEADING = 22;

/** `domain`: what the ends of the scale stand for; the bars start at its first end. */
export function BarList({
  width,
  groups,
  domain,
  tick,
}: {
  readonly width: number;
  readonly groups: readonly BarGroup[];
  readonly domain?: readonly [number, number];
  /** A line at a value, with a word above it. */
  readonly tick?: { readonly value: number; readonly label: string };
}) {
  const all = groups.flatMap(({ bars }) => bars);
  const [low, high] = domain ?? [0, Math.max(1e-9, ...all.map(({ value }) => value))];
  const widest = Math.ceil(Math.max(...all.map(({ name }) => textWidth(name, FONT.strong)))) + 10;
  // Names that would be cut stand above their bars.
  const above = widest > width * 0.42;
  const names = above ? 0 : widest;
  const saidWidth = Math.ceil(Math.max(...all.map(({ said }) => textWidth(said, FONT.label)))) + 10;
  const track = Math.max(20, width - names - saidWidth);
  const at = (value: number): number => (Math.max(0, value - low) / (high - low)) * track;
  let y = tick ? 16 : 0;
  const top = y;
  const drawn = groups.map(({ heading, bars }, g) => {
    const from = y;
    if (heading) y += HEADING;
    const rows = bars.map((bar, i) => {
      const place = y;
      y += ROW + (above ? NAME : 0) + (bar.note ? NOTE : 0);
      return (
        <Row key={i} bar={bar} y={place} names={names} width={width} length={at(bar.value)} above={above} />
      );
    });
    y += 6;
    return (
      <g key={g}>
        {heading && (
          <text x={0} y={from + 15} fontSize={12} fontWeight={600} fill="var(--ink)">
            {heading}
          </text>
        )}
        {rows}
      </g>
    );
  });
  return (
    <svg width={width} height={y}>
      {tick && (
        <g>
          <line
            x1={names + at(tick.value)}
            x2={names + at(tick.value)}
            y1={top}
            y2={y}
            stroke="var(--lapis)"
            strokeDasharray="3 3"
          />
          <text x={names + at(tick.value)} y={11} fontSize={11.5} textAnchor="middle" fill="var(--lapis)">
            {tick.label}
          </text>
        </g>
      )}
      {drawn}
    </svg>
  );
}

function Row({
  bar: { name, said, note, color, hollow, strong, pick },
  y,
  names,
  width,
  length,
  above,
}: {
  readonly bar: Bar;
  readonly y: number;
  readonly names: number;
  readonly width: number;
  readonly length: number;
  readonly above: boolean;
}) {
  const font = strong ? FONT.strong : FONT.label;
  const top = above ? y + NAME : y;
  return (
    <g onClick={pick} style={pick ? { cursor: "pointer" } : undefined}>
      <title>{`${name}: ${said}${note ? `. ${note}` : ""}`}</title>
      {pick && (
        <rect
          x={0}
          y={y}
          width={width}
          height={ROW + (above ? NAME : 0) + (note ? NOTE : 0)}
          fill="none"
          pointerEvents="all"
        />
      )}
      <text x={0} y={y + 15} fontSize={12} fontWeight={strong ? 600 : 400} fill="var(--ink)">
        {cut(name, above ? width : names - 10, font)}
      </text>
      <rect
        x={names + 0.5}
        y={top + 5}
        width={Math.max(1, length)}
        height={12}
        fill={hollow ? "none" : color}
        stroke={hollow ? color : "none"}
      />
      <text x={names + length + 7} y={top + 15} fontSize={11.5} fill="var(--ink-soft)">
        {said}
      </text>
      {note && (
        <text
          x={names}
          y={top + ROW + 11}
          fontSize={13}
          fill="var(--ink-soft)"
          style={{ fontFamily: "var(--serif)" }}
        >
          {cut(note, width - names, FONT.words)}
        </text>
      )}
    </g>
  );
}
