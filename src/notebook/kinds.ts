/** @file The kinds of cells: names, first inputs, and the inputs that an output depends on. */

import type { Cell, CellKind, CellOfKind, Notebook, Stamp } from "../records/notebook.ts";
import { SHARP } from "../records/params.ts";
import { modelCellFor, sourceCellsFor } from "./places.ts";

export type Part = "model" | "sources" | "parameters" | "embedder" | "memory" | "settings" | "questions";

export interface Kind<K extends CellKind> {
  readonly name: string;
  readonly first: CellOfKind<K>["input"];
  readonly parts?: (cell: CellOfKind<K>, notebook: Notebook) => Partial<Record<Part, unknown>>;
  /** The stamp of its newest output, if that is not the output's own. */
  readonly stamp?: (cell: CellOfKind<K>) => Stamp | null;
  /** Times of changes to the notebook's memory, for kinds that change it. */
  readonly changes?: (cell: CellOfKind<K>) => readonly string[];
  readonly empty?: (cell: CellOfKind<K>) => boolean;
}

export const KINDS: { readonly [K in CellKind]: Kind<K> } = {
  note: { name: "Note", first: { text: "" } },
  model: {
    name: "Model",
    first: { source: { kind: "bundled" }, backend: "auto" },
    parts: ({ input }) => ({ model: input }),
  },
  source: {
    name: "Source",
    first: { documents: [], forget: true },
    empty: ({ input }) => input.documents.length === 0,
  },
  memorize: {
    name: "Memorise",
    first: { params: SHARP },
    parts: ({ id, input: { params, layers, embedder } }, notebook) => ({
      model: modelInput(notebook, id),
      sources: sourceCellsFor(notebook, id).flatMap(({ input }) => input.documents.map((entry) => entry.id)),
      parameters: layers ? [params, layers] : params,
      ...(embedder ? { embedder: [embedder.from, embedder.dtype] } : {}),
    }),
    changes: ({ output }) => (output ? [output.stamp.at] : []),
  },
  store: {
    name: "Memory",
    first: { search: "", sort: null, filters: {} },
    changes: ({ output }) => output?.certificates.map(({ stamp }) => stamp.at) ?? [],
  },
  ask: {
    name: "Ask",
    first: { question: "", params: null },
    // The question is not an input: each answer is saved with its own.
    parts: ({ id, input }, notebook) => ({
      model: modelInput(notebook, id),
      memory: changesOf(notebook),
      settings: input.params,
    }),
    stamp: ({ output }) => output?.history[0]?.stamp ?? null,
    empty: ({ input, output }) => input.question.trim() === "" && !output,
  },
  questions: {
    name: "Question set",
    first: { text: "", params: null },
    parts: ({ id, input }, notebook) => ({
      model: modelInput(notebook, id),
      memory: changesOf(notebook),
      settings: input.params,
      questions: input.text,
    }),
    stamp: ({ output }) => output?.runs[0]?.stamp ?? null,
    empty: ({ input }) => input.text.trim() === "",
  },
  probe: {
    name: "Layer probe",
    first: { params: SHARP, layers: null },
    parts: ({ id, input }, notebook) => ({
      model: modelInput(notebook, id),
      parameters: input.params,
      settings: input.layers,
    }),
  },
  experiment: {
    name: "Experiment",
    first: { study: "capacity", settings: {}, compareWith: null },
    parts: ({ id, input }, notebook) => ({
      model: modelInput(notebook, id),
      memory: changesOf(notebook),
      settings: { ...input, compareWith: null },
    }),
  },
  benchmark: {
    name: "Benchmark",
    first: {
      ...{ benchmark: "babilong", tasks: ["qa1"], lengths: ["0k"], methods: ["ours", "truncation", "rag"] },
      ...{
        samples: 10,
        variants: ["whole"],
        prompt: "ours",
        params: "sharp",
        seed: 42,
        files: [],
        paper: null,
      },
    },
    parts: ({ id, input }, notebook) => ({
      model: modelInput(notebook, id),
      ...(input.params === "memory" ? { memory: changesOf(notebook) } : {}),
      settings: { ...input, paper: null },
    }),
    empty: ({ input }) => input.tasks.length === 0 && input.files.length === 0,
  },
};

export const CELL_KINDS = Object.keys(KINDS) as readonly CellKind[];

export const kindOf = (cell: Cell): Kind<CellKind> => KINDS[cell.kind] as Kind<CellKind>;

export const cellTitle = (cell: Cell): string => cell.title || KINDS[cell.kind].name;

export const isEmpty = (cell: Cell): boolean => kindOf(cell).empty?.(cell) ?? false;

export const stampOf = (cell: Cell): Stamp | null => {
  const { stamp } = kindOf(cell);
  return stamp ? stamp(cell) : (cell.output?.stamp ?? null);
};

export const partsOf = (cell: Cell, notebook: Notebook): Partial<Record<Part, unknown>> =>
  kindOf(cell).parts?.(cell, notebook) ?? {};

const modelInput = (notebook: Notebook, id: string): CellOfKind<"model">["input"] | null =>
  modelCellFor(notebook, id)?.input ?? null;

const changesOf = ({ cells }: Notebook): readonly string[] =>
  cells.flatMap((cell) => kindOf(cell).changes?.(cell) ?? []);
