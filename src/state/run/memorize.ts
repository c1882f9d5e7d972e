/** @file Running a memorize cell: the model is opened, the texts are read into memory, and then forgotten. */

import type { Progress } from "../../records/progress.ts";
import { assert } from "../../lib/assert.ts";
import { isInterrupted, sourceCellsFor } from "../../notebook/places.ts";
import type { DocumentId } from "../../records/ids.ts";
import { cellOf, memoryId, notebookWith, putOutput, set, stamp, type Core } from "../core.ts";
import { refreshMemory } from "../memory.ts";
import { flowReporter, type RunContext } from "../runs.ts";
import { ensureEngine } from "./model.ts";
import { ensureTexts, markForgotten } from "./source.ts";

/** Memorises the documents of the source cells above. @throws where a text is not kept, or there is nothing to do */
export const runMemorize = (context: RunContext): Promise<void> => memorise(context, "asked for");

/** The same within a whole-notebook run: deliberately forgotten texts are reported, not a failure. */
export const runMemorizeKept = (context: RunContext): Promise<void> => memorise(context, "in passing");

async function memorise(context: RunContext, how: "asked for" | "in passing"): Promise<void> {
  const { core, cellId, signal, since } = context;
  const { params, layers } = cellOf(core, cellId, "memorize").input;
  const memory = memoryId(core, cellId);
  await ensureEngine(context);
  const { documents, missing } = await readable(core, cellId);
  set(core, { notice: how === "in passing" ? missing : null });
  assert(missing === null || how === "in passing", () => missing!);
  if (documents.length === 0) return;
  const onProgress = following(core, flowReporter(context));
  const summary = await core
    .engine()
    .memorize({ memory, documents, params, ...(layers ? { layers } : {}) }, { signal, onProgress });
  putOutput<"memorize">(core, cellId, () => ({ ...summary, stamp: stamp(core, cellId, since) }));
  await forgetSources(core, cellId, documents);
  await refreshMemory(core);
}

export async function runResume(context: RunContext): Promise<void> {
  const { core, cellId, signal, since } = context;
  const memory = memoryId(core, cellId);
  await ensureEngine(context);
  const onProgress = following(core, flowReporter(context));
  const summary = await core.engine().resume({ memory }, { signal, onProgress });
  if (summary) {
    putOutput<"memorize">(core, cellId, () => ({ ...summary, stamp: stamp(core, cellId, since) }));
    const info = await core.library().memoryInfo({ memory });
    await forgetSources(core, cellId, info?.sources.map(({ id }) => id) ?? []);
  }
  await refreshMemory(core);
}

/** Shows the facts as they are stored; reading them takes at most a tenth of a run's time. */
function following(core: Core, report: (line: Progress) => void): (line: Progress) => void {
  let shown = 0;
  let notBefore = 0;
  return (line) => {
    report(line);
    const started = core.deps.now();
    if (line.stage !== "encode" || line.done === shown || started < notBefore) return;
    shown = line.done;
    notBefore = Infinity;
    void refreshMemory(core)
      .catch(() => undefined) // the run's end reads it again
      .then(() => {
        const ended = core.deps.now();
        notBefore = ended + 10 * (ended - started);
      });
  };
}

interface Readable {
  readonly documents: readonly DocumentId[];
  readonly missing: string | null;
}

/** The documents above whose text is kept, or can be had again; those without are in the memory already. */
async function readable(core: Core, cellId: string): Promise<Readable> {
  const notebook = notebookWith(core, cellId);
  const sources = sourceCellsFor(notebook, cellId);
  assert(
    sources.some(({ input }) => input.documents.length > 0),
    () => "There is nothing to memorise yet. Add a text to a source cell above.",
  );
  const info = await core.library().memoryInfo({ memory: notebook.id });
  const known = new Set(info?.sources.map(({ id }) => id));
  const wanted = sources.flatMap(({ input }) => input.documents.map(({ id }) => id));
  const kept = await ensureTexts(core, sources, known);
  const lost = wanted.filter((id) => !kept.has(id) && !known.has(id));
  // Known documents are included if their text is available, so that the run can report them as known.
  const documents = wanted.filter((id) => kept.has(id));
  if (lost.length > 0) {
    const titles = sources
      .flatMap(({ input }) => input.documents)
      .filter(({ id }) => lost.includes(id))
      .map(({ title }) => `"${title}"`);
    return {
      documents,
      missing: `The text of ${titles.join(", ")} is not kept in this browser. Add the file again, or remove it from the list.`,
    };
  }
  const idle = documents.length === 0 && !(info && isInterrupted(info));
  return { documents, missing: idle ? NOTHING_TO_DO : null };
}

const NOTHING_TO_DO =
  "Everything in the sources is in the memory already, and the texts are forgotten: there was nothing to memorise.";

/** Deletes the texts in `read` if their source cells ask for it, unless some of their facts are not exact. */
async function forgetSources(core: Core, cellId: string, read: readonly DocumentId[]): Promise<void> {
  const memory = memoryId(core, cellId);
  // All that is stored of a text counts, also what an earlier run encoded that this one took over.
  const stored = await core.library().facts({ memory });
  const inexact = new Set(stored.filter(({ exact }) => !exact).map(({ documentId }) => documentId));
  for (const cell of sourceCellsFor(notebookWith(core, cellId), cellId)) {
    if (!cell.input.forget) continue;
    const ids = cell.input.documents.filter(({ id, kept }) => kept && read.includes(id)).map(({ id }) => id);
    if (ids.length === 0 || ids.some((id) => inexact.has(id))) continue;
    await core.library().forgetText({ ids });
    markForgotten(core, cell.id, new Set(ids));
  }
}
