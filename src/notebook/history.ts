/** @file Undo and redo of a notebook: two stacks of edits. */

import type { Notebook } from "../records/notebook.ts";
import { apply, type Edit } from "./edits.ts";

export interface History {
  readonly undo: readonly Edit[];
  readonly redo: readonly Edit[];
}

export const EMPTY_HISTORY: History = { undo: [], redo: [] };

/** More steps than a person takes back; each holds at most one cell. */
const DEEPEST = 200;

export interface Edited {
  readonly notebook: Notebook;
  readonly history: History;
}

/** Applies `edit`. Typing in one cell is one step: only the oldest inverse of a run of inputs is kept. */
export function edit({ notebook, history }: Edited, change: Edit): Edited {
  const done = apply(notebook, change);
  const last = history.undo.at(-1);
  const merged = last !== undefined && sameSubject(last, done.inverse);
  const undo = merged ? history.undo : [...history.undo, done.inverse].slice(-DEEPEST);
  return { notebook: done.notebook, history: { undo, redo: [] } };
}

export function undo(state: Edited): Edited {
  return step(state, "undo", "redo");
}

export function redo(state: Edited): Edited {
  return step(state, "redo", "undo");
}

function step(state: Edited, from: "undo" | "redo", to: "undo" | "redo"): Edited {
  const { notebook, history } = state;
  const change = history[from].at(-1);
  if (!change) return state;
  const done = apply(notebook, change);
  const stacks = { [from]: history[from].slice(0, -1), [to]: [...history[to], done.inverse] };
  return { notebook: done.notebook, history: stacks as unknown as History };
}

function sameSubject(a: Edit, b: Edit): boolean {
  if (a.kind === "title" && b.kind === "title") return true;
  return (
    (a.kind === "input" || a.kind === "rename") && a.kind === b.kind && a.id === (b as { id: string }).id
  );
}

export function describe(change: Edit): string {
  switch (change.kind) {
    case "add":
      return "bring the cell back";
    case "remove":
      return "take the cell away";
    case "move":
      return "move the cell back";
    case "rename":
      return "restore the cell's title";
    case "input":
      return "restore what the cell said";
    case "title":
      return "restore the notebook's title";
    default:
      return change satisfies never;
  }
}
