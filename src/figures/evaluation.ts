/** @file Evaluations as figures: accuracy by length and depth, where questions fail, what methods keep and take. */

import { many } from "../lib/format.ts";
import { sizeOf } from "../evaluate/runs/pace.ts";
import { accuracies, accuracy, attributions, sizes, type SizeRow } from "../evaluate/summary.ts";
import { groupBy } from "../lib/group.ts";
import type { Evaluation, SampleRecord } from "../records/evaluation.ts";
import { defineFigure } from "./figure.ts";

const INTERVAL = {
  score: ["score", "share", "number"],
  low: ["95 % interval from", "share", "number"],
  high: ["to", "share", "number"],
  n: ["n", "count", "number"],
} as const;

/** Where no sample was asked there is no accuracy. */
const spanOf = ({ score, interval, n }: ReturnType<typeof accuracy>) => ({
  ...{ score, low: interval[0], high: interval[1], n },
});

const nameOf = (length: string): string => (length === "" ? "all" : length);

/** Tokens of text that a length names; 0 where that is not known. */
const tokensNamed = (length: string): number => (/^\d+[kM]?$/.test(length) ? sizeOf(length) : 0);

/** The length at which the window is full, for the figures along lengths. */
const windowGuide = ({ header }: Evaluation) => [
  { axis: "x" as const, value: header.model.window, label: "the model’s window" },
];

const judgedBy = ({ header }: Evaluation): string =>
  `Judged by ${header.primary}, what was not answered as wrong; intervals are Wilson’s where every sample is right or wrong, else of a bootstrap, and take questions over one text together.`;

export const accuracyByLength = defineFigure({
  kind: "accuracy-by-length",
  wide: true,
  empty: "No sample is there yet.",
  columns: {
    task: ["task", "", "text"],
    method: ["method", "", "text"],
    length: ["length", "", "text"],
    tokens: ["length", "tokens", "number"],
    ...INTERVAL,
  },
  make: (run: Evaluation) => ({
    title: "Accuracy by length of the text",
    caption: `${judgedBy(run)} Shaded: lengths below the model’s window of ${many(run.header.model.window, "token")}, of which prompt and answer take a part.`,
    guides: windowGuide(run),
    rows: accuracies(run)
      .filter(({ n }) => n > 0)
      .map(({ task, method, length, ...cell }) => ({
        ...{ task, method, length: nameOf(length), tokens: tokensNamed(length), ...spanOf(cell) },
      })),
  }),
});

export const taskByLength = defineFigure({
  kind: "task-by-length",
  wide: true,
  empty: "This map needs two tasks, or two lengths.",
  columns: {
    method: ["method", "", "text"],
    task: ["task", "", "text"],
    length: ["length", "", "text"],
    ...INTERVAL,
  },
  make: (run: Evaluation) => ({
    title: "Task by length",
    caption: `The share of right answers of each method. ${judgedBy(run)}`,
    rows:
      run.header.tasks.length < 2 && run.header.lengths.length < 2
        ? []
        : accuracies(run)
            .filter(({ n }) => n > 0)
            .map(({ method, task, length, ...cell }) => ({
              ...{ method, task, length: nameOf(length), ...spanOf(cell) },
            })),
  }),
});

export const accuracyByDepth = defineFigure({
  kind: "accuracy-by-depth",
  wide: true,
  empty: "The cases of this benchmark have no set depth.",
  columns: {
    length: ["length", "", "text"],
    method: ["method", "", "text"],
    depth: ["depth in the text", "%", "number"],
    ...INTERVAL,
  },
  make: (run: Evaluation) => ({
    title: "Accuracy by depth of the evidence",
    caption: `0 % is the beginning of the text, 100 % its end. ${judgedBy(run)}`,
    rows: [
      ...groupBy(placed(run), ({ length, method, depth }) =>
        JSON.stringify([length, method, depth]),
      ).values(),
    ]
      .map((own) => ({
        ...{ length: nameOf(own[0]!.length), method: own[0]!.method, depth: 100 * own[0]!.depth! },
        ...spanOf(accuracy(own, run.header.primary)),
      }))
      .filter(({ n }) => n > 0),
  }),
});

