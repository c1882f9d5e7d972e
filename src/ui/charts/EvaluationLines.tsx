/** @file Methods as lines: accuracy by length and depth with its intervals, bytes by length, seconds by questions. */

import type { Row } from "../../figures/figure.ts";
import type { RowOf } from "../../figures/registry.ts";
import { bytes, count, counted } from "../format.ts";
import { Gridlines } from "./kit/Across.tsx";
import { logScale, logShare } from "./kit/logScale.ts";
import { Marked } from "./kit/Marked.tsx";
import type { Picture, PictureOf, Room } from "./kit/picture.ts";
import type { TipWords } from "./kit/recharts.tsx";
import { numberText, shareText, spanText } from "./kit/text.ts";
import { Series } from "./StudyFigure.tsx";
import { seriesLook, type Look } from "./seriesLook.ts";

/** What is drawn of rows: a panel a facet, a line a series, a place for each word along. */
interface Drawn<R extends Row> {
  readonly rows: readonly R[];
  readonly facet: (row: R) => string;
  readonly series: (row: R) => string;
  readonly along: (row: R) => string;
  readonly alongLabel: string;
  readonly value: (row: R) => number;
  /** From where to where a whisker stands. */
  readonly whisker?: (row: R) => readonly [number, number];
  readonly scale: "share" | "log";
  readonly valueLabel: string;
  readonly tip: (row: R) => TipWords;
  /** Places along that are shaded, and what for. */
  readonly shaded?: { readonly holds: (along: string) => boolean; readonly label: string };
}

const HEIGHT = 210;
const TOP = 44;
const FOOT = 34;
const LEFT = 64;
const RIGHT = 12;
/** Panels side by side where each has so many pixels. */
const PANEL = 290;
/** The least that a logarithmic axis shows. */
const LEAST = 0.001;

function lines<R extends Row>(drawn: Drawn<R>, summary: string): Picture<R> {
  const looks = seriesLook([...new Set(drawn.rows.map(drawn.series))]);
  return {
    interactive: true,
    summary,
    draw: (room) => (
      <>
        <Series looks={looks} width={room.width} />
        <Panels room={room} drawn={drawn} looks={looks} />
      </>
    ),
  };
}

interface Scale {
  readonly ticks: readonly number[];
  /** From 0 at the foot to 1. */
  readonly share: (value: number) => number;
}

function scaleOf<R extends Row>({ rows, value, scale }: Drawn<R>): Scale {
  if (scale === "share") return { ticks: [0, 0.25, 0.5, 0.75, 1], share: (at) => at };
  const values = rows.map((row) => Math.max(LEAST, value(row)));
  const { domain, ticks } = logScale(Math.min(...values), Math.max(...values));
  return { ticks, share: (at) => logShare(Math.max(LEAST, at), domain) };
}

