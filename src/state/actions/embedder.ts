/** @file Text embedders: which one a memorise cell has, and the one that a memory asks for. */

import { withEmbedder } from "../../notebook/memorizeInput.ts";
import { embedderCellFor } from "../../notebook/places.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import { cellOf, currentNotebook, get, set, type Core } from "../core.ts";
import { edit } from "../notebooks.ts";
import { runEmbedder, showEmbedder } from "../run/embedder.ts";
import type { Queue } from "../runs.ts";

export const embedderActions = (core: Core, queue: Queue) => {
  /** Null: the model itself. */
  function setEmbedder(id: string, choice: EmbedderChoice | null): void {
    const { input } = cellOf(core, id, "memorize");
    edit(core, { kind: "input", id, input: withEmbedder(input, choice) });
  }
  return {
    setEmbedder,
    /** Files that were dropped for a memorise cell's embedder; they are read in place. */
    setEmbedderFiles(id: string, choice: EmbedderChoice, files: ReadonlyMap<string, Blob>): void {
      core.tab.embedderFiles.set(id, files);
      setEmbedder(id, choice);
    },
    /** Opens and tries the embedder of a memorise cell now. */
    openEmbedder: (id: string): Promise<boolean> => queue.add(id, runEmbedder),
    showEmbedder: () => showEmbedder(core),
    /** Sets, for the cell `id`, the embedder that the memory was indexed by; whether that can be done, or a notice why not. */
    async takeMemorysEmbedder(id: string): Promise<boolean> {
      const { choiceNamed } = await import("../../records/embedderName.ts");
      const name = get(core).memory.info?.embedder ?? "";
      const cell = embedderCellFor(currentNotebook(core), id);
      const choice = choiceNamed(name);
      if (cell && choice !== undefined) setEmbedder(cell.id, choice);
      else set(core, { notice: cell ? `“${name}” is no text embedder that this page can open.` : NO_CELL });
      return cell !== null && choice !== undefined;
    },
  };
};

const NO_CELL =
  "A text embedder is chosen in a memorise cell, and this notebook has none. Add one, and press again.";
