/** @file A recall position by position: similarity to the nearest key as heat and height, θ across, where the gate opened. */

import type { gateStrip } from "../../figures/gates.ts";
import { counted } from "../format.ts";
import { ramp } from "./kit/colors.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { ticks } from "./kit/scale.ts";
import { numberText, tokenText } from "./kit/text.ts";
import s from "./kit/Figure.module.css";

type Row = ReturnType<typeof gateStrip>["rows"][number];

const LEFT = 34;
const TOP = 34;
const PLOT = 120;
const STRIP = 18;
const TOKENS = 74;
const NARROWEST = 17;

export function GateStripFigure({
  figure,
  position,
  onPosition,
}: {
  readonly figure: ReturnType<typeof gateStrip>;
  /** The position whose competitors are shown elsewhere. */
  readonly position?: number;
  readonly onPosition?: (position: number) => void;
}) {
  const { rows, guides } = figure;
  const theta = guides[0]?.value ?? 0;
  const open = rows.filter((row) => row.open);
  const injected = rows.filter((row) => row.injected);
  const where = open.map(({ position: at, token }) => `${at} (${tokenText(token)})`).slice(0, 4);
  return (
    <FigureFrame
      figure={figure}
      tablePicks
      interactive
      summary={
        `At θ = ${numberText(theta)} the gate is open at ${counted(open.length, "position")} of ${rows.length}` +
        `${where.length > 0 ? `: ${where.join(", ")}` : ""}; δ is injected at ${injected.length}.`
      }
    >
      {({ width, label }) => (
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
          <Strip {...{ rows, theta, width, label, position, onPosition }} />
        </div>
      )}
    </FigureFrame>
  );
}

function Strip({
  rows,
  theta,
  width,
  label,
  position,
  onPosition,
}: {
  readonly rows: readonly Row[];
  readonly theta: number;
  readonly width: number;
  readonly label: string;
  readonly position: number | undefined;
  readonly onPosition: ((position: number) => void) | undefined;
}) {
  const pitch = Math.max(NARROWEST, Math.min(44, (width - LEFT - 8) / rows.length));
  const wide = Math.max(width, LEFT + pitch * rows.length + 8);
  const low = Math.min(0, ...rows.map(({ similarity }) => similarity));
  const y = (value: number): number => TOP + PLOT * (1 - (value - low) / (1 - low));
  const prompt = rows.filter(({ phase }) => phase !== "decode").length;
  const end = LEFT + prompt * pitch;
  return (
    <svg
      width={wide}
      height={TOP + PLOT + STRIP + TOKENS}
      fontSize={11.5}
      fill="var(--ink-soft)"
      role="img"
      aria-label={label}
    >
      <text x={2} y={12}>
        best similarity
      </text>
      <text x={end - 6} y={12} textAnchor="end">
        {pitch * prompt > 210 ? "prompt" : ""}
      </text>
      <text x={end + 6} y={12}>
        decoded →
      </text>
      <line x1={end} x2={end} y1={4} y2={y(low) + STRIP} stroke="var(--hairline-strong)" />
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
      <line x1={LEFT} x2={wide} y1={y(theta)} y2={y(theta)} stroke="var(--lapis)" strokeWidth={1.5} />
      <text
        x={Math.min(wide, width) - 2}
        y={y(theta) - 5}
        textAnchor="end"
        fill="var(--lapis)"
        fontWeight={600}
        stroke="var(--paper)"
        strokeWidth={4}
        style={{ paintOrder: "stroke" }}
      >
        {`θ = ${numberText(theta)}`}
      </text>
    </svg>
  );
}

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
  readonly onPosition: ((position: number) => void) | undefined;
}) {
  const middle = x + pitch / 2;
  const { similarity, second, open, injected, token, winner, weight, phase } = row;
  const said =
    `position ${row.position} “${tokenText(token)}”, similarity ${numberText(similarity)} to ${winner ?? "nothing"}` +
    `${weight === null ? "" : `, weight α ${numberText(weight)}`}${open ? ", gate open" : ""}${injected ? ", injected" : ""}`;
  return (
    <g
      onClick={() => {
        onPosition?.(row.position);
      }}
      style={onPosition ? { cursor: "pointer" } : undefined}
    >
      <title>{said}</title>
      <rect
        x={x}
        y={TOP}
        width={pitch}
        height={PLOT + STRIP + TOKENS}
        fill="var(--lapis)"
        fillOpacity={chosen ? 0.08 : 0}
      />
      {second !== null && (
        <line
          x1={middle - 4}
          x2={middle + 4}
          y1={y(second)}
          y2={y(second)}
          stroke="var(--ink-faint)"
          strokeWidth={1.5}
        />
      )}
      <line
        x1={middle}
        x2={middle}
        y1={y(low)}
        y2={y(similarity)}
        stroke={open ? "var(--lapis)" : "var(--ink-soft)"}
        strokeWidth={open ? 2.5 : 1}
      />
      <circle
        cx={middle}
        cy={y(similarity)}
        r={open ? 4.5 : 3}
        fill={open ? "var(--lapis)" : "var(--paper)"}
        stroke={open ? "var(--lapis)" : "var(--ink-soft)"}
      />
      {injected && (
        <text x={middle} y={y(similarity) - 8} textAnchor="middle" fill="var(--rubric)" fontWeight={600}>
          δ
        </text>
      )}
      <rect x={x} y={TOP + PLOT + 2} width={pitch - 1} height={STRIP - 4} fill={ramp(similarity)} />
      <text
        transform={`translate(${middle + 4} ${TOP + PLOT + STRIP + 6}) rotate(-90)`}
        textAnchor="end"
        fill={phase === "key" ? "var(--lapis)" : "var(--ink)"}
        fontWeight={phase === "key" ? 600 : 400}
      >
        {tokenText(token).slice(0, 11)}
      </text>
    </g>
  );
}
