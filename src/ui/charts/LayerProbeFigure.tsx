/** @file What the probe measured by layer: exact rate, fidelity and work side by side, the chosen layers full. */

import type { RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import { FilledBar } from "./kit/BarList.tsx";
import { layerOf } from "./kit/colors.ts";
import type { PictureOf } from "./kit/picture.ts";
import { bothRows, largest } from "./kit/scale.ts";
import { numberText, shareText } from "./kit/text.ts";

type Row = RowOf<"layer-probe">;

const ROW = 24;
const TOP = 24;
const LEFT = 74;
const GAP = 18;
/** Pixels that a number takes beside its bar. */
const SAID = 42;

interface Measure {
  readonly name: string;
  /** Of the track, 0 to 1. */
  readonly share: (row: Row) => number;
  readonly said: (row: Row) => string;
  readonly color: (row: Row) => string;
  /** From where to where a whisker stands. */
  readonly whisker?: (row: Row) => readonly [number, number];
}

export const layerProbeFigure: PictureOf<"layer-probe"> = (figure, beside) => {
  const { rows } = figure;
  const best = rows.find(({ rank }) => rank === 1);
  const chosen = rows.filter((row) => row.chosen).map(({ layer }) => layer);
  const most = largest(bothRows(figure, beside), ({ work }) => work, 1e-9);
  return {
    summary: `${counted(rows.length, "layer")} probed, chosen: ${chosen.join(", ")}. Best is layer ${best?.layer ?? "none"}: exact ${shareText(best?.exactRate ?? 0)}, fidelity ${numberText(best?.fidelity ?? 0)}.`,
    draw: ({ width }) => <Panels rows={rows} measures={measuresOf(most, width)} width={width} />,
  };
};

/** `most`: layers run that fill a track. Work ranks layers of equal recall; seconds do not, and are in the table. */
const measuresOf = (most: number, width: number): readonly Measure[] => [
  {
    name: "exact",
    share: ({ exactRate }) => exactRate ?? 0,
    said: ({ exactRate }) => shareText(exactRate ?? 0),
    color: ({ layer }) => layerOf(layer),
    whisker: ({ exactRateLow, exactRateHigh }) => [exactRateLow ?? 0, exactRateHigh ?? 1],
  },
  {
    name: "fidelity",
    share: ({ fidelity }) => fidelity,
    said: ({ fidelity }) => fidelity.toFixed(3),
    color: ({ layer }) => layerOf(layer),
  },
  {
    name: width < 480 ? "layers run" : "layers run per fact",
    share: ({ work }) => (work ?? 0) / most,
    said: ({ work }) => (work === null ? "–" : numberText(work, 3)),
    color: () => "var(--ink-soft)",
  },
];

function Panels({
  rows,
  measures,
  width,
}: {
  readonly rows: readonly Row[];
  readonly measures: readonly Measure[];
  readonly width: number;
}) {
  const panel = (width - LEFT - 2 * GAP) / 3;
  const left = (m: number): number => LEFT + m * (panel + GAP);
  return (
    <svg width={width} height={TOP + rows.length * ROW} fontSize={11.5} fill="var(--ink-soft)">
      <text x={0} y={12}>
        layer, rank
      </text>
      {measures.map(({ name }, m) => (
        <text key={name} x={left(m)} y={12}>
          {name}
        </text>
      ))}
      {rows.map((row, i) => (
        <g key={row.layer} transform={`translate(0 ${TOP + i * ROW})`}>
          <Layer row={row} />
          {measures.map((measure, m) => (
            <g key={measure.name} transform={`translate(${left(m)} 0)`}>
              <Measured row={row} measure={measure} track={Math.max(10, panel - SAID)} />
            </g>
          ))}
        </g>
      ))}
    </svg>
  );
}

function Layer({ row: { layer, rank, chosen, why } }: { readonly row: Row }) {
  const color = layerOf(layer);
  return (
    <>
      <title>{`Layer ${layer}: ${why}`}</title>
      <rect x={0.5} y={4.5} width={12} height={12} fill={chosen ? color : "none"} stroke={color} />
      <text x={20} y={15} fill="var(--ink)" fontWeight={chosen ? 600 : 400}>
        {layer}
      </text>
      <text x={44} y={15}>
        {chosen ? `#${rank}` : "–"}
      </text>
    </>
  );
}

function Measured({
  row,
  measure: { share, said, color, whisker },
  track,
}: {
  readonly row: Row;
  readonly measure: Measure;
  readonly track: number;
}) {
  const length = Math.max(1, track * share(row));
  const [low, high] = whisker?.(row) ?? [0, 0];
  return (
    <>
      <line x1={track} x2={track} y1={3} y2={18} stroke="var(--hairline)" />
      <FilledBar x={0} y={4.5} length={length} color={color(row)} hollow={!row.chosen} />
      <text x={length + 5} y={15} fill="var(--ink)">
        {said(row)}
      </text>
      {whisker && (
        <path d={`M${track * low} 17v4m0 -2H${track * high}m0 -2v4`} stroke="var(--ink)" fill="none" />
      )}
    </>
  );
}
