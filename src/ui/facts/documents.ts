/** @file What the notebook knows of the documents that its facts come from. */

import type { Notebook } from "../../records/notebook.ts";
import type { MemoryInfo } from "../../records/memory.ts";

/** What is known of a document. */
export interface DocumentInfo {
  readonly title: string;
  /** Whether the browser still keeps its text. */
  readonly kept: boolean;
}

/** By document id: what the source cells list, and what was memorised before or imported. */
export function documentsOf(notebook: Notebook, info: MemoryInfo | null): ReadonlyMap<string, DocumentInfo> {
  const found = new Map<string, DocumentInfo>();
  for (const { id, title } of info?.sources ?? []) found.set(id, { title, kept: false });
  for (const cell of notebook.cells)
    if (cell.kind === "source")
      for (const { id, title, kept } of cell.input.documents) found.set(id, { title, kept });
  return found;
}
