/** @file Runs of a model cell that train a writer for its model, or remove it. */

import { assert } from "../../lib/assert.ts";
import { many } from "../../lib/format.ts";
import { cellsOf } from "../../notebook/kinds.ts";
import { WRITER_FILE } from "../../records/model.ts";
import type { Core } from "../core.ts";
import type { RunContext } from "../runs.ts";
import { ensureModel, runModel } from "./model.ts";
import { ensureTexts } from "./source.ts";

/** Trains a writer for the model of the cell on the texts of its notebook, and opens the model again with it. */
export async function runTeach(context: RunContext, minutes: number): Promise<void> {
  const { core, cellId, signal, report } = context;
  const sources = cellsOf(core.notebookWith(cellId), "source");
  const stored = await ensureTexts(core, sources, new Set());
  const documents = sources
    .flatMap(({ input }) => input.documents.map(({ id }) => id))
    .filter((id) => stored.has(id));
  assert(
    documents.length > 0,
    () => "A writer learns from texts. Add one to a source cell of this notebook.",
  );
  await ensureModel(context);
  const done = await core.engine.teach(
    { documents, minutes },
    {
      signal,
      onProgress: ({ stage, done, right }) =>
        report(
          stage === "steps"
            ? {
                kind: "count",
                note: `Learning to write: ${Math.round(100 * right)} % of tokens right, seconds`,
                done: Math.round(done),
                total: 60 * minutes,
              }
            : { kind: "note", note: TEACH_STAGES[stage] },
        ),
    },
  );
  const { name, bytes, kept } = done.file;
  // The same copy of the bytes serves the next start in this tab, and the file that a person can save.
  if (!kept) changeFiles(core, cellId, (files) => files.set(name, new Blob([bytes as BlobPart])));
  await runModel(context);
  const { exact, of } = done.tested;
  core.set({
    notice: `The model has a writer: it writes ${exact} of ${many(of, "part")} exactly, of sentences that it has not learned from.`,
  });
}

const TEACH_STAGES = {
  layers: "Finding layers that store facts",
  size: "Finding the size of vectors that the model takes",
  test: "Testing on sentences that it has not seen",
};

/** Opens the model of the cell without the writer that was trained here. */
export async function runWithoutWriter(context: RunContext): Promise<void> {
  const { core, cellId } = context;
  await ensureModel(context);
  await core.engine.removeWriter(null);
  changeFiles(core, cellId, (files) => files.delete(WRITER_FILE));
  await runModel(context);
}

function changeFiles(core: Core, cellId: string, change: (files: Map<string, Blob>) => unknown): void {
  const files = new Map(core.tab.modelFiles.get(cellId));
  if (files.size === 0) return;
  change(files);
  core.tab.modelFiles.set(cellId, files);
}
