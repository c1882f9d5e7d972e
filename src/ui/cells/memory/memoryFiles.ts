/** @file Export and import of the memory of the open notebook, through the library worker. */

import { useMemo } from "react";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import { useActions, useNotebook, useServices } from "../../app.tsx";

export type ImportMode = "replace" | "merge";
export type ImportResult = Awaited<ReturnType<LibraryService["importMemory"]>>;

/** What a file holds. */
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
