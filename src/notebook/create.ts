/** @file New notebooks and new cells, with the input a person would start from. */

import {
  NOTEBOOK_VERSION,
  type Cell,
  type CellKind,
  type CellOfKind,
  type Notebook,
  type MemorizeCell,
} from "../records/notebook.ts";
import { KINDS } from "./kinds.ts";
import type { EmbedderChoice } from "../records/embedder.ts";
import { omit } from "../lib/omit.ts";
import type { LayerIndex } from "../records/ids.ts";

export const UNNAMED = "Untitled notebook";

export const WORKING_CELLS: readonly CellKind[] = ["model", "source", "memorize", "store", "ask"];

export function newCell<K extends CellKind>(
  kind: K,
  id: string,
  input?: CellOfKind<K>["input"],
  title = "",
): CellOfKind<K> {
  return { id, kind, title, input: input ?? KINDS[kind].first, output: null } as CellOfKind<K>;
}

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
