/** @file Evaluations as figures: accuracy by length and depth, where questions fail, what methods keep and take. */

import { many } from "../lib/format.ts";
import { publishedPoints } from "../evaluate/paper.ts";
import { sizeOf } from "../evaluate/runs/pace.ts";
import {
  accuracies,
  accuracy,
  attributions,
  breakEven,
  lengthName,
  oursBeside,
  sizes,
} from "../evaluate/summary.ts";
import { groupBy } from "../lib/group.ts";
import type { Evaluation, SampleRecord } from "../records/evaluation.ts";
import { defineFigure, type Figure, type Source } from "./figure.ts";
import { grid, lines, INTERVAL, INTERVAL_NAMES, intervalOf, type LineRow } from "./lines.ts";

const scoreOf = ({ score, interval: [low, high], n }: ReturnType<typeof accuracy>) => ({
  ...{ value: score, low, high, n },
});
const NO_INTERVAL = { low: null, high: null, n: null };

function windowGuide({ header }: Evaluation, rows: readonly LineRow[]): Figure["guides"] {
  const lengths = [...new Set(rows.map(({ x }) => String(x)))];
  const fits = lengths.filter((length) => {
    const tokens = /^\d+[kM]?$/.test(length) ? sizeOf(length) : 0;
    return tokens > 0 && tokens <= header.model.window;
  });
  const last = lengths.lastIndexOf(fits.at(-1) ?? "");
  return last < 0 ? [] : [{ axis: "x", value: last + 1, label: "fits the window" }];
}

const judgedBy = ({ header }: Evaluation): string =>
  `Scored by ${header.primary}; a missing answer counts as wrong. Intervals are Wilson’s if every answer is right or wrong, otherwise from a bootstrap; both treat questions about one text as dependent.`;

const SCORE = ["score", "share"] as const;

export function accuracyByLength(run: Evaluation, source: Source) {
  const own = accuracies(run)
    .filter(({ n }) => n > 0)
    .map(({ task, method, length, ...cell }) => ({
      ...{ panel: task, line: method, x: lengthName(length), ...scoreOf(cell) },
    }));
  const { tasks, lengths, benchmark } = run.header;
  const published = publishedPoints(benchmark).filter(
    ({ task, length }) => tasks.includes(task) && lengths.includes(length),
  );
  const points = published.map(({ model, task, length, share, n }) => ({
    ...{ panel: task, line: `the paper, ${model}`, x: lengthName(length), value: share },
    ...intervalOf(share, n),
  }));
  const rows = [...own, ...(own.length > 0 ? points : [])];
  const guides = windowGuide(run, rows);
  return lines(
    {
      id: "accuracy-by-length",
      title: "Accuracy by length of the text",
      caption: `${judgedBy(run)}${guides.length > 0 ? ` Shaded: lengths within the model’s window of ${many(run.header.model.window, "token")}, which also has to hold prompt and answer.` : ""}${points.length > 0 ? " The paper’s points are its results with other models, judged by the older rule." : ""}`,
      ...{ panel: "task", line: "method", x: ["length of the text", ""], value: SCORE, rows },
      guides,
    },
    source,
  );
}

export const taskByLength = (run: Evaluation, source: Source) =>
  grid(
    {
      id: "task-by-length",
      title: "Task by length",
      caption: `The share of right answers of each method. ${judgedBy(run)}`,
      ...{ panel: "method", row: ["task", ""], x: ["length of the text", ""], value: SCORE },
      rows:
        run.header.tasks.length < 2 && run.header.lengths.length < 2
          ? []
          : accuracies(run)
              .filter(({ n }) => n > 0)
              .map(({ method, task, length, ...cell }) => ({
                ...{ panel: method, row: task, column: lengthName(length), ...scoreOf(cell) },
              })),
    },
    source,
  );

