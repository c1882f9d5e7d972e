/** @file What the probe measured by layer: exact rate, fidelity and cost side by side, the chosen layers full. */

import type { layerProbe } from "../../figures/layers.ts";
import { counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { bothRows, largest } from "./kit/scale.ts";
import { numberText, shareText } from "./kit/text.ts";

type Row = ReturnType<typeof layerProbe>["rows"][number];

const ROW = 24;
const TOP = 24;
const LEFT = 74;
const GAP = 18;

type Probe = ReturnType<typeof layerProbe>;

export function LayerProbeFigure({
  figure,
  beside,
}: {
  readonly figure: Probe;
  /** Drawn on the same scale. */
  readonly beside?: Probe | null | undefined;
}) {
  const { rows } = figure;
  const best = rows.find(({ rank }) => rank === 1);
  const chosen = rows.filter((row) => row.chosen).map(({ layer }) => layer);
  return (
    <FigureFrame
      figure={figure}
      empty="No layer was probed."
      summary={`${counted(rows.length, "layer")} probed, chosen: ${chosen.join(", ")}. Best is layer ${best?.layer ?? "none"}: exact ${shareText(best?.exactRate ?? 0)}, fidelity ${numberText(best?.fidelity ?? 0)}.`}
    >
      {({ width }) => (
        <Panels
          rows={rows}
          dearest={largest(bothRows(figure, beside), ({ cost }) => cost, 1e-9)}
          width={width}
        />
      )}
    </FigureFrame>
  );
}

function Panels({
  rows,
  dearest,
  width,
}: {
  readonly rows: readonly Row[];
  /** Seconds that fill a track. */
  readonly dearest: number;
  readonly width: number;
}) {
  const panel = (width - LEFT - 2 * GAP) / 3;
  const measures = [
    { name: "exact", of: (row: Row) => row.exactRate, said: (row: Row) => shareText(row.exactRate) },
    { name: "fidelity", of: (row: Row) => row.fidelity, said: (row: Row) => row.fidelity.toFixed(3) },
    {
      name: width < 480 ? "s per fact" : "cost (s per fact)",
      of: (row: Row) => row.cost / dearest,
      said: (row: Row) => numberText(row.cost, 2),
    },
  ];
  return (
    <svg width={width} height={TOP + rows.length * ROW} fontSize={11.5} fill="var(--ink-soft)">
      <text x={0} y={12}>
        layer, rank
      </text>
      {measures.map(({ name }, m) => (
        <text key={name} x={LEFT + m * (panel + GAP)} y={12}>
          {name}
        </text>
      ))}
      {rows.map((row, i) => (
        <g key={row.layer} transform={`translate(0 ${TOP + i * ROW})`}>
          <title>{`Layer ${row.layer}: ${row.why}`}</title>
          <rect
            x={0.5}
            y={4.5}
            width={12}
            height={12}
            fill={row.chosen ? layerOf(row.layer) : "none"}
            stroke={layerOf(row.layer)}
          />
          <text x={20} y={15} fill="var(--ink)" fontWeight={row.chosen ? 600 : 400}>
            {row.layer}
          </text>
          <text x={44} y={15}>
            {row.chosen ? `#${row.rank}` : "–"}
          </text>
          {measures.map(({ name, of, said }, m) => (
            <Measure
              key={name}
              x={LEFT + m * (panel + GAP)}
              width={panel}
              share={of(row)}
              said={said(row)}
              color={m === 2 ? "var(--ink-soft)" : layerOf(row.layer)}
              hollow={!row.chosen}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

function Measure({
  x,
  width,
  share,
  said,
  color,
  hollow,
}: {
  readonly x: number;
  readonly width: number;
  readonly share: number;
  readonly said: string;
  readonly color: string;
  readonly hollow: boolean;
}) {
  const track = Math.max(10, width - 42);
  const length = Math.max(1, track * share);
  return (
    <g transform={`translate(${x} 0)`}>
      <line x1={track} x2={track} y1={3} y2={18} stroke="var(--hairline)" />
      <rect
        x={0.5}
        y={4.5}
        width={length}
        height={12}
        fill={hollow ? "none" : color}
        stroke={hollow ? color : "none"}
      />
      <text x={length + 5} y={15} fill="var(--ink)">
        {said}
      </text>
    </g>
  );
}
