/** @file A recall position by position: similarity to the nearest key as height and colour, θ, and where δ was injected. */

import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import { ramp } from "./kit/colors.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { TokenOnEnd } from "./kit/HeatGrid.tsx";
import type { Picture, Room } from "./kit/picture.ts";
import { ticks } from "./kit/scale.ts";
import { numberText, tokenText } from "./kit/text.ts";
import s from "./kit/Figure.module.css";

type Row = RowOf<"gate-strip">;

const LEFT = 34;
const TOP = 34;
const PLOT = 120;
const STRIP = 18;
const TOKENS = 74;
const NARROWEST = 17;

/** The position whose competitors are shown, and how to choose another; null if none can be chosen. */
interface Choosing {
  readonly position: number | null;
  readonly onPosition: ((position: number) => void) | null;
}

/** The strip on its own. */
export const gateStripFigure = (figure: FigureOf<"gate-strip">): Picture<Row> =>
  pictured(figure, { position: null, onPosition: null });

/** The strip with a choice of a position. */
export function GateStrip({ figure, ...choosing }: Choosing & { readonly figure: FigureOf<"gate-strip"> }) {
  return <FigureFrame<"gate-strip"> figure={figure} picture={pictured(figure, choosing)} />;
}

function pictured({ rows, guides }: FigureOf<"gate-strip">, choosing: Choosing): Picture<Row> {
  const theta = guides[0]?.value ?? 0;
  const open = rows.filter((row) => row.open);
  const injected = rows.filter((row) => row.injected);
  const where = open.map(({ position: at, token }) => `${at} (${tokenText(token)})`).slice(0, 4);
  return {
    tablePicks: true,
    interactive: true,
    summary:
      `At θ = ${numberText(theta)} the gate is open at ${counted(open.length, "position")} of ${rows.length}` +
      `${where.length > 0 ? `: ${where.join(", ")}` : ""}; δ is injected at ${injected.length}.`,
    draw: (room) => <Positions room={room} rows={rows} theta={theta} {...choosing} />,
  };
}

interface Drawn extends Choosing {
  readonly room: Pick<Room, "width" | "label">;
  readonly rows: readonly Row[];
  readonly theta: number;
}

function Positions(props: Drawn) {
  const { rows, position, onPosition } = props;
  return (
    <div
      className={s.scroller}
      tabIndex={0}
      role="group"
      aria-label={onPosition ? "Positions: arrow keys choose one" : "Positions"}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by || !onPosition) return;
        event.preventDefault();
        const from = position ?? rows.findIndex(({ phase }) => phase === "key");
        onPosition(Math.max(0, Math.min(rows.length - 1, from + by)));
      }}
    >
      <Strip {...props} />
    </div>
  );
}

function Strip({ room: { width, label }, rows, theta, position, onPosition }: Drawn) {
  const pitch = Math.max(NARROWEST, Math.min(44, (width - LEFT - 8) / rows.length));
  const wide = Math.max(width, LEFT + pitch * rows.length + 8);
  const low = Math.min(0, ...rows.map(({ similarity }) => similarity));
  const y = (value: number): number => TOP + PLOT * (1 - (value - low) / (1 - low));
  const prompt = rows.filter(({ phase }) => phase !== "decode").length * pitch;
  const height = TOP + PLOT + STRIP + TOKENS;
  return (
    <svg width={wide} height={height} fontSize={11.5} fill="var(--ink-soft)" role="img" aria-label={label}>
      <Parts end={LEFT + prompt} prompt={prompt} bottom={y(low) + STRIP} />
      {ticks(low, 1, 4).map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={wide} y1={y(value)} y2={y(value)} stroke="var(--hairline)" />
          <text x={LEFT - 6} y={y(value) + 4} textAnchor="end">
            {numberText(value)}
          </text>
        </g>
      ))}
      {rows.map((row) => (
        <Position
          key={row.position}
          row={row}
          x={LEFT + row.position * pitch}
          pitch={pitch}
          y={y}
          low={low}
          chosen={row.position === position}
          onPosition={onPosition}
        />
      ))}
      <Theta theta={theta} y={y(theta)} right={wide} label={Math.min(wide, width) - 2} />
    </svg>
  );
}

