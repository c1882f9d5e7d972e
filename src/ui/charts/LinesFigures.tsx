/** @file Lines in panels: studies, evaluations, and the losses of single vectors. */

import { ErrorBar, Line, ReferenceArea } from "recharts";
import type { Row as FigureRow } from "../../figures/figure.ts";
import { intervalIn } from "../../figures/lines.ts";
import type { RowOf } from "../../figures/registry.ts";
import { bytes, counted } from "../format.ts";
import {
  Chart,
  logAxis,
  STILL,
  TICK,
  Legend,
  whisker,
  type ChartProps,
  type NamedBarsProps,
} from "./kit/Chart.tsx";
import { positiveEnds, bothRows, fromFirst, largest, roundScale } from "./kit/scale.ts";
import { panelRoom, type PictureOf } from "./kit/picture.tsx";
import { axisText, behindShare, columnOf, numberText } from "./kit/text.ts";
import { Row } from "../controls/basics.tsx";

interface Look {
  readonly color: string;
  readonly dash: string;
  readonly width?: number;
}

const COLORS = [
  "var(--lapis)",
  "var(--rubric)",
  "var(--verdigris)",
  "var(--ochre)",
  "var(--layer-8)",
  "var(--layer-1)",
];
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"];

/** Colour and dash of each line. Of two compared runs ("A: …", "B: …") the same line has one colour, and B is dashed. */
export function seriesLook(series: readonly string[]): ReadonlyMap<string, Look> {
  const compared = series.some((name) => name.startsWith("B: "));
  const bases = [...new Set(series.map((name) => name.replace(/^[AB]: /, "")))];
  return new Map(
    series.map((name) => {
      const place = bases.indexOf(name.replace(/^[AB]: /, ""));
      const color = COLORS[place % COLORS.length]!;
      const dash = compared
        ? name.startsWith("B: ")
          ? "6 4"
          : "none"
        : DASHES[(place + Math.floor(place / COLORS.length)) % DASHES.length]!;
      return [name, { color, dash }];
    }),
  );
}

const PANEL = 300;
/** Whiskers of lines that share a point are at most this many pixels apart. */
const APART = 5;
const LISTED = 8;

type Places = readonly (number | string)[];
type Looks = ReadonlyMap<string, Look>;

type Pointed = FigureRow & Pick<RowOf<"lines">, "line" | "x" | "value">;

interface Panel<R extends Pointed>
  extends
    Pick<ChartProps<R>, "room" | "rows" | "along" | "up" | "guides" | "height">,
    Pick<NamedBarsProps<R>, "top" | "text" | "span"> {
  readonly looks: Looks;
  readonly places: Places;
  /** The values that a logarithmic y axis covers, in place of `top`. */
  readonly decades?: readonly [number, number] | null;
  readonly dots?: boolean;
  readonly children?: React.ReactNode;
}

interface Point<R> {
  readonly x: number | string;
  readonly rows: ReadonlyMap<string, R>;
}