/** Samples whose evidence stands at one of few set places. */
function placed({ samples }: Evaluation): SampleRecord[] {
  const found = samples.filter(({ variant, depth }) => variant === "whole" && depth !== null);
  return new Set(found.map(({ depth }) => depth)).size > MOST_PLACES ? [] : found;
}

/** More of them are drawn at random, and no places that a curve goes through. */
const MOST_PLACES = 12;

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
    share: ["share of all", "share", "number"],
    low: INTERVAL.low,
    high: INTERVAL.high,
    n: INTERVAL.n,
    checked: ["of which checked by an oracle", "count", "number"],
    borneOut: ["borne out by it", "count", "number"],
  },
  make: (run: Evaluation) => ({
    title: "Where questions fail",
    caption:
      "Every question of our method, by where its evidence was last seen: stored, routed, said again. The oracle that does without a stage should answer where that stage failed.",
    rows: attributions(run).flatMap(({ task, length, method, rows }) =>
      rows.map(({ outcome, samples, n, interval: [low, high], checked, borneOut }) => ({
        ...{ task, length: nameOf(length), method, samples, share: samples / n, low, high, n },
        ...{ checked, borneOut },
        outcome: outcome === "none" ? "right" : outcome,
      })),
    ),
  }),
});

export const bytesByLength = defineFigure({
  kind: "bytes-by-length",
  empty: "No sample has an answer yet.",
  columns: {
    method: ["method", "", "text"],
    length: ["length", "", "text"],
    tokens: ["length", "tokens", "number"],
    bytes: ["kept", "bytes", "number"],
    kept: ["text kept", "tokens", "number"],
    prompt: ["prompt", "tokens", "number"],
  },
  make: (run: Evaluation) => ({
    title: "What is kept of a text, by its length",
    caption: "Medians. Ours keeps vectors and an index, the others text.",
    guides: windowGuide(run),
    rows: sizes(run).map(({ method, length, tokens, bytes, promptTokens }) => ({
      ...{ method, length: nameOf(length), tokens: tokensNamed(length), bytes },
      ...{ kept: tokens, prompt: promptTokens },
    })),
  }),
});

/** Questions over one text. */
const QUESTIONS = [1, 3, 10, 30, 100, 300, 1000];

export const secondsByQuestions = defineFigure({
  kind: "seconds-by-questions",
  empty: "No sample has an answer yet.",
  columns: {
    length: ["length", "", "text"],
    method: ["method", "", "text"],
    questions: ["questions over one text", "count", "number"],
    seconds: ["time in all", "seconds", "number"],
  },
  make: (run: Evaluation) => ({
    title: "Seconds by number of questions",
    caption: `The text is prepared once, then each question takes its median time. ${breakEvens(run)}`,
    rows: sizes(run).flatMap(({ length, method, prepareSeconds, answerSeconds }) =>
      QUESTIONS.map((questions) => ({
        ...{ length: nameOf(length), method, questions },
        seconds: prepareSeconds + questions * answerSeconds,
      })),
    ),
  }),
});

/** From how many questions on ours takes no longer than retrieval does, length by length. */
function breakEvens(run: Evaluation): string {
  const rows = sizes(run);
  const of = (name: string, length: string): SizeRow | undefined =>
    rows.find((row) => row.length === length && row.method.split(":")[0] === name);
  const said = run.header.lengths.flatMap((length) => {
    const [ours, rag] = [of("ours", length), of("rag", length)];
    return ours && rag ? [`${nameOf(length)}: ${breakEven(ours, rag)}`] : [];
  });
  return said.length === 0 ? "" : `Ours against BM25 retrieval, ${said.join("; ")}.`;
}

type Times = Pick<SizeRow, "prepareSeconds" | "answerSeconds">;

/** In words: how many questions it takes until `a` has taken no longer than `b`. */
export function breakEven(a: Times, b: Times): string {
  const ahead = a.prepareSeconds - b.prepareSeconds;
  const gained = b.answerSeconds - a.answerSeconds;
  if (ahead <= 0 && gained >= 0) return "quicker from the first question on";
  const last = Math.floor(ahead / gained);
  if (gained <= 0) return ahead > 0 || last < 1 ? "never quicker" : `quicker up to ${many(last, "question")}`;
  const first = Math.max(1, Math.ceil(ahead / gained));
  return `quicker from ${first.toLocaleString("en-GB")} question${first === 1 ? "" : "s"} on`;
}
