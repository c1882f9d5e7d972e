/** @file Cases of the GPU benchmark as a Markdown table, each figure beside its limit as a ratio. */

import type { Precision } from "../../lib/precision.ts";
import type { CaseFigures, Figure } from "./cases.ts";
import type { Limits } from "./limits.ts";

/** A case that was measured, or why it was not. */
export interface TableCase {
  readonly shape: string;
  readonly precision: Precision;
  readonly commit: string;
  readonly date: string;
  readonly runtime: string;
  readonly limits: Limits;
  readonly figures: CaseFigures | null;
  readonly failed: string | null;
}

const COLUMNS = [
  "model",
  "weights",
  "load s",
  "prefill tok/s",
  "decode tok/s",
  "encode step ms",
  "facts/s ours",
  "facts/s naive",
  "recall 1 ms",
  "recall 24 ms",
  "most held",
] as const;

/** The table with a line on where it was made; behind a figure, how much of its limit it is. */
export function table(cases: readonly TableCase[]): string {
  const [first] = cases;
  if (!first) return "no case was measured\n";
  const { bytesPerSecond, flopsPerSecond } = first.limits;
  const head =
    `${first.runtime}, commit ${first.commit}, ${first.date.slice(0, 10)}; limits: ` +
    `${(bytesPerSecond / 1e9).toPrecision(3)} GB/s, ${(flopsPerSecond / 1e12).toPrecision(3)} TFLOP/s (float32)\n`;
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rows = cases.map((one) => line(cellsOf(one)));
  return [head, line(COLUMNS), line(COLUMNS.map(() => "---")), ...rows, ""].join("\n");
}

function cellsOf({ shape, precision, figures, failed }: TableCase): string[] {
  const name = `${shape} ${precision}`;
  if (!figures) return [name, `not measured: ${failed ?? ""}`.replaceAll("\n", " ").slice(0, 160)];
  const { load, weights, prefill, decode, encodeStep, facts, recall, bytes } = figures;
  const held = Object.values(bytes).reduce((sum, amount) => sum + amount, 0);
  return [
    name,
    gigabytes(weights),
    load.toFixed(1),
    beside(prefill),
    beside(decode),
    beside(encodeStep),
    facts.ours.toPrecision(3),
    facts.naive.toPrecision(3),
    recall.one.toFixed(0),
    recall.many.toFixed(0),
    gigabytes(held),
  ];
}

const beside = ({ value, ratio }: Figure): string =>
  `${value.toPrecision(3)} (${(100 * ratio).toPrecision(2)} %)`;

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;
