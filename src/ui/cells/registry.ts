/** @file The kinds of cells: icon, run button and body. Bodies are loaded on demand, all of a notebook before its first is drawn. */

import { lazy, type ComponentType } from "react";
import type { Cell, CellKind } from "../../records/notebook.ts";
import type { IconName } from "../controls/basics.tsx";
import type { CellProps } from "../app.tsx";

/** A body, and whether a cell as it is cannot be run. */
type Body<Props, C> = ComponentType<Props> & { readonly refuses?: (cell: C) => boolean };

interface CellType<K extends CellKind> {
  readonly blurb: string;
  readonly icon: IconName;
  readonly run: string | null;
  readonly holds?: true;
  readonly load: () => Promise<Body<CellProps<K>, Extract<Cell, { kind: K }>>>;
}

export const CELL_TYPES: { readonly [K in CellKind]: CellType<K> } = {
  note: {
    blurb: "Your own notes, in Markdown",
    icon: "edit",
    run: null,
    load: async () => (await import("./example/exampleCells.ts")).NoteCell,
  },
  model: {
    blurb: "The frozen language model that remembers",
    icon: "system",
    run: "Open model",
    load: async () => (await import("./example/exampleCells.ts")).ModelCell,
  },
  source: {
    blurb: "The texts to memorise, and what remains of them",
    icon: "file",
    run: null,
    load: async () => (await import("./example/exampleCells.ts")).SourceCell,
  },
  memorize: {
    blurb: "Turns the facts of the sources above into vectors",
    icon: "book",
    run: "Memorise",
    holds: true,
    load: async () => (await import("./example/exampleCells.ts")).MemorizeCell,
  },
  store: {
    blurb: "The table of all stored facts",
    icon: "folder",
    run: null,
    load: async () => (await import("./example/exampleCells.ts")).MemoryCell,
  },
  ask: {
    blurb: "Asks the memory and cites the facts of the answer",
    icon: "search",
    run: "Ask",
    load: async () => (await import("./example/exampleCells.ts")).AskCell,
  },
  questions: {
    blurb: "Asks a list of questions and judges the answers",
    icon: "check",
    run: "Ask all",
    load: async () => (await import("./questions/QuestionsCell.tsx")).QuestionsCell,
  },
  probe: {
    blurb: "Measures which layers hold facts best",
    icon: "panel",
    run: "Probe",
    holds: true,
    load: async () => (await import("./probe/ProbeCell.tsx")).ProbeCell,
  },
  experiment: {
    blurb: "A named study: capacity, deletion, gates, steps, layers or part length",
    icon: "retry",
    run: "Run study",
    holds: true,
    load: async () => (await import("./experiment/ExperimentCell.tsx")).ExperimentCell,
  },
  benchmark: {
    blurb: "Methods side by side on a benchmark, down to every sample",
    icon: "check",
    run: "Run benchmark",
    holds: true,
    load: async () => (await import("./benchmark/BenchmarkCell.tsx")).BenchmarkCell,
  },
};

export const cellType = (kind: CellKind): CellType<CellKind> => CELL_TYPES[kind] as CellType<CellKind>;

type AnyBody = Body<{ readonly cell: Cell }, Cell>;

const loaded = new Map<CellKind, AnyBody>();
const waiting = new Map<CellKind, AnyBody>();

/** The body of a kind; suspends until it is loaded. */
export function bodyOf(kind: CellKind): AnyBody {
  const known = loaded.get(kind) ?? waiting.get(kind);
  if (known) return known;
  const body = lazy(async () => ({ default: await loadBody(kind) }));
  waiting.set(kind, body);
  return body;
}

/** Resolves when the bodies of `kinds` are loaded or failed to load; drawing a missing one shows the error. */
export async function loadBodies(kinds: Iterable<CellKind>): Promise<void> {
  await Promise.allSettled([...new Set(kinds)].map(loadBody));
}

export const refuses = (cell: Cell): boolean => loaded.get(cell.kind)?.refuses?.(cell) ?? false;

export const bodiesLoaded = (kinds: Iterable<CellKind>) => [...kinds].every((kind) => loaded.has(kind));

async function loadBody(kind: CellKind): Promise<AnyBody> {
  const body = (await cellType(kind).load()) as AnyBody;
  loaded.set(kind, body);
  return body;
}