function LinesPanel<R extends Pointed>(panel: Panel<R>) {
  const { room, rows, looks, span, text, places, along, up, top, decades } = panel;
  const { guides = [], height = 200, dots = true, children } = panel;
  const data = places.map((place): Point<R> => ({
    x: place,
    rows: new Map(rows.flatMap((row) => (row.x === place ? [[row.line, row]] : []))),
  }));
  const { pick } = room;
  const pitch = Math.min(APART, 24 / looks.size);
  const whiskers = span && rows.some((row) => span(row));
  return (
    <Chart
      // Next to a dot, a click means the first line that has a point at the place.
      room={{ ...room, pick: pick && ((point) => firstOf(point, looks).forEach(pick)) }}
      {...{ rows: data, along, up, height, guides }}
      x={axisOf(places)}
      y={decades ? logAxis(decades) : roundScale(0, top)}
      tip={(point) => {
        const here = [...looks.keys()].flatMap((name) => {
          const row = point.rows.get(name);
          return row ? [[name, text(row)] as const] : [];
        });
        const rest = here.length - LISTED;
        const more = rest > 0 ? [["and", `${rest} more`] as const] : [];
        return [`${along}: ${point.x}`, [...here.slice(0, LISTED), ...more]];
      }}
    >
      {children}
      {[...looks].map(([name, { color, dash, width = 2 }], i) => {
        // Lines that share a point are moved apart, so that every whisker is seen.
        const transform = `translate(${whiskers ? (i - (looks.size - 1) / 2) * pitch : 0} 0)`;
        const rowOf = (point: Point<R>): R | undefined => point.rows.get(name);
        return (
          <Line
            key={name}
            name={name}
            dataKey={(point: Point<R>) => {
              const row = rowOf(point);
              return row ? Math.max(row.value, decades?.[0] ?? -Infinity) : null;
            }}
            stroke={color}
            strokeWidth={width}
            transform={transform}
            {...(dash === "none" ? {} : { strokeDasharray: dash })}
            dot={
              dots && {
                ...{ r: 3, stroke: color, strokeDasharray: "none", transform },
                fill: dash === "none" ? color : "var(--paper)",
              }
            }
            activeDot={({ cx, cy, payload }) => (
              <circle
                {...{ cx, cy, r: 4, fill: color }}
                onClick={(event) => {
                  event.stopPropagation();
                  const row = rowOf(payload as Point<R>);
                  if (row) pick?.(row);
                }}
              />
            )}
            {...STILL}
          >
            {whiskers && (
              <ErrorBar
                dataKey={(point: Point<R>) => {
                  const row = rowOf(point);
                  return row ? whisker(({ value }: R) => value, span)(row) : null;
                }}
                width={2}
                stroke={color}
                strokeWidth={1}
                transform={transform}
                {...STILL}
              />
            )}
          </Line>
        );
      })}
    </Chart>
  );
}

const firstOf = <R,>({ rows }: Point<R>, looks: Looks): readonly R[] =>
  [...looks.keys()].flatMap((name) => rows.get(name) ?? []).slice(0, 1);

const MOST_TICKS = 12;

/** Words in order, or numbers; a few that grow by a factor of 8 or more are on a logarithmic scale. */
function axisOf(places: Places) {
  const padding = { left: 14, right: 18 };
  const common = { dataKey: "x", interval: "preserveStartEnd", padding } as const;
  if (!places.every((place) => typeof place === "number"))
    return { ...common, type: "category", minTickGap: 8 } as const;
  const [first, last] = [places[0]!, places.at(-1)!];
  const few = places.length <= MOST_TICKS;
  const log = few && places.length > 2 && first > 0 && last / first >= 8;
  const ticks = few ? [...places] : fromFirst([first, last]);
  return {
    ...{ ...common, type: "number" as const, domain: [first, last], ticks },
    ...(log ? { scale: "log" as const } : {}),
    tickFormatter: (place: number) => numberText(place),
  };
}

const LineNames = ({ looks, width }: { readonly looks: Looks; readonly width: number }) => (
  <Legend
    width={width}
    items={[...looks].map(([label, { color, dash }]) => ({
      label,
      mark: (
        <>
          <line x1={0} x2={26} y1={9} y2={9} stroke={color} strokeWidth={2} strokeDasharray={dash} />
          <circle cx={13} cy={9} r={3} fill={dash === "none" ? color : "var(--paper)"} stroke={color} />
        </>
      ),
    }))}
  />
);

const LEAST = 0.001;
const LOG_UNITS = ["bytes", "seconds"];

type LineRow = RowOf<"lines">;