function Panels<R extends Row>({
  room,
  drawn,
  looks,
}: {
  readonly room: Room<R>;
  readonly drawn: Drawn<R>;
  readonly looks: ReadonlyMap<string, Look>;
}) {
  const { rows, facet, series, along, value, tip } = drawn;
  const facets = [...new Set(rows.map(facet))];
  const places = [...new Set(rows.map(along))];
  const names = [...looks.keys()];
  const columns = Math.max(1, Math.min(3, facets.length, Math.floor(room.width / PANEL)));
  const wide = room.width / columns;
  const pitch = (wide - LEFT - RIGHT) / places.length;
  // Lines that lie on each other stand side by side, so that every whisker is seen.
  const apart = Math.min(12, (0.7 * pitch) / names.length);
  const scale = scaleOf(drawn);
  const corner = (name: string) => {
    const i = facets.indexOf(name);
    return { x: (i % columns) * wide, y: Math.floor(i / columns) * HEIGHT };
  };
  const up = (share: number): number => HEIGHT - FOOT - share * (HEIGHT - TOP - FOOT);
  const at = (row: R) => {
    const { x, y } = corner(facet(row));
    const beside = (names.indexOf(series(row)) - (names.length - 1) / 2) * apart;
    return {
      x: x + LEFT + (places.indexOf(along(row)) + 0.5) * pitch + beside,
      y: y + up(scale.share(value(row))),
    };
  };
  return (
    <Marked room={room} rows={rows} at={at} tip={tip}>
      <svg
        width={room.width}
        height={Math.ceil(facets.length / columns) * HEIGHT}
        fontSize={11.5}
        fill="var(--ink-soft)"
      >
        {facets.map((name) => {
          const { x, y } = corner(name);
          return (
            <g key={name} transform={`translate(${x} ${y})`}>
              <Shade drawn={drawn} places={places} pitch={pitch} />
              <text x={2} y={14}>
                {[name, drawn.valueLabel].filter((part) => part !== "").join(": ")}
              </text>
              <Gridlines
                values={scale.ticks}
                y={(tick) => up(scale.share(tick))}
                left={LEFT}
                right={wide - RIGHT}
              />
              <Along drawn={drawn} places={places} pitch={pitch} width={wide} />
            </g>
          );
        })}
        {facets.map((name) => (
          <g key={name}>
            {names.map((one) => (
              <Line
                key={one}
                drawn={drawn}
                look={looks.get(one)!}
                at={at}
                up={(share) => corner(name).y + up(scale.share(share))}
                rows={rows.filter((row) => facet(row) === name && series(row) === one)}
              />
            ))}
          </g>
        ))}
      </svg>
    </Marked>
  );
}

/** The places that a window holds. */
function Shade<R extends Row>({
  drawn: { shaded },
  places,
  pitch,
}: {
  readonly drawn: Drawn<R>;
  readonly places: readonly string[];
  readonly pitch: number;
}) {
  const held = shaded ? places.filter(shaded.holds).length : 0;
  if (held === 0) return null;
  return (
    <g>
      <rect x={LEFT} y={TOP} width={held * pitch} height={HEIGHT - TOP - FOOT} fill="var(--lapis-wash)" />
      <text x={LEFT + 4} y={TOP - 8} fill="var(--lapis)">
        {shaded!.label}
      </text>
    </g>
  );
}

/** The words along the foot; where they would touch, every second or third. */
function Along<R extends Row>({
  drawn: { alongLabel },
  places,
  pitch,
  width,
}: {
  readonly drawn: Drawn<R>;
  readonly places: readonly string[];
  readonly pitch: number;
  readonly width: number;
}) {
  const every = Math.max(1, Math.ceil(38 / pitch));
  return (
    <>
      {places.map((place, i) =>
        i % every === 0 ? (
          <text key={place} x={LEFT + (i + 0.5) * pitch} y={HEIGHT - FOOT + 15} textAnchor="middle">
            {place}
          </text>
        ) : null,
      )}
      <text x={width - RIGHT} y={HEIGHT - FOOT + 30} textAnchor="end">
        {alongLabel}
      </text>
    </>
  );
}

function Line<R extends Row>({
  drawn: { whisker },
  look: { color, dash },
  rows,
  at,
  up,
}: {
  readonly drawn: Drawn<R>;
  readonly look: Look;
  readonly rows: readonly R[];
  readonly at: (row: R) => { readonly x: number; readonly y: number };
  /** Pixels of a value. */
  readonly up: (value: number) => number;
}) {
  const places = rows.map(at);
  return (
    <g stroke={color} strokeWidth={1.6} fill="none">
      <polyline
        points={places.map(({ x, y }) => `${x},${y}`).join(" ")}
        {...(dash === "none" ? {} : { strokeDasharray: dash })}
      />
      {rows.map((row, i) => {
        const { x, y } = places[i]!;
        const [low, high] = whisker?.(row) ?? [0, 0];
        return (
          <g key={i}>
            {whisker && <line x1={x} x2={x} y1={up(low)} y2={up(high)} strokeWidth={1} />}
            <circle cx={x} cy={y} r={3} fill={dash === "none" ? color : "var(--paper)"} />
          </g>
        );
      })}
    </g>
  );
}

