/** @file A recall by position: similarity to the nearest key as height and colour, θ, and where δ was injected. */

import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import { ramp, ticks } from "./kit/scale.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { TokenOnEnd } from "./kit/HeatGrid.tsx";
import { HALO, numberText, tokenText } from "./kit/text.ts";
import type { Picture, Room } from "./kit/picture.tsx";
import { TICK } from "./kit/Chart.tsx";
import s from "./charts.module.css";

type Row = RowOf<"gate-strip">;

/** Pixels of the axis, the head, the plot, the strip of colours and the tokens, and of a position at least. */
const [LEFT, TOP, PLOT, STRIP, TOKENS, NARROWEST] = [34, 34, 120, 18, 74, 17];

interface Choosing {
  readonly position: number | null;
  readonly onPosition: ((position: number) => void) | null;
}

export const gateStripFigure = (figure: FigureOf<"gate-strip">): Picture<Row> =>
  pictured(figure, { position: null, onPosition: null });

export const GateStrip = ({
  figure,
  ...choosing
}: Choosing & { readonly figure: FigureOf<"gate-strip"> }) => (
  <FigureFrame<"gate-strip"> figure={figure} picture={pictured(figure, choosing)} />
);

function pictured({ rows, guides }: FigureOf<"gate-strip">, choosing: Choosing): Picture<Row> {
  const theta = guides[0]?.value ?? 0;
  const open = rows.filter((row) => row.open);
  const injected = rows.filter((row) => row.injected);
  const where = open.map(({ position: at, token }) => `${at} (${tokenText(token)})`).slice(0, 4);
  return {
    tablePicks: true,
    summary:
      `At θ = ${numberText(theta)} the gate is open at ${counted(open.length, "position")} of ${rows.length}` +
      `${where.length > 0 ? `: ${where.join(", ")}` : ""}; δ is injected at ${injected.length}.`,
    draw: (room) => positions(room as Room, rows, theta, choosing),
  };
}

function positions(
  { width, label }: Room,
  rows: readonly Row[],
  theta: number,
  { position, onPosition }: Choosing,
) {
  const pitch = Math.max(NARROWEST, Math.min(44, (width - LEFT - 8) / rows.length));
  const wide = Math.max(width, LEFT + pitch * rows.length + 8);
  const low = Math.min(0, ...rows.map(({ similarity }) => similarity));
  const y = (value: number): number => TOP + PLOT * (1 - (value - low) / (1 - low));
  const prompt = rows.filter(({ phase }) => phase !== "decode").length * pitch;
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
      <svg width={wide} height={TOP + PLOT + STRIP + TOKENS} {...TICK} role="img" aria-label={label}>
        <text x={2} y={12}>
          best similarity
        </text>
        <text x={LEFT + prompt - 6} y={12} textAnchor="end">
          {prompt > 210 ? "prompt" : ""}
        </text>
        <text x={LEFT + prompt + 6} y={12}>
          decoded →
        </text>
        <path d={`M${LEFT + prompt} 4V${y(low) + STRIP}`} stroke="var(--hairline-strong)" />
        {ticks(low, 1, 4).map((value) => (
          <g key={value}>
            <path d={`M${LEFT} ${y(value)}H${wide}`} stroke="var(--hairline)" />
            <text x={LEFT - 6} y={y(value) + 4} textAnchor="end">
              {numberText(value)}
            </text>
          </g>
        ))}
        {rows.map((row) => {
          const { similarity, second, open, injected, token, phase } = row;
          const x = LEFT + row.position * pitch;
          const [middle, top] = [x + pitch / 2, y(similarity)];
          const color = open ? "var(--lapis)" : "var(--ink-soft)";
          return (
            <g
              key={row.position}
              onClick={() => onPosition?.(row.position)}
              style={onPosition ? { cursor: "pointer" } : undefined}
            >
              <title>{positionText(row)}</title>
              <rect
                {...{ x, y: TOP, width: pitch, height: PLOT + STRIP + TOKENS }}
                fill="var(--lapis)"
                fillOpacity={row.position === position ? 0.08 : 0}
              />
              {second !== null && (
                <path d={`M${middle - 4} ${y(second)}h8`} stroke="var(--ink-faint)" strokeWidth={1.5} />
              )}
              <path d={`M${middle} ${y(low)}V${top}`} stroke={color} strokeWidth={open ? 2.5 : 1} />
              <circle
                cx={middle}
                cy={top}
                r={open ? 4.5 : 3}
                fill={open ? color : "var(--paper)"}
                stroke={color}
              />
              {injected && (
                <text x={middle} y={top - 8} textAnchor="middle" fill="var(--rubric)" fontWeight={600}>
                  δ
                </text>
              )}
              <rect x={x} y={TOP + PLOT + 2} width={pitch - 1} height={STRIP - 4} fill={ramp(similarity)} />
              <TokenOnEnd x={middle} y={TOP + PLOT + STRIP + 6} token={token} strong={phase === "key"} />
            </g>
          );
        })}
        <path d={`M${LEFT} ${y(theta)}H${wide}`} stroke="var(--lapis)" strokeWidth={1.5} />
        <text
          {...HALO}
          x={Math.min(wide, width) - 2}
          y={y(theta) - 5}
          textAnchor="end"
          fill="var(--lapis)"
          fontWeight={600}
        >
          {`θ = ${numberText(theta)}`}
        </text>
      </svg>
    </div>
  );
}

const positionText = ({ position, token, similarity, winner, weight, open, injected }: Row): string =>
  `position ${position} “${tokenText(token)}”, similarity ${numberText(similarity)} to ${winner ?? "nothing"}` +
  `${weight === null ? "" : `, weight α ${numberText(weight)}`}${open ? ", gate open" : ""}${injected ? ", injected" : ""}`;
