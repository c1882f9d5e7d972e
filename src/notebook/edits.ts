/** @file Changes of a notebook's cells, and of the words that it keeps. */

import { assert, present } from "../lib/assert.ts";
import type { Cell, Notebook } from "../records/notebook.ts";
import { many } from "../lib/format.ts";
import type { Answer, DeletionCertificate } from "../records/answer.ts";

export type Edit =
  | { readonly kind: "add"; readonly cell: Cell; readonly index: number }
  | { readonly kind: "remove"; readonly id: string }
  | { readonly kind: "move"; readonly id: string; readonly index: number }
  | { readonly kind: "rename"; readonly id: string; readonly title: string }
  | { readonly kind: "input"; readonly id: string; readonly input: Cell["input"] }
  | { readonly kind: "title"; readonly title: string };

/** Positions out of range mean the nearest end. @throws if the cell does not exist, or a new one exists already */
export function apply(notebook: Notebook, edit: Edit): Readonly<{ notebook: Notebook; inverse: Edit }> {
  const { cells } = notebook;
  switch (edit.kind) {
    case "title":
      return {
        notebook: { ...notebook, title: edit.title },
        inverse: { kind: "title", title: notebook.title },
      };
    case "add": {
      const { cell } = edit;
      assert(
        cells.every(({ id }) => id !== cell.id),
        () => `notebook: a cell "${cell.id}" is there already; give the new cell another id`,
      );
      return {
        notebook: { ...notebook, cells: cells.toSpliced(clamp(edit.index, cells.length), 0, cell) },
        inverse: { kind: "remove", id: cell.id },
      };
    }
    case "remove": {
      const { cell, index } = find(notebook, edit.id);
      return {
        notebook: { ...notebook, cells: cells.toSpliced(index, 1) },
        inverse: { kind: "add", cell, index },
      };
    }
    case "move": {
      const { cell, index } = find(notebook, edit.id);
      const others = cells.toSpliced(index, 1);
      return {
        notebook: { ...notebook, cells: others.toSpliced(clamp(edit.index, others.length), 0, cell) },
        inverse: { kind: "move", id: edit.id, index },
      };
    }
    case "rename": {
      const { cell } = find(notebook, edit.id);
      return {
        notebook: replaceCell(notebook, { ...cell, title: edit.title }),
        inverse: { ...edit, title: cell.title },
      };
    }
    case "input": {
      const { cell } = find(notebook, edit.id);
      return {
        notebook: replaceCell(notebook, { ...cell, input: edit.input } as Cell),
        inverse: { ...edit, input: cell.input },
      };
    }
    default:
      return edit satisfies never;
  }
}

export function replaceCell(notebook: Notebook, cell: Cell): Notebook {
  const { index } = find(notebook, cell.id);
  return { ...notebook, cells: notebook.cells.with(index, cell) };
}

export function find(notebook: Notebook, id: string): { cell: Cell; index: number } {
  const index = notebook.cells.findIndex((cell) => cell.id === id);
  const cell = present(
    notebook.cells[index],
    () => `notebook: there is no cell "${id}" in "${notebook.title}"; it may have been removed`,
  );
  return { cell, index };
}

const clamp = (index: number, last: number): number => Math.max(0, Math.min(last, index));

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

export const undo = (state: Edited): Edited => step(state, "undo", "redo");

export const redo = (state: Edited): Edited => step(state, "redo", "undo");

function step(state: Edited, from: "undo" | "redo", to: "undo" | "redo"): Edited {
  const { notebook, history } = state;
  const change = history[from].at(-1);
  if (!change) return state;
  const done = apply(notebook, change);
  const stacks = { [from]: history[from].slice(0, -1), [to]: [...history[to], done.inverse] };
  return { notebook: done.notebook, history: stacks as unknown as History };
}

/** The history with `change` applied to each step. */
export const withSteps = ({ undo, redo }: History, change: (step: Edit) => Edit): History => ({
  undo: undo.map(change),
  redo: redo.map(change),
});

function sameSubject(a: Edit, b: Edit): boolean {
  if (a.kind === "title" && b.kind === "title") return true;
  return (
    (a.kind === "input" || a.kind === "rename") && a.kind === b.kind && a.id === (b as { id: string }).id
  );
}