/** Marks the end of the prompt. */
function Parts({
  end,
  prompt,
  bottom,
}: {
  readonly end: number;
  /** Pixels of the prompt. */
  readonly prompt: number;
  readonly bottom: number;
}) {
  return (
    <>
      <text x={2} y={12}>
        best similarity
      </text>
      <text x={end - 6} y={12} textAnchor="end">
        {prompt > 210 ? "prompt" : ""}
      </text>
      <text x={end + 6} y={12}>
        decoded →
      </text>
      <line x1={end} x2={end} y1={4} y2={bottom} stroke="var(--hairline-strong)" />
    </>
  );
}

function Theta({
  theta,
  y,
  right,
  label,
}: {
  readonly theta: number;
  readonly y: number;
  readonly right: number;
  /** Right end of its label in pixels. */
  readonly label: number;
}) {
  return (
    <>
      <line x1={LEFT} x2={right} y1={y} y2={y} stroke="var(--lapis)" strokeWidth={1.5} />
      <text
        x={label}
        y={y - 5}
        textAnchor="end"
        fill="var(--lapis)"
        fontWeight={600}
        stroke="var(--paper)"
        strokeWidth={4}
        style={{ paintOrder: "stroke" }}
      >
        {`θ = ${numberText(theta)}`}
      </text>
    </>
  );
}

const positionText = ({ position, token, similarity, winner, weight, open, injected }: Row): string =>
  `position ${position} “${tokenText(token)}”, similarity ${numberText(similarity)} to ${winner ?? "nothing"}` +
  `${weight === null ? "" : `, weight α ${numberText(weight)}`}${open ? ", gate open" : ""}${injected ? ", injected" : ""}`;

function Position({
  row,
  x,
  pitch,
  y,
  low,
  chosen,
  onPosition,
}: {
  readonly row: Row;
  readonly x: number;
  readonly pitch: number;
  readonly y: (value: number) => number;
  readonly low: number;
  readonly chosen: boolean;
  readonly onPosition: Choosing["onPosition"];
}) {
  const { position, similarity, token, phase } = row;
  const middle = x + pitch / 2;
  return (
    <g
      onClick={() => {
        onPosition?.(position);
      }}
      style={onPosition ? { cursor: "pointer" } : undefined}
    >
      <title>{positionText(row)}</title>
      <rect
        x={x}
        y={TOP}
        width={pitch}
        height={PLOT + STRIP + TOKENS}
        fill="var(--lapis)"
        fillOpacity={chosen ? 0.08 : 0}
      />
      <Lollipop row={row} x={middle} y={y} low={low} />
      <rect x={x} y={TOP + PLOT + 2} width={pitch - 1} height={STRIP - 4} fill={ramp(similarity)} />
      <TokenOnEnd x={middle} y={TOP + PLOT + STRIP + 6} token={token} strong={phase === "key"} />
    </g>
  );
}

/** The best similarity as height, the second best as a dash, δ where it was injected. */
function Lollipop({
  row: { similarity, second, open, injected },
  x,
  y,
  low,
}: {
  readonly row: Row;
  readonly x: number;
  readonly y: (value: number) => number;
  readonly low: number;
}) {
  const [color, top] = [open ? "var(--lapis)" : "var(--ink-soft)", y(similarity)];
  return (
    <>
      {second !== null && (
        <line
          x1={x - 4}
          x2={x + 4}
          y1={y(second)}
          y2={y(second)}
          stroke="var(--ink-faint)"
          strokeWidth={1.5}
        />
      )}
      <line x1={x} x2={x} y1={y(low)} y2={top} stroke={color} strokeWidth={open ? 2.5 : 1} />
      <circle cx={x} cy={top} r={open ? 4.5 : 3} fill={open ? color : "var(--paper)"} stroke={color} />
      {injected && (
        <text x={x} y={top - 8} textAnchor="middle" fill="var(--rubric)" fontWeight={600}>
          δ
        </text>
      )}
    </>
  );
}
