/** @file New notebooks and new cells, with the input a person would start from. */

import type { Cell, CellKind, Notebook } from "../records/notebook.ts";
import { NOTEBOOK_VERSION } from "../records/notebook.ts";
import { SHARP } from "../records/params.ts";

/** The kinds in the order in which a notebook uses them; also all kinds that exist. */
export const CELL_KINDS = [
  "note",
  "model",
  "source",
  "memorize",
  "store",
  "ask",
  "probe",
  "experiment",
] as const;

/** What takes a text from a file to an answer. */
export const WORKING_CELLS: readonly CellKind[] = ["model", "source", "memorize", "store", "ask"];

/** What every kind is called where a cell has no title of its own. */
export const KIND_NAMES: Readonly<Record<CellKind, string>> = {
  note: "Note",
  model: "Model",
  source: "Source",
  memorize: "Memorise",
  store: "Memory",
  ask: "Ask",
  probe: "Layer probe",
  experiment: "Experiment",
};

type InputOf = { readonly [K in CellKind]: Extract<Cell, { kind: K }>["input"] };

const FIRST_INPUT: InputOf = {
  note: { text: "" },
  model: { source: { kind: "bundled" }, backend: "auto" },
  source: { documents: [], forget: true },
  memorize: { params: SHARP },
  store: { search: "", sort: null, filters: {} },
  ask: { question: "", params: null },
  probe: { params: SHARP, layers: null },
  experiment: { study: "capacity", settings: {}, compareWith: null },
};

/** A cell of `kind` that has not run. */
export function newCell<K extends CellKind>(
  kind: K,
  id: string,
  input?: InputOf[K],
  title = "",
): Extract<Cell, { kind: K }> {
  return { id, kind, title, input: input ?? FIRST_INPUT[kind], output: null } as Extract<Cell, { kind: K }>;
}

/** A notebook with `cells`; `now` is ISO text. */
export function newNotebook(id: string, title: string, cells: readonly Cell[], now: string): Notebook {
  return {
    format: "palimpsest-notebook",
    version: NOTEBOOK_VERSION,
    id,
    title,
    created: now,
    updated: now,
    cells,
  };
}

/** A copy under a new id, with new cell ids; outputs come along, the memory (which has the notebook's id) does not. */
export function duplicate(
  notebook: Notebook,
  { id, title, now, cellId }: { id: string; title: string; now: string; cellId: () => string },
): Notebook {
  return {
    ...newNotebook(id, title, [], now),
    cells: notebook.cells.map((cell) => ({ ...cell, id: cellId() })),
  };
}

/** The cell's own title, or the name of its kind. */
export const cellTitle = (cell: Cell): string => cell.title || KIND_NAMES[cell.kind];
