/** @file Where questions fail as bars of samples, and accuracy by task and length as a map. */

import type { RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import { HeatCell } from "./kit/Across.tsx";
import { FONT, textWidth } from "./kit/measure.ts";
import { Marked } from "./kit/Marked.tsx";
import type { PictureOf, Room } from "./kit/picture.ts";
import { shareText, spanText } from "./kit/text.ts";

type Bar = RowOf<"attribution">;

/** What became of a question: right is full, what failed is told apart by colour, its number and its word. */
const LOOKS: Readonly<Record<string, string>> = {
  right: "var(--verdigris)",
  extraction: "var(--ochre)",
  routing: "var(--lapis)",
  reconstruction: "var(--rubric)",
  answer: "var(--layer-8)",
  unattributed: "var(--ink-soft)",
};

const ROW = 30;
const TOP = 28;
const GAP = 1.5;

export const attributionFigure: PictureOf<"attribution"> = ({ rows }) => {
  const shown = rows.filter(({ samples }) => samples > 0);
  const failed = shown.filter(({ outcome }) => outcome !== "right");
  const sum = failed.reduce((all, { samples }) => all + samples, 0);
  return {
    interactive: true,
    summary: `${counted(sum, "question")} failed: ${failed.map(({ outcome, samples }) => `${outcome} ${samples}`).join(", ") || "none"}.`,
    draw: (room) => <Bars room={room} rows={shown} />,
  };
};

const barName = ({ task, length, method }: Bar): string =>
  [task, length, method === "ours" ? "" : method].filter((part) => part !== "").join(" ");

function Bars({ room, rows }: { readonly room: Room<Bar>; readonly rows: readonly Bar[] }) {
  const names = [...new Set(rows.map(barName))];
  const left = Math.min(0.4 * room.width, Math.max(...names.map((name) => textWidth(name, FONT.label))) + 14);
  const placed = names.flatMap((name, line) => {
    const own = rows.filter((row) => barName(row) === name);
    let from = 0;
    return own.map((row) => {
      const width = row.share * (room.width - left - 8);
      const x = left + from;
      from += width;
      return { row, x, y: TOP + line * ROW, width };
    });
  });
  const outcomes = Object.keys(LOOKS).filter((name) => rows.some(({ outcome }) => outcome === name));
  const at = (row: Bar) => {
    const { x, y, width } = placed.find((one) => one.row === row)!;
    return { x: x + width / 2, y: y + ROW / 2 };
  };
  const tip = (row: Bar): readonly [string, readonly (readonly [string, string])[]] => {
    const checked =
      row.checked > 0 ? [["borne out by the oracle", `${row.borneOut} of ${row.checked}`] as const] : [];
    return [
      `${barName(row)}: ${row.outcome}`,
      [
        ["samples", `${row.samples} of ${row.n}`],
        ["share", shareText(row.share)],
        ["95 % interval", spanText(row)],
        ...checked,
      ],
    ];
  };
  return (
    <Marked room={room} rows={rows} at={at} tip={tip} reach={60}>
      <svg width={room.width} height={TOP + names.length * ROW + 4} fontSize={11.5} fill="var(--ink-soft)">
        <Key outcomes={outcomes} />
        {names.map((name, line) => (
          <text key={name} x={left - 8} y={TOP + line * ROW + ROW / 2 + 4} textAnchor="end">
            {name}
          </text>
        ))}
        {placed.map(({ row, x, y, width }, i) => (
          <g key={i}>
            <rect
              x={x}
              y={y + 4}
              width={Math.max(1, width - GAP)}
              height={ROW - 8}
              fill={LOOKS[row.outcome]}
            />
            {width > 16 && (
              <text x={x + width / 2} y={y + ROW / 2 + 4} textAnchor="middle" fill="var(--on-ink)">
                {row.samples}
              </text>
            )}
          </g>
        ))}
      </svg>
    </Marked>
  );
}

function Key({ outcomes }: { readonly outcomes: readonly string[] }) {
  const widths = outcomes.map((name) => textWidth(name, FONT.label) + 30);
  return outcomes.map((name, i) => (
    <g key={name} transform={`translate(${widths.slice(0, i).reduce((sum, width) => sum + width, 0)} 0)`}>
      <rect x={0} y={5} width={11} height={11} fill={LOOKS[name]} />
      <text x={16} y={15}>
        {name}
      </text>
    </g>
  ));
}

type Cell = RowOf<"task-by-length">;

/** The narrowest panel. */
const PANEL = 210;
const CELL = 30;
const HEAD = 40;
const SIDE = 40;
const BETWEEN = 16;

export const taskByLengthFigure: PictureOf<"task-by-length"> = ({ rows }) => ({
  interactive: true,
  summary: `${counted(rows.length, "cell")}, from ${shareText(Math.min(...rows.map(({ score }) => score)))} to ${shareText(Math.max(...rows.map(({ score }) => score)))} right.`,
  draw: (room) => <Maps room={room} rows={rows} />,
});

function Maps({ room, rows }: { readonly room: Room<Cell>; readonly rows: readonly Cell[] }) {
  const [methods, tasks, lengths] = [
    [...new Set(rows.map(({ method }) => method))],
    [...new Set(rows.map(({ task }) => task))],
    [...new Set(rows.map(({ length }) => length))],
  ];
  const least = Math.max(PANEL, SIDE + lengths.length * 44);
  const columns = Math.max(1, Math.min(methods.length, Math.floor(room.width / least)));
  const wide = Math.min(420, (room.width - (columns - 1) * BETWEEN) / columns);
  const pitch = (wide - SIDE) / lengths.length;
  const high = HEAD + tasks.length * CELL + BETWEEN;
  const corner = (method: string) => {
    const i = methods.indexOf(method);
    return { x: (i % columns) * (wide + BETWEEN), y: Math.floor(i / columns) * high };
  };
  const at = ({ method, task, length }: Cell) => ({
    x: corner(method).x + SIDE + (lengths.indexOf(length) + 0.5) * pitch,
    y: corner(method).y + HEAD + (tasks.indexOf(task) + 0.5) * CELL,
  });
  return (
    <Marked
      room={room}
      rows={rows}
      at={at}
      reach={Math.max(pitch, CELL) / 2 + 4}
      tip={({ method, task, length, score, ...span }) => [
        `${method}, ${task} at ${length}`,
        [
          ["score", shareText(score)],
          ["95 % interval", spanText(span)],
        ],
      ]}
    >
      <svg
        width={room.width}
        height={Math.ceil(methods.length / columns) * high}
        fontSize={11.5}
        fill="var(--ink-soft)"
      >
        {methods.map((method) => {
          const { x, y } = corner(method);
          return (
            <g key={method} transform={`translate(${x} ${y})`}>
              <text x={SIDE} y={14} fill="var(--ink)">
                {method}
              </text>
              {lengths.map((length, i) => (
                <text key={length} x={SIDE + (i + 0.5) * pitch} y={HEAD - 8} textAnchor="middle">
                  {length}
                </text>
              ))}
              {tasks.map((task, i) => (
                <text key={task} x={SIDE - 6} y={HEAD + (i + 0.5) * CELL + 4} textAnchor="end">
                  {task}
                </text>
              ))}
            </g>
          );
        })}
        {rows.map((row, i) => (
          <HeatCell key={i} {...at(row)} width={pitch - 1.5} height={CELL - 1.5} share={row.score}>
            {shareText(row.score)}
          </HeatCell>
        ))}
      </svg>
    </Marked>
  );
}