export const linesFigure: PictureOf<"lines"> = (figure) => {
  const { rows, guides } = figure;
  const names = [...new Set(rows.map(({ line }) => line))].sort(inOrder);
  const looks = seriesLook(names);
  const panels = [...new Set(rows.map(({ panel }) => panel))];
  const [x, value] = [columnOf(figure, "x"), columnOf(figure, "value")];
  const text = (row: LineRow): string =>
    (value.unit === "bytes" ? bytes(row.value) : numberText(row.value)) + behindShare(value, row);
  const log = LOG_UNITS.includes(value.unit);
  const [window] = guides;
  return {
    summary: `${counted(names.length, "line")}: ${names.join("; ")}. ${panels.filter(Boolean).join(", ")} by ${axisText(x)}.`,
    below: names.length > 1 || names[0] === "all" ? undefined : names[0],
    draw: (room) => {
      const panelled = panelRoom(room, Math.min(3, panels.length), PANEL);
      return (
        <>
          {names.length > 1 && <LineNames looks={looks} width={room.width} />}
          <Row wrap gap="0.75rem 24px">
            {panels.map((panel) => {
              const own = rows.filter((row) => row.panel === panel);
              const values = own.map((row) => row.value);
              const places = placesOf(own);
              const up =
                value.label === "value" ? panel : [panel, axisText(value)].filter(Boolean).join(": ");
              return (
                <LinesPanel
                  key={panel}
                  room={{ ...panelled, label: `${up} by ${axisText(x)}.` }}
                  rows={own}
                  {...{ looks, places, up, text }}
                  span={(row) => {
                    const interval = intervalIn(value, row);
                    return interval && [interval.low, interval.high];
                  }}
                  along={axisText(x)}
                  top={isShare(panel, value.unit) ? 1 : Math.max(0, ...values) || 1}
                  decades={log ? positiveEnds(values, LEAST) : null}
                >
                  {window && (
                    <ReferenceArea
                      x1={places[0]!}
                      x2={places[window.value - 1]!}
                      fill="var(--lapis)"
                      fillOpacity={0.08}
                      label={{
                        ...TICK,
                        value: window.label,
                        position: "insideTopLeft",
                        fill: "var(--lapis)",
                      }}
                    />
                  )}
                </LinesPanel>
              );
            })}
          </Row>
        </>
      );
    },
  };
};

const isShare = (panel: string, unit: string) => unit === "share" || / \((share|token F1)\)$/.test(panel);

const placesOf = (rows: readonly LineRow[]): Places => {
  const places = [...new Set(rows.map(({ x }) => x))];
  return places.every((place) => typeof place === "number") ? places.sort((a, b) => a - b) : places;
};

const inOrder = (a: string, b: string): number =>
  Number(b.includes("sharp")) - Number(a.includes("sharp")) || a.localeCompare(b, "en", { numeric: true });

const NAMED = 4;

export const lossCurvesFigure: PictureOf<"loss-curves"> = (figure, beside) => {
  const { rows, guides } = figure;
  const both = bothRows(figure, beside);
  const steps = largest(both, ({ step }) => step);
  const keys = [...new Set(rows.map(({ key }) => key))];
  const named = seriesLook(keys.slice(0, NAMED));
  const looks = new Map<string, Look>(
    keys.map((key) => [key, named.get(key) ?? { color: "var(--ink-faint)", dash: "none", width: 1 }]),
  );
  const losses = both.map(({ loss }) => loss);
  const along = Array.from({ length: Math.max(2, steps) }, (_, i) => i + 1);
  return {
    summary: `${counted(keys.length, "curve")}; the longest is that of ${keys[0] ?? "none"} with ${counted(steps, "step")}.`,
    below: `The scale of the loss is logarithmic.${keys.length > NAMED ? ` Grey: ${counted(keys.length - NAMED, "other curve")}.` : ""}`,
    draw: (room) => (
      <>
        {keys.length > 1 && <LineNames looks={named} width={room.width} />}
        <LinesPanel
          {...{ room, looks }}
          rows={rows.map((row) => ({ ...row, line: row.key, x: row.step, value: row.loss }))}
          text={({ loss }) => numberText(loss)}
          places={along}
          along="step"
          up="loss (nats per token)"
          top={0}
          decades={positiveEnds(losses)}
          height={260}
          dots={false}
          guides={guides.filter(({ value }) => value < steps)}
        />
      </>
    ),
  };
};
