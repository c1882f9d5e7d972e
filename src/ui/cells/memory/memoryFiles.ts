/** @file Export and import of the memory of the open notebook, through the library worker. */

import { useMemo } from "react";
import { assert } from "../../../lib/assert.ts";
import type { LibraryService } from "../../../rpc/protocol.ts";
import { useActions, useNotebook, useServices } from "../../app.tsx";

export type ImportMode = "replace" | "merge";
export type ImportResult = Awaited<ReturnType<LibraryService["importMemory"]>>;

/** What a file holds, and its bytes. */
export interface CheckedArchive extends Awaited<ReturnType<LibraryService["inspectArchive"]>> {
  readonly bytes: Uint8Array;
}

export interface MemoryFiles {
  /** The memory as the bytes of a zip. */
  readonly exportMemory: () => Promise<Uint8Array<ArrayBuffer>>;
  /** Rejects when the file is too large, broken, or of another program. */
  readonly checkArchive: (file: File) => Promise<CheckedArchive>;
  /** Rejects, and changes nothing, when the file is broken or of another model. */
  readonly importMemory: (bytes: Uint8Array, name: string, mode: ImportMode) => Promise<ImportResult>;
}

export function useMemoryFiles(): MemoryFiles {
  const { library } = useServices();
  const actions = useActions();
  const memory = useNotebook().id;
  return useMemo(
    () => ({
      exportMemory: () => library().exportMemory({ memory }),
      async checkArchive(file) {
        assert(
          file.size <= LARGEST_BYTES,
          () =>
            `archive: "${file.name}" has ${file.size} bytes; at most ${LARGEST_BYTES} are read at once. Export it in parts where it came from.`,
        );
        const bytes = new Uint8Array(await file.arrayBuffer());
        return { ...(await library().inspectArchive({ bytes, name: file.name })), bytes };
      },
      async importMemory(bytes, name, mode) {
        const result = await library().importMemory({ memory, bytes, name, mode });
        await actions.refreshMemory();
        await actions.refreshStorage();
        return result;
      },
    }),
    [library, actions, memory],
  );
}

/** What a tab can hold of it: the file, what it unpacks to, and what is made of that. */
const LARGEST_BYTES = 1e9;
