/** @file The text embedder of a memorise cell in the engine: before a run that embeds, and when somebody asks for it. */

import { assert, present } from "../../lib/assert.ts";
import { embedderCellFor } from "../../notebook/places.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import type { MemorizeCell } from "../../records/notebook.ts";
import type { ChooseEmbedder } from "../../service/types.ts";
import { cellOf, currentNotebook, get, notebookOfCell, set, type Core } from "../core.ts";
import type { Queue, RunContext } from "../runs.ts";
import { ensureModel } from "./model.ts";
import { withEmbedder } from "../../notebook/create.ts";
import { edit } from "../notebooks.ts";

/** Opens the model and the text embedder of the cell, unless they are open. @throws without a model cell, or if opening fails */
export async function ensureEngine(context: RunContext): Promise<void> {
  await ensureModel(context);
  await ensureEmbedder(context);
}

export async function runEmbedder(context: RunContext): Promise<void> {
  await ensureEmbedder(context);
  await showEmbedder(context.core);
}

async function ensureEmbedder({ core, cellId, signal, report }: RunContext): Promise<void> {
  const notebook = present(notebookOfCell(get(core), cellId), () => `state: the cell ${cellId} was removed`);
  const argument = chosen(core, embedderCellFor(notebook, cellId));
  if (sameChoice(argument, core.tab.embedder)) return;
  const embedder = await core.engine().chooseEmbedder(argument, {
    signal,
    onProgress: (load) => report({ kind: "load", load }),
  });
  core.tab.embedder = argument;
  set(core, ({ device }) => ({ device: { ...device, embedder, cached: null } }));
}

function chosen(core: Core, cell: MemorizeCell | null): ChooseEmbedder {
  const choice = cell?.input.embedder;
  return !cell || !choice
    ? { choice: null }
    : withFiles(
        choice,
        core.tab.embedderFiles.get(cell.id),
        "text embedder",
        'the memorise cell again, under "Text embedder"',
      );
}

/** @throws when its files must be dropped again, with `where` */
export function withFiles(
  choice: EmbedderChoice,
  files: ChooseEmbedder["files"],
  what: string,
  where: string,
): ChooseEmbedder {
  if (choice.from.kind === "hub") return { choice };
  const { name } = choice.from;
  assert(
    files,
    () => `The files of the ${what} "${name}" are read in place and not copied. Drop them on ${where}.`,
  );
  return { choice, files };
}

export function sameChoice(a: ChooseEmbedder, b: ChooseEmbedder): boolean {
  const [one, other] = [a.choice, b.choice];
  if (one === null || other === null) return one === other;
  return (
    JSON.stringify(Object.entries(one.from).sort()) === JSON.stringify(Object.entries(other.from).sort()) &&
    one.dtype === other.dtype &&
    one.device === other.device &&
    a.files === b.files
  );
}

/** Shows what is in use now: the model's own floor is known once it has embedded something. */
export async function showEmbedder(core: Core): Promise<void> {
  const embedder = await core.engine().embedder(null);
  set(core, ({ device }) => ({ device: { ...device, embedder } }));
}

export const embedderActions = (core: Core, queue: Queue) => {
  function setEmbedder(id: string, choice: EmbedderChoice | null): void {
    const { input } = cellOf(core, id, "memorize");
    edit(core, { kind: "input", id, input: withEmbedder(input, choice) });
  }
  return {
    setEmbedder,
    setEmbedderFiles(id: string, choice: EmbedderChoice, files: ReadonlyMap<string, Blob>): void {
      core.tab.embedderFiles.set(id, files);
      setEmbedder(id, choice);
    },
    openEmbedder: (id: string): Promise<boolean> => queue.add(id, runEmbedder),
    showEmbedder: () => showEmbedder(core),
    /** Sets, for the cell `id`, the embedder that the memory was indexed by; whether that can be done, or a notice why not. */
    async takeMemorysEmbedder(id: string): Promise<boolean> {
      const { choiceNamed } = await import("../../records/embedder.ts");
      const name = get(core).memory.info?.embedder ?? "";
      const cell = embedderCellFor(currentNotebook(core), id);
      const choice = choiceNamed(name);
      if (cell && choice !== undefined) setEmbedder(cell.id, choice);
      else
        set(core, { notice: cell ? `“${name}” is not a text embedder that this page can open.` : NO_CELL });
      return cell !== null && choice !== undefined;
    },
  };
};

const NO_CELL =
  "A text embedder is chosen in a memorise cell, and this notebook has none. Add one, and press again.";
