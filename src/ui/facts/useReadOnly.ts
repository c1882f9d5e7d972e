/** @file Whether the memory can be changed now. */

import { useApp, useCanWrite } from "../app.tsx";

export function useReadOnly(): string | null {
  const canWrite = useCanWrite();
  const fromExample = useApp((state) => state.memory.fromExample);
  if (!canWrite) return "Another tab writes to this notebook; take over there to change the memory here.";
  if (fromExample)
    return "These facts are those of the saved example. Run all cells, and they are stored in this browser.";
  return null;
}