/** The words of an undo, by the kind of edit. */
export const DESCRIPTIONS: Readonly<Record<Edit["kind"], string>> = {
  add: "bring the cell back",
  remove: "take the cell away",
  move: "move the cell back",
  rename: "restore the cell's title",
  input: "restore the text of the cell",
  title: "restore the notebook's title",
};

export function holdsWords(cell: Cell): boolean {
  if (cell.kind === "ask")
    return (cell.output?.history ?? []).some(({ answer }) =>
      [answer, ...answer.asked, ...answer.recalled].some(({ text }) => isWords(text)),
    );
  if (cell.kind === "questions")
    return (cell.output?.runs ?? []).some(({ questions }) =>
      questions.some(({ said }) => said.some(isWords)),
    );
  if (cell.kind !== "store" || !cell.output) return false;
  const { certificates, reencodings = [] } = cell.output;
  return (
    certificates.some(({ certificate: { before, after } }) =>
      [...before, ...after].some(({ text }) => isWords(text)),
    ) || reencodings.some(({ before, after }) => before.value !== null || after.value !== null)
  );
}

/** Outputs, or steps of the history, with new ids of facts in place of former ones. */
export function withIds<T>(value: T, renamed: ReadonlyMap<string, string>): T {
  if (typeof value === "string") return (renamed.get(value) ?? value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => withIds(one, renamed)) as T;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withIds(one, renamed)])) as T;
}

/** A cell whose answers mark the fact `id` as changed. */
export function withChange(cell: Cell, id: string): Cell {
  if (cell.kind !== "ask" || !cell.output) return cell;
  const history = cell.output.history.map(({ answer, stamp }) => {
    const recalled = answer.recalled.map((fact) => (fact.id === id ? { ...fact, changed: true } : fact));
    return { answer: { ...answer, recalled }, stamp };
  });
  return { ...cell, output: { ...cell.output, history } };
}

/** The notebook without words of its memory in any output. Keys, numbers and verdicts stay. */
export const withoutWords = (notebook: Notebook): Notebook => ({
  ...notebook,
  cells: notebook.cells.map(cellWithoutWords),
});

export function cellWithoutWords(cell: Cell): Cell {
  if (!holdsWords(cell)) return cell;
  if (cell.kind === "ask") {
    const history = cell.output!.history.map((one) => ({ ...one, answer: answerWithoutWords(one.answer) }));
    return { ...cell, output: { ...cell.output!, history } };
  }
  if (cell.kind === "questions") {
    const runs = cell.output!.runs.map((run) => ({
      ...run,
      questions: run.questions.map((asked) => ({ ...asked, said: asked.said.map((said) => cleared(said)) })),
    }));
    return { ...cell, output: { ...cell.output!, runs } };
  }
  if (cell.kind !== "store") return cell;
  const { certificates, reencodings = [] } = cell.output!;
  const output = {
    ...cell.output!,
    certificates: certificates.map((one) => ({
      ...one,
      certificate: certificateWithoutWords(one.certificate),
    })),
    reencodings: reencodings.map((one) => ({
      ...one,
      before: { ...one.before, value: null },
      after: { ...one.after, value: null },
    })),
  };
  return { ...cell, output };
}

const answerWithoutWords = (answer: Answer): Answer => ({
  ...answer,
  text: "",
  asked: answer.asked.map((part) => ({ ...part, text: "" })),
  recalled: answer.recalled.map(({ parts, ...fact }) => ({
    ...fact,
    text: "",
    tokens: [],
    ...(parts && { parts: parts.map((part) => ({ ...part, text: "", tokens: [] })) }),
  })),
});

const certificateWithoutWords = (certificate: DeletionCertificate): DeletionCertificate => ({
  ...certificate,
  before: certificate.before.map((one) => ({ ...one, text: cleared(one.text) })),
  // The texts stay equal or different: a fact with equal ones counts as still recalled.
  after: certificate.after.map((one, i) => ({
    ...one,
    text: cleared(one.text, one.text === certificate.before[i]?.text ? "word" : "other word"),
  })),
});

/** The number of the words in place of the words. */
const cleared = (text: string, word = "word"): string =>
  isWords(text) ? `[${many(text.split(/\s+/).filter(Boolean).length, word)}, cleared]` : text;

const isWords = (text: string): boolean => text !== "" && !/^\[[\d,]+ (other )?words?, cleared\]$/.test(text);
