/** @file What is said when a run of the whole notebook ends: where it stopped, and which cells nothing came of. */

import { cellTitle } from "../../notebook/kinds.ts";
import type { Cell } from "../../records/notebook.ts";
import type { CellRun } from "../types.ts";

/** How a cell came out of the run. */
export interface Ended {
  /** As it was when the run left it. */
  readonly cell: Cell;
  readonly how: "ran" | "passed over" | "stopped";
}

/** One line; null where every cell ran and has a result. */
export function closingLine(ended: readonly Ended[], runs: Readonly<Record<string, CellRun>>): string | null {
  const lines = ended.flatMap(({ cell, how }) => {
    const title = `“${cellTitle(cell)}”`;
    // A box without a question is how every notebook begins.
    if (how === "passed over" && cell.kind === "ask") return [];
    if (how === "passed over") return [`${title} was passed over: it was given nothing to work on.`];
    if (how === "stopped") return [stoppedText(title, runs[cell.id])];
    return withoutResult(cell) ? [`${title} had no result: no fact was added.`] : [];
  });
  const sentences = lines.map((line, i) => (i === 0 ? line : line.replace(/^it /, "It ")));
  return lines.length > 0 ? `Run all: ${sentences.join(" ")}` : null;
}

const stoppedText = (title: string, run: CellRun | undefined): string =>
  run?.status === "failed"
    ? `it stopped at ${title}, which failed: ${run.problem?.message ?? "the reason stands in the cell."}`
    : `it was stopped at ${title}.`;

const withoutResult = (cell: Cell): boolean => cell.kind === "memorize" && cell.output?.encoded === 0;
