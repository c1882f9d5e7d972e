/** @file The facts of a memory as files for other programs. */

import { useMemo } from "react";
import { csvTable } from "../../../lib/csv.ts";
import { vectorsOf } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import { useActions, useNotebook, useServices } from "../../app.tsx";

/** Fields of an exported fact, in order, with both the stored and the recalled sentence. */
const FIELDS = [
  "id",
  "documentId",
  "anchor",
  "index",
  "offset",
  "layer",
  "tokens",
  "value",
  "recalled",
  "exact",
  "fidelity",
  "steps",
  "givenUp",
  "deltaNorm",
  "memorizedAt",
] as const satisfies readonly (keyof FactRow)[];

/** One line per fact under a line of field names, the number of its parts last. */
export const factsCsv = (rows: readonly FactRow[]): string =>
  csvTable(
    [...FIELDS, "parts"],
    rows.map((row) => [...FIELDS.map((name) => row[name] ?? null), vectorsOf(row)]),
  );

/** One JSON object per line, with the parts of a fact that has several. */
export const factsJsonl = (rows: readonly FactRow[]): string =>
  rows
    .map(
      (row) =>
        `${JSON.stringify(Object.fromEntries([...FIELDS, "parts" as const].map((name) => [name, row[name]])))}\n`,
    )
    .join("");

/** Letters, digits and dashes of a title, for a file's name. */
export const fileName = (title: string, ending: string): string =>
  `${
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60) || "memory"
  }.${ending}`;

export type ImportMode = "replace" | "merge";
export type ImportResult = Awaited<ReturnType<LibraryService["importMemory"]>>;

/** The content of a file. */
export type CheckedArchive = Awaited<ReturnType<LibraryService["inspectArchive"]>>;

export interface MemoryFiles {
  /** The memory as a zip. */
  readonly exportMemory: () => Promise<Blob>;
  /** Rejects when the file is broken, or of another program. */
  readonly checkArchive: (file: File) => Promise<CheckedArchive>;
  /** Rejects, and changes nothing, when the file is broken or of another model. */
  readonly importMemory: (file: File, mode: ImportMode) => Promise<ImportResult>;
}

export function useMemoryFiles(): MemoryFiles {
  const { library } = useServices();
  const actions = useActions();
  const memory = useNotebook().id;
  return useMemo(
    () => ({
      exportMemory: () => library().exportMemory({ memory }),
      checkArchive: (archive) => library().inspectArchive({ archive, name: archive.name }),
      async importMemory(archive, mode) {
        const result = await library().importMemory({ memory, archive, name: archive.name, mode });
        await actions.refreshMemory();
        await actions.refreshStorage();
        return result;
      },
    }),
    [library, actions, memory],
  );
}