const scoreTip =
  <R extends RowOf<"accuracy-by-length"> | RowOf<"accuracy-by-depth">>(title: (row: R) => string) =>
  (row: R): TipWords => [
    title(row),
    [
      ["score", shareText(row.score)],
      ["95 % interval", spanText(row)],
    ],
  ];

/** Who is highest and lowest at the last place, in a sentence. */
function ends(rows: readonly { readonly method: string; readonly score: number }[], where: string): string {
  const sorted = rows.toSorted((a, b) => b.score - a.score);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last) return "";
  return `At ${where} ${first.method} has ${shareText(first.score)}, ${last.method} ${shareText(last.score)}.`;
}

export const accuracyByLengthFigure: PictureOf<"accuracy-by-length"> = ({ rows, guides }) => {
  const window = guides[0]?.value ?? 0;
  const last = rows.at(-1);
  return lines(
    {
      rows,
      facet: ({ task }) => task,
      series: ({ method }) => method,
      along: ({ length }) => length,
      alongLabel: "length of the text",
      value: ({ score }) => score,
      whisker: ({ low, high }) => [low, high],
      scale: "share",
      valueLabel: "score",
      shaded: {
        holds: (place) =>
          rows.some(({ length, tokens }) => length === place && tokens > 0 && tokens <= window),
        label: "below the window",
      },
      tip: scoreTip(({ method, task, length }) => `${method}, ${task} at ${length}`),
    },
    last
      ? `${ends(
          rows.filter(({ task, length }) => task === last.task && length === last.length),
          `${last.task}, ${last.length},`,
        )}`
      : "",
  );
};

export const accuracyByDepthFigure: PictureOf<"accuracy-by-depth"> = ({ rows }) =>
  lines(
    {
      rows: rows.toSorted((a, b) => a.depth - b.depth),
      facet: ({ length }) => length,
      series: ({ method }) => method,
      along: ({ depth }) => `${numberText(depth)} %`,
      alongLabel: "depth in the text",
      value: ({ score }) => score,
      whisker: ({ low, high }) => [low, high],
      scale: "share",
      valueLabel: "score",
      tip: scoreTip(({ method, length, depth }) => `${method}, ${length}, at ${numberText(depth)} %`),
    },
    `${counted(new Set(rows.map(({ depth }) => depth)).size, "place")} in texts of ${[...new Set(rows.map(({ length }) => length))].join(", ")}.`,
  );

export const bytesByLengthFigure: PictureOf<"bytes-by-length"> = ({ rows }) => {
  const kept = rows.filter((row) => row.bytes > 0);
  const most = kept.toSorted((a, b) => b.bytes - a.bytes)[0];
  return lines(
    {
      rows: kept,
      facet: () => "",
      series: ({ method }) => method,
      along: ({ length }) => length,
      alongLabel: "length of the text",
      value: (row) => row.bytes,
      scale: "log",
      valueLabel: "bytes kept",
      tip: (row) => [
        `${row.method} at ${row.length}`,
        [
          ["kept", bytes(row.bytes)],
          ["text tokens kept", count(row.kept)],
          ["tokens of the prompt", numberText(row.prompt)],
        ],
      ],
    },
    most ? `Most is kept by ${most.method} at ${most.length}: ${bytes(most.bytes)}.` : "Nothing is kept.",
  );
};

export const secondsByQuestionsFigure: PictureOf<"seconds-by-questions"> = ({ rows, caption }) =>
  lines(
    {
      rows,
      facet: ({ length }) => length,
      series: ({ method }) => method,
      along: ({ questions }) => count(questions),
      alongLabel: "questions over one text",
      value: ({ seconds }) => seconds,
      scale: "log",
      valueLabel: "seconds in all",
      tip: ({ method, length, questions, seconds }) => [
        `${method} at ${length}`,
        [[counted(questions, "question"), `${numberText(seconds)} s`]],
      ],
    },
    caption,
  );
