/** @file Figures of tokens: the logit of each right token with and without δ, and stored against recalled tokens. */

import { Bar, ComposedChart, LabelList, Line } from "recharts";
import type { RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import { FONT, textWidth } from "./kit/measure.ts";
import type { PictureOf } from "./kit/picture.ts";
import { Axes, chartProps, Hover, STILL, type TipWords } from "./kit/recharts.tsx";
import { numberText, tokenText } from "./kit/text.ts";
import s from "./charts.module.css";

type Logits = RowOf<"token-logits">;

/** Pixels of a token on the x axis; a long value scrolls. */
const NARROWEST = 26;

const tip = (row: Logits): TipWords => [
  tokenText(row.right),
  [
    ["logit", `${numberText(row.rightWithout)} → ${numberText(row.rightWith)}`],
    ["probability", `${numberText(row.probabilityWithout, 2)} → ${numberText(row.probabilityWith, 2)}`],
    ["rank", `${row.rankWithout} → ${row.rankWith}`],
    ...(row.exact ? [] : [["chosen", tokenText(row.chosen)] as const]),
  ],
];

export const tokenLogitsFigure: PictureOf<"token-logits"> = ({ rows }) => {
  const raised = rows.reduce((sum, row) => sum + row.rightWith - row.rightWithout, 0);
  const wrong = rows.filter(({ exact }) => !exact).length;
  const logits = rows.flatMap((row) => [
    ...[row.rightWith, row.rightWithout],
    ...(row.exact ? [] : [row.chosenWith]),
  ]);
  const x = {
    dataKey: "step",
    tickFormatter: (step: number) => tokenText(rows[step - 1]?.right ?? "").slice(0, 11),
    ...{ interval: 0, angle: -90, height: 66 },
    tick: { fontSize: 11.5, fill: "var(--ink)", textAnchor: "end" as const, dx: -5 },
  } as const;
  const points = { stroke: "none", activeDot: false, ...STILL } as const;
  return {
    interactive: true,
    summary: `δ raises the logit of the right token by ${numberText(raised / Math.max(1, rows.length))} on average over ${counted(rows.length, "token")}; ${wrong} are still wrong.`,
    below: `Full: with δ, hollow: without.${wrong > 0 ? " Black, with its word: the token that was chosen instead of the right one." : ""}`,
    draw: (room) => {
      const width = Math.max(room.width, rows.length * NARROWEST + 60);
      return (
        <div className={s.scroller}>
          <ComposedChart {...chartProps({ ...room, width }, 280)} data={rows}>
            <Axes
              x={x}
              along=""
              up="logit of the right token"
              bottom={Math.min(0, Math.floor(Math.min(...logits) / 5) * 5)}
              top={Math.max(...logits)}
              count={6}
            />
            <Hover tip={tip} />
            <Bar
              dataKey={({ rightWith, rightWithout }: Logits) => [rightWithout, rightWith]}
              barSize={2}
              fill="var(--rubric)"
              {...STILL}
            />
            <Line
              {...points}
              dataKey="rightWithout"
              dot={{ r: 3.5, fill: "var(--paper)", stroke: "var(--ink-soft)" }}
            />
            <Line {...points} dataKey="rightWith" dot={{ r: 4, fill: "var(--rubric)" }} />
            {wrong > 0 && (
              <Line
                {...points}
                dataKey={({ exact, chosenWith }: Logits) => (exact ? null : chosenWith)}
                dot={{ r: 3.5, fill: "var(--ink)" }}
              >
                <LabelList
                  dataKey={({ exact, chosen }: Logits) => (exact ? "" : tokenText(chosen))}
                  position="top"
                  fontSize={11.5}
                  fill="var(--ink)"
                />
              </Line>
            )}
          </ComposedChart>
        </div>
      );
    },
  };
};

type Fate = "same" | "missing" | "added";

const INK: Readonly<Record<Fate, string>> = {
  same: "var(--ink)",
  missing: "var(--ink-soft)",
  added: "var(--rubric)",
};

export const diffFigure: PictureOf<"reconstruction-diff"> = ({ rows, caption }) => {
  const exact = rows.every(({ op }) => op === "same");
  return {
    summary: exact ? `The recall is the stored value, token for token. ${caption}` : caption,
    below: exact
      ? "Token for token the stored value."
      : "Struck through: stored, not recalled. Red: recalled, not stored.",
    draw: ({ width }) => <Tokens tokens={rows} width={width} />,
  };
};

/** Pixels of a line, and between words. */
const [LINE, SPACE] = [28, 6];

/** Tokens in lines of `width` pixels. */
function Tokens({
  tokens,
  width,
}: {
  readonly tokens: readonly { readonly op: string; readonly token: string }[];
  readonly width: number;
}) {
  let [x, y] = [0, 0];
  const drawn = tokens.map(({ op, token }, i) => {
    const text = tokenText(token);
    const wide = textWidth(text, FONT.words) + 2;
    if (x > 0 && (token === "" || /^\s/.test(token))) x += SPACE;
    if (x > 0 && x + wide > width) [x, y] = [0, y + LINE];
    const [left, base] = [x, y + 19];
    x += wide;
    return (
      <g key={i} transform={`translate(${left} ${base})`}>
        <title>{`${token}: ${op}`}</title>
        {op === "added" && <rect x={-1} y={-14} width={wide} height={18} fill="var(--rubric-wash)" />}
        <text fontSize={15} fill={INK[op as Fate]} style={{ fontFamily: "var(--serif)" }}>
          {text}
        </text>
        {op !== "same" && (
          <line
            x1={-1}
            x2={wide - 1}
            y1={op === "added" ? 4 : -5}
            y2={op === "added" ? 4 : -5}
            stroke={op === "added" ? "var(--rubric)" : "var(--ink)"}
            strokeWidth={1.4}
          />
        )}
      </g>
    );
  });
  return (
    <svg width={width} height={y + LINE}>
      {drawn}
    </svg>
  );
}