export const accuracyByDepth = (run: Evaluation, source: Source) =>
  lines(
    {
      id: "accuracy-by-depth",
      title: "Accuracy by depth of the evidence",
      caption: `0 % is the beginning of the text, 100 % its end. ${judgedBy(run)}`,
      ...{ panel: "length of the text", line: "method", x: ["depth in the text", "%"], value: SCORE },
      rows: [
        ...groupBy(placed(run), ({ length, method, depth }) =>
          JSON.stringify([length, method, depth]),
        ).values(),
      ]
        .map((group) => ({
          ...{ panel: lengthName(group[0]!.length), line: group[0]!.method, x: 100 * group[0]!.depth! },
          ...scoreOf(accuracy(group, run.header.primary)),
        }))
        .filter(({ n }) => n > 0)
        .sort((a, b) => a.x - b.x),
    },
    source,
  );

/** More depths than this were drawn at random, and make no curve. */
const MOST_DEPTHS = 12;

function placed({ samples }: Evaluation): SampleRecord[] {
  const found = samples.filter(({ variant, depth }) => variant === "whole" && depth !== null);
  return new Set(found.map(({ depth }) => depth)).size > MOST_DEPTHS ? [] : found;
}

export const attributionBars = defineFigure({
  kind: "attribution",
  wide: true,
  empty: "Our method, whose stages are followed, was not run.",
  columns: {
    task: ["task", "", "text"],
    length: ["length", "", "text"],
    method: ["method", "", "text"],
    outcome: ["outcome", "", "text"],
    samples: ["samples", "count", "number"],
    share: ["share of all", "share", "number", undefined, INTERVAL_NAMES],
    ...INTERVAL,
    checked: ["checked by an oracle", "count", "number"],
    confirmed: ["confirmed by the oracle", "count", "number"],
  },
  make: (run: Evaluation) => ({
    title: "Where questions fail",
    caption:
      "Every question of our method, by the last stage that had its evidence: stored, routed, recalled. An oracle answers without the failed stage; a right answer confirms it.",
    rows: attributions(run).flatMap(({ task, length, method, rows }) =>
      rows.map(({ outcome, samples, n, interval: [low, high], checked, confirmed }) => ({
        ...{ task, length: lengthName(length), method, outcome: outcome === "none" ? "right" : outcome },
        ...{ samples, share: samples / n, low, high, n, checked, confirmed },
      })),
    ),
  }),
});

export function bytesByLength(run: Evaluation, source: Source) {
  const rows = sizes(run)
    .filter(({ bytes }) => bytes > 0)
    .map(({ method, length, bytes }) => ({
      ...{ panel: "", line: method, x: lengthName(length), value: bytes, ...NO_INTERVAL },
    }));
  return lines(
    {
      id: "bytes-by-length",
      title: "Memory kept per text, by its length",
      caption: "Medians. Our method keeps vectors and an index, the others keep text.",
      ...{ panel: "", line: "method", x: ["length of the text", ""], value: ["kept", "bytes"], rows },
      guides: windowGuide(run, rows),
    },
    source,
  );
}

const QUESTIONS = [1, 3, 10, 30, 100, 300, 1000];

export const secondsByQuestions = (run: Evaluation, source: Source) =>
  lines(
    {
      id: "seconds-by-questions",
      title: "Seconds by number of questions",
      caption: `The text is prepared once, then each question takes its median time. ${breakEvens(run)}`,
      ...{ panel: "length of the text", line: "method" },
      ...{ x: ["questions over one text", "count"], value: ["time in all", "seconds"] },
      rows: sizes(run).flatMap(({ length, method, prepareSeconds, answerSeconds }) =>
        QUESTIONS.map((questions) => ({
          ...{ panel: lengthName(length), line: method, x: questions, ...NO_INTERVAL },
          value: prepareSeconds + questions * answerSeconds,
        })),
      ),
    },
    source,
  );

/** From how many questions on our method is quicker than the other methods, by length. */
function breakEvens(run: Evaluation): string {
  const rows = sizes(run);
  const texts = Object.entries({
    full: "full context",
    truncation: "truncation",
    rag: "BM25 retrieval",
  }).flatMap(([other, name]) => {
    const found = rows.flatMap((row) => {
      const ours = oursBeside(rows, row);
      return row.method === other && ours ? [`${lengthName(row.length)}: ${breakEven(ours, row)}`] : [];
    });
    return found.length === 0 ? [] : [`Our method against ${name}, ${found.join("; ")}.`];
  });
  return texts.join(" ");
}
