/** @file Export and import of the memory of the open notebook, through the library worker. */

import { useMemo } from "react";
import type { LibraryService } from "../../../rpc/protocol.ts";
import { useActions, useNotebook, useServices } from "../../app.tsx";

export type ImportMode = "replace" | "merge";
export type ImportResult = Awaited<ReturnType<LibraryService["importMemory"]>>;

export interface MemoryFiles {
  /** The memory as the bytes of a zip. */
  readonly exportMemory: () => Promise<Uint8Array<ArrayBuffer>>;
  /** Rejects, and changes nothing, when the file is broken or of another model. */
  readonly importMemory: (bytes: Uint8Array, mode: ImportMode) => Promise<ImportResult>;
}

export function useMemoryFiles(): MemoryFiles {
  const { library } = useServices();
  const actions = useActions();
  const memory = useNotebook().id;
  return useMemo(
    () => ({
      exportMemory: () => library().exportMemory({ memory }),
      async importMemory(bytes, mode) {
        const result = await library().importMemory({ memory, bytes, mode });
        await actions.refreshMemory();
        await actions.refreshStorage();
        return result;
      },
    }),
    [library, actions, memory],
  );
}
