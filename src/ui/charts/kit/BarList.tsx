/** @file Bars under each other, each with its name, its number and a line of words: for things that have names. */

import { cut, FONT, HALO, textWidth } from "./measure.ts";

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
  readonly pick?: (() => void) | null;
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
/** Between groups. */
const GAP = 6;

/** Where names, bars and numbers stand. */
interface Layout {
  readonly width: number;
  /** Pixels of the names' column; 0 where names stand above their bars. */
  readonly names: number;
  readonly length: (value: number) => number;
}

/** `domain`: what the ends of the scale stand for; the bars start at its first end. Either bars, or groups of them. */
export function BarList({
  width,
  bars = [],
  groups = [{ heading: "", bars }],
  domain,
  tick,
}: {
  readonly width: number;
  readonly bars?: readonly Bar[];
  readonly groups?: readonly BarGroup[];
  readonly domain?: readonly [number, number];
  /** A line at a value, with a word above it. */
  readonly tick?: { readonly value: number; readonly label: string } | null;
}) {
  const layout = layoutOf(
    width,
    groups.flatMap((group) => group.bars),
    domain,
  );
  let y = tick ? 16 : 0;
  const drawn = groups.map((group, g) => {
    const from = y;
    y += heightOf(group, layout) + GAP;
    return <Group key={g} group={group} y={from} layout={layout} />;
  });
  return (
    <svg width={width} height={y}>
      {tick && <TickLine x={layout.names + layout.length(tick.value)} bottom={y} label={tick.label} />}
      {drawn}
    </svg>
  );
}

function layoutOf(width: number, bars: readonly Bar[], domain?: readonly [number, number]): Layout {
  const [low, high] = domain ?? [0, Math.max(1e-9, ...bars.map(({ value }) => value))];
  const widest = (of: (bar: Bar) => string, font: string) =>
    Math.ceil(Math.max(...bars.map((bar) => textWidth(of(bar), font)))) + 10;
  const longest = widest(({ name }) => name, FONT.strong);
  // Names that would be cut stand above their bars.
  const names = longest > width * 0.42 ? 0 : longest;
  const track = Math.max(20, width - names - widest(({ said }) => said, FONT.label));
  return { width, names, length: (value) => (Math.max(0, value - low) / (high - low)) * track };
}

const rowHeight = ({ note }: Bar, { names }: Layout): number =>
  ROW + (names === 0 ? NAME : 0) + (note ? NOTE : 0);

const heightOf = ({ heading, bars }: BarGroup, layout: Layout): number =>
  bars.reduce((sum, bar) => sum + rowHeight(bar, layout), heading ? HEADING : 0);

function Group({
  group: { heading, bars },
  y,
  layout,
}: {
  readonly group: BarGroup;
  readonly y: number;
  readonly layout: Layout;
}) {
  let top = y + (heading ? HEADING : 0);
  const rows = bars.map((bar, i) => {
    const from = top;
    top += rowHeight(bar, layout);
    return <BarRow key={i} bar={bar} y={from} layout={layout} />;
  });
  return (
    <g>
      {heading && (
        <text x={0} y={y + 15} fontSize={12} fontWeight={600} fill="var(--ink)">
          {heading}
        </text>
      )}
      {rows}
    </g>
  );
}

function BarRow({ bar, y, layout }: { readonly bar: Bar; readonly y: number; readonly layout: Layout }) {
  const { name, value, said, note, color, hollow, strong, pick } = bar;
  const { width, names } = layout;
  const length = layout.length(value);
  const top = names === 0 ? y + NAME : y;
  const shown = cut(name, names === 0 ? width : names - 10, strong ? FONT.strong : FONT.label);
  return (
    <g {...(pick ? { onClick: pick, style: { cursor: "pointer" } } : {})}>
      <title>{`${name}: ${said}${note ? `. ${note}` : ""}`}</title>
      {pick && (
        <rect x={0} y={y} width={width} height={rowHeight(bar, layout)} fill="none" pointerEvents="all" />
      )}
      <text x={0} y={y + 15} fontSize={12} fontWeight={strong ? 600 : 400} fill="var(--ink)">
        {shown}
      </text>
      <FilledBar x={names} y={top + 5} length={length} color={color} hollow={hollow ?? false} />
      <text x={names + length + 7} y={top + 15} fontSize={11.5} fill="var(--ink-soft)" {...HALO}>
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

/** A bar, full or hollow. */
export function FilledBar({
  x,
  y,
  length,
  color,
  hollow,
}: {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly color: string;
  readonly hollow: boolean;
}) {
  const paint = { fill: hollow ? "none" : color, stroke: hollow ? color : "none" };
  return <rect x={x + 0.5} y={y} width={Math.max(1, length)} height={12} {...paint} />;
}

function TickLine({
  x,
  bottom,
  label,
}: {
  readonly x: number;
  readonly bottom: number;
  readonly label: string;
}) {
  return (
    <g>
      <line x1={x} x2={x} y1={16} y2={bottom} stroke="var(--lapis)" strokeDasharray="3 3" />
      <text x={x} y={11} fontSize={11.5} textAnchor="middle" fill="var(--lapis)">
        {label}
      </text>
    </g>
  );
}
