/** @file The report of an evaluation: tables in Markdown, with an interval for each accuracy. */

import { groupBy } from "../lib/group.ts";
import { FEWEST_CLUSTERS } from "../lib/paired.ts";
import { modelTag } from "../records/memory.ts";
import type { Evaluation, EvaluationHeader } from "../records/evaluation.ts";
import { budgetNote } from "./budgets.ts";
import {
  accuracies,
  attributions,
  breakEven,
  byScorer,
  comparisons,
  lengthName,
  oursBeside,
  scorersOf,
  shownShares,
  sizes,
  type Accuracy,
  type Comparison,
  type SizeRow,
} from "./summary.ts";

/** All tables of a run, without empty ones. */
export function report(run: Evaluation): string {
  const parts = [
    heading(run),
    accuracyTables(run),
    comparisonTable(run),
    attributionTable(run),
    shownTable(run),
    variantTable(run),
    scorerTable(run),
    sizeTable(run),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function heading({ header, samples }: Evaluation): string {
  const { model, backend, precision, prompt, params, seed, app, created } = header;
  const left = Object.entries(header.leftOut).map(
    ([name, lacks]) => `Left out: ${name}, which needs ${lacks}.`,
  );
  const note = budgetNote(header.budgets, model.window);
  const settings = Object.entries(header.settings).map(([name, value]) => `${name}: ${value}`);
  return [
    `# ${header.benchmark}, ${samples.length} samples`,
    `Model ${modelTag(model)} (${precision}, ${backend}), ${prompt === "ours" ? "our prompt" : "the benchmark's prompt"}, preset ${params.preset}, seed ${seed}, app ${app}, ${created}.`,
    ...(settings.length > 0 ? [`${settings.join("; ")}.`] : []),
    ...helpersText(header),
    ...(note === null ? [] : [note]),
    ...(app.includes(", ")
      ? ["Its parts were made by several builds of the app, each sample by one of them."]
      : []),
    ...left,
  ].join("\n\n");
}

function helpersText({ reranker, compressor }: EvaluationHeader): string[] {
  const named = [reranker && `cross-encoder ${reranker}`, compressor && `compressor ${compressor}`].filter(
    Boolean,
  );
  return named.length === 0 ? [] : [`Methods that need one had the ${named.join(", and the ")}.`];
}

/** A table for each task: a row a method, a column a length. */
function accuracyTables(run: Evaluation): string {
  const { header } = run;
  const tasks = groupBy(accuracies(run), ({ task }) => task);
  const tables = [...tasks].map(([task, cells]) => {
    const rows = header.methods.map((method) => [
      method,
      ...header.lengths.map((length) =>
        accuracyText(cells.find((cell) => cell.method === method && cell.length === length)),
      ),
    ]);
    return `### ${task}\n\n${markdown(["method", ...header.lengths.map(lengthName)], rows)}`;
  });
  return `## Accuracy (${header.primary}), % [95 % interval], n\n\nA question without an answer counts as wrong.\n\n${tables.join("\n\n")}`;
}

/** "95 [84, 99] n = 40", with the number of texts if they are fewer; a dash if nothing was asked. */
function accuracyText(cell: Accuracy | undefined): string {
  if (!cell) return "";
  const { n, texts, unanswered, interval } = cell;
  if (n === 0) return "-";
  const [low, high] = interval;
  const shared = texts < n ? ` over ${texts} ${texts === 1 ? "text" : "texts"}` : "";
  const missing = unanswered > 0 ? `, ${unanswered} unanswered` : "";
  return `${percent(cell.score)} [${percent(low)}, ${percent(high)}] n = ${n}${shared}${missing}`;
}

const percent = (share: number): string => (100 * share).toFixed(0);

function comparisonTable(run: Evaluation): string {
  const [first] = run.header.methods;
  const found = first === undefined ? [] : comparisons(run, first);
  if (found.length === 0) return "";
  const rows = found.map((one) => [
    one.task,
    lengthName(one.length),
    one.against,
    String(one.n),
    String(one.clusters),
    one.only.join(" / "),
    differenceText(one),
    one.p === null ? "" : one.p < 0.001 ? "< 0.001" : one.p.toFixed(3),
    toldText(one),
  ]);
  const measures = ["n", "texts", "only one right", "difference, points [95 %]", "McNemar p", "told apart"];
  const head = ["task", "length", "against", ...measures];
  return `## ${first} against the others, on the same cases\n\n${markdown(head, rows)}`;
}

function toldText({ told, clusters }: Comparison): string {
  if (told) return "yes";
  return clusters < FEWEST_CLUSTERS
    ? `no: fewer than ${FEWEST_CLUSTERS} texts`
    : "no: n is too small, or they are alike";
}

function differenceText({ difference, interval: [low, high], clusters }: Comparison): string {
  const shown = signed(difference);
  return clusters < 2 ? `${shown} (one text: no interval)` : `${shown} [${signed(low)}, ${signed(high)}]`;
}

const signed = (share: number): string => `${share > 0 ? "+" : ""}${(100 * share).toFixed(0)}`;

function attributionTable(run: Evaluation): string {
  const cells = attributions(run);
  if (cells.length === 0) return "";
  const rows = cells.map(({ task, length, method, rows: own }) => [
    task,
    lengthName(length),
    method,
    ...own.map(({ samples, checked, confirmed }) =>
      checked > 0 ? `${samples} (${confirmed} of ${checked} confirmed)` : String(samples),
    ),
    String(own.reduce((sum, { samples }) => sum + samples, 0)),
  ]);
  const outcomes = cells[0]!.rows.map(({ outcome }) => (outcome === "none" ? "right" : outcome));
  return (
    "## Where questions fail\n\nBy where the evidence was last seen; confirmed: the oracle without the stage answers right " +
    `(for the answer: it fails with the stored text too).\n\n${markdown(["task", "length", "method", ...outcomes, "n"], rows)}`
  );
}

function shownTable(run: Evaluation): string {
  const cells = shownShares(run);
  const [first] = cells;
  if (!first) return "";
  const names = Object.keys(first.shares);
  const rows = cells.map(({ task, length, method, shares }) => [
    ...[task, lengthName(length), method],
    ...Object.values(shares).map((share) => accuracyText(share)),
  ]);
  return (
    "## What is shown, % [95 % interval], n\n\nA sentence that answers first, and among three, five and 24, of the questions for which it " +
    "is known; short answers that are right (word F1 of at least 0.5), wrong, or not given, of all.\n\n" +
    markdown(["task", "length", "method", ...names], rows)
  );
}

function variantTable(run: Evaluation): string {
  const { variants } = run.header;
  if (variants.length < 2) return "";
  const cells = variants.flatMap((variant) => accuracies(run, variant).map((cell) => ({ ...cell, variant })));
  const rows = [
    ...groupBy(cells, ({ task, length, method }) => JSON.stringify([task, length, method])).values(),
  ].map((own) => [
    own[0]!.task,
    lengthName(own[0]!.length),
    own[0]!.method,
    ...variants.map((variant) => accuracyText(own.find((cell) => cell.variant === variant))),
  ]);
  return (
    "## With the evidence taken out, and altered\n\nRight without the evidence is guessed or known before; with an altered answer " +
    `the altered one is right.\n\n${markdown(["task", "length", "method", ...variants], rows)}`
  );
}

function scorerTable(run: Evaluation): string {
  const names = scorersOf(run.header);
  const rows = byScorer(run).map(({ method, scores }) => [
    method,
    ...names.map((name) => accuracyText(scores[name])),
  ]);
  return `## Every scorer, over the whole run, % [95 % interval], n\n\n${markdown(["method", ...names], rows)}`;
}

function sizeTable(run: Evaluation): string {
  const all = sizes(run);
  const rows = all.map((row) => [
    lengthName(row.length),
    row.method,
    row.tokens.toLocaleString("en-GB"),
    row.bytes.toLocaleString("en-GB"),
    row.promptTokens.toFixed(0),
    row.prepareSeconds.toFixed(2),
    row.answerSeconds.toFixed(2),
    oursAgainst(all, row),
  ]);
  const kept = ["text tokens kept", "bytes kept", "prompt tokens"];
  const head = ["length", "method", ...kept, "seconds to prepare", "seconds to answer", "ours is"];
  return `## What is kept, and what it takes (medians)\n\n${markdown(head, rows)}`;
}

function oursAgainst(all: readonly SizeRow[], row: SizeRow): string {
  const ours = oursBeside(all, row);
  return ours && ours !== row ? breakEven(ours, row) : "";
}

/** A table; columns are as wide as their longest cell. */
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => (row[i] ?? "").length), 3));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, i) => (cells[i] ?? "").padEnd(width)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join(
    "\n",
  );
}
