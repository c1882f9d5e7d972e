/** @file The kinds of cells: names, first inputs, places among the others, and the inputs that an output depends on. */

import {
  type Cell,
  type CellKind,
  type CellOfKind,
  type Notebook,
  type Stamp,
  NOTEBOOK_VERSION,
  type MemorizeCell,
} from "../records/notebook.ts";
import { SHARP } from "../records/params.ts";
import { sha256Hex } from "../lib/hash.ts";
import { sortedJson } from "../lib/sortedJson.ts";
import type { EmbedderChoice } from "../records/embedder.ts";
import { omit } from "../lib/omit.ts";
import type { LayerIndex, DocumentId } from "../records/ids.ts";
import type { MemoryHead } from "../records/memory.ts";

export type Part = "model" | "sources" | "parameters" | "embedder" | "memory" | "settings" | "questions";

export interface Kind<K extends CellKind> {
  readonly name: string;
  readonly first: CellOfKind<K>["input"];
  /** The inputs of its output; the model is always one of them. */
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
    parts: ({ input }, notebook) => ({ memory: changesOf(notebook), settings: input.params }),
    stamp: ({ output }) => output?.history[0]?.stamp ?? null,
    empty: ({ input, output }) => input.question.trim() === "" && !output,
  },
  questions: {
    name: "Question set",
    first: { text: "", params: null },
    parts: ({ input }, notebook) => ({
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
    parts: ({ input }) => ({ parameters: input.params, settings: input.layers }),
  },
  experiment: {
    name: "Experiment",
    first: { study: "capacity", settings: {}, compareWith: null },
    parts: ({ input }, notebook) => ({
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
    parts: ({ input }, notebook) => ({
      ...(input.params === "memory" ? { memory: changesOf(notebook) } : {}),
      settings: { ...input, paper: null },
    }),
    empty: ({ input }) => input.tasks.length === 0 && input.files.length === 0,
  },
};

export const CELL_KINDS = Object.keys(KINDS) as readonly CellKind[];

const kindOf = (cell: Cell): Kind<CellKind> => KINDS[cell.kind] as Kind<CellKind>;

export const cellTitle = (cell: Cell): string => cell.title || KINDS[cell.kind].name;

export const isEmpty = (cell: Cell): boolean => kindOf(cell).empty?.(cell) ?? false;

export const stampOf = (cell: Cell): Stamp | null => {
  const { stamp } = kindOf(cell);
  return stamp ? stamp(cell) : (cell.output?.stamp ?? null);
};

export function partsOf(cell: Cell, notebook: Notebook): Partial<Record<Part, unknown>> {
  const parts = kindOf(cell).parts?.(cell, notebook);
  return parts ? { model: modelCellFor(notebook, cell.id)?.input ?? null, ...parts } : {};
}

const changesOf = ({ cells }: Notebook) => cells.flatMap((cell) => kindOf(cell).changes?.(cell) ?? []);

const CHANGED: Readonly<Record<Part, string>> = {
  model: "another model or backend is set",
  sources: "the sources changed",
  parameters: "the parameters changed",
  embedder: "another text embedder is set",
  memory: "the memory changed",
  settings: "the settings changed",
  questions: "the questions changed",
};

export function fingerprint(notebook: Notebook, cellId: string): string {
  const cell = notebook.cells.find(({ id }) => id === cellId);
  if (!cell) return "";
  return Object.entries(partsOf(cell, notebook))
    .map(([name, value]) => `${name}:${sha256Hex(sortedJson(value)).slice(0, 8)}`)
    .join(" ");
}

/** Why the saved output is stale, as phrases; empty if it is current or nothing was saved. */
export function staleReasons(notebook: Notebook, cell: Cell): readonly string[] {
  const stamp = stampOf(cell);
  if (!stamp || stamp.inputs === "") return [];
  const partsIn = (inputs: string): Map<string, string> =>
    new Map(inputs.split(" ").map((part) => part.split(":") as [string, string]));
  const then = partsIn(stamp.inputs);
  return [...partsIn(fingerprint(notebook, cell.id))].flatMap(([name, value]) =>
    then.get(name) === value ? [] : [CHANGED[name as Part] ?? `${name} changed`],
  );
}

/** Stamps by event: the last memorise run, deletion and fact encoded again of a memory cell; one, named "", of another. */
export function stampsOf({ cells }: Pick<Notebook, "cells">, cell: Cell) {
  if (cell.kind !== "store") return named("", stampOf(cell));
  const memorised = cells.flatMap((one) => (one.kind === "memorize" && one.output ? [one.output.stamp] : []));
  const { certificates = [], reencodings = [] } = cell.output ?? {};
  return [
    ...named("Memorised", newest(memorised)),
    ...named("Last deletion", newest(certificates.map(({ stamp }) => stamp))),
    ...named("Last encoded again", newest(reencodings.map(({ stamp }) => stamp))),
  ];
}

const named = (name: string, stamp: Stamp | null) => (stamp ? [{ name, stamp }] : []);

const newest = (stamps: readonly Stamp[]) => stamps.toSorted((a, b) => b.at.localeCompare(a.at))[0] ?? null;

export const UNNAMED = "Untitled notebook";

export const WORKING_CELLS: readonly CellKind[] = ["model", "source", "memorize", "store", "ask"];

export const newCell = <K extends CellKind>(
  kind: K,
  id: string,
  input?: CellOfKind<K>["input"],
  title = "",
): CellOfKind<K> => ({ id, kind, title, input: input ?? KINDS[kind].first, output: null }) as CellOfKind<K>;

export const newNotebook = (id: string, title: string, cells: readonly Cell[], now: string): Notebook => ({
  format: "palimpsest-notebook",
  version: NOTEBOOK_VERSION,
  id,
  title,
  created: now,
  updated: now,
  cells,
});

export function duplicate(
  notebook: Notebook,
  { id, title, now, cellId }: { id: string; title: string; now: string; cellId: () => string },
): Notebook {
  const cells = notebook.cells.map((cell) => ({ ...cell, id: cellId() }));
  return newNotebook(id, title, cells, now);
}

type Input = MemorizeCell["input"];

export const withLayers = (input: Input, layers: readonly LayerIndex[] | null | undefined): Input => ({
  ...omit(input, "layers"),
  ...(layers ? { layers } : {}),
});

export const withEmbedder = (input: Input, embedder: EmbedderChoice | null): Input => ({
  ...omit(input, "embedder"),
  ...(embedder ? { embedder } : {}),
});

export const cellsOf = <K extends CellKind>({ cells }: Pick<Notebook, "cells">, kind: K): CellOfKind<K>[] =>
  cells.filter((cell): cell is CellOfKind<K> => cell.kind === kind);

export const firstOf = <K extends CellKind>(
  notebook: Pick<Notebook, "cells">,
  kind: K,
): CellOfKind<K> | null => cellsOf(notebook, kind)[0] ?? null;

/** Whether a notebook has the cells to memorise a text and ask, and no text yet. */
export const hasNoText = (notebook: Pick<Notebook, "cells">): boolean =>
  firstOf(notebook, "memorize")?.output === null &&
  firstOf(notebook, "ask") !== null &&
  firstOf(notebook, "source") !== null &&
  cellsOf(notebook, "source").every(({ input }) => input.documents.length === 0);

/** No text and no question yet: a new text goes into this notebook, otherwise into a new one. */
export const isBlank = (notebook: Pick<Notebook, "cells">): boolean =>
  hasNoText(notebook) && firstOf(notebook, "ask")?.output === null;

/** The model cell whose model `cell` uses: the nearest above it, otherwise the first of the notebook. */
export const modelCellFor = (notebook: Notebook, cellId: string): CellOfKind<"model"> | null =>
  cellsOf(above(notebook, cellId), "model").at(-1) ?? firstOf(notebook, "model");

/** The memorise cell whose text embedder `cell` uses: itself, otherwise the nearest above it, otherwise the first. */
export const embedderCellFor = (notebook: Notebook, cellId: string): CellOfKind<"memorize"> | null => {
  const { cells } = notebook;
  const upTo = { cells: cells.slice(0, indexOf(notebook, cellId) + 1) };
  return cellsOf(upTo, "memorize").at(-1) ?? firstOf(notebook, "memorize");
};

export const sourceCellsFor = (notebook: Notebook, cellId: string): CellOfKind<"source">[] =>
  cellsOf(above(notebook, cellId), "source");

export const memorizeCellBelow = (notebook: Notebook, cellId: string): CellOfKind<"memorize"> | null =>
  firstOf({ cells: notebook.cells.slice(indexOf(notebook, cellId) + 1) }, "memorize");

export const isInterrupted = ({ pending }: Pick<MemoryHead, "pending">): boolean => pending > 0;

/** The memorise cell whose run was interrupted: below the source cell with the memory's latest text, or the first. */
export function interruptedCell(
  notebook: Notebook,
  { sources }: { readonly sources: readonly { readonly id: DocumentId }[] },
): CellOfKind<"memorize"> | null {
  const latest = sources.at(-1)?.id;
  const listing = cellsOf(notebook, "source").find(({ input }) =>
    input.documents.some(({ id }) => id === latest),
  );
  return (listing && memorizeCellBelow(notebook, listing.id)) ?? firstOf(notebook, "memorize");
}

const above = (notebook: Notebook, cellId: string): { readonly cells: readonly Cell[] } => ({
  cells: notebook.cells.slice(0, indexOf(notebook, cellId)),
});

const indexOf = ({ cells }: Notebook, cellId: string): number => cells.findIndex(({ id }) => id === cellId);
