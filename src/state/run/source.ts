/** @file Texts that are read into source cells and memorised, and the copies that the browser keeps. */

import type { DocumentId } from "../../records/ids.ts";
import { MOST_ITEMS, type SourceCell, type SourceEntry } from "../../records/notebook.ts";
import { assert } from "../../lib/assert.ts";
import { UNNAMED, isInterrupted, sourceCellsFor } from "../../notebook/kinds.ts";
import { withSteps } from "../../notebook/edits.ts";
import { SAMPLE } from "../../notebook/file.ts";
import { problemOf, type Core, type IncomingItem } from "../core.ts";
import { type RunContext, flowReporter } from "../runs.ts";
import type { Progress } from "../../records/progress.ts";
import { refreshMemory } from "../memory.ts";
import { ensureEngine } from "./model.ts";

export interface IncomingFile {
  readonly name: string;
  readonly file: Blob;
}

/** Running a source cell: what can be read again without the user (the sample that ships) is read again. */
export async function runSource({ core, cellId }: RunContext): Promise<void> {
  const cell = sourceCell(core, cellId);
  if (cell) await ensureTexts(core, [cell], new Set());
}

export function addFiles(core: Core, cellId: string, added: readonly IncomingFile[]): Promise<void> {
  const lines = added.map(({ name, file }): IncomingItem => {
    const id = core.deps.newId();
    core.tab.incoming.set(id, file);
    return { id, name, bytes: file.size, status: "waiting", problem: null, sameAs: null };
  });
  setItems(core, cellId, (items) => [...items, ...lines]);
  for (const { id } of lines) void readInTurn(core, cellId, id);
  return core.tab.reading;
}

export function retryItem(core: Core, cellId: string, itemId: string): Promise<void> {
  patchItem(core, cellId, itemId, { status: "waiting", problem: null });
  return readInTurn(core, cellId, itemId);
}

const readInTurn = (core: Core, cellId: string, itemId: string): Promise<void> =>
  (core.tab.reading = core.tab.reading.then(() => readItem(core, cellId, itemId)));

async function readItem(core: Core, cellId: string, id: string): Promise<void> {
  const item = core.state.incoming[cellId]?.find((line) => line.id === id);
  const file = core.tab.incoming.get(id);
  if (!item || !file) return;
  patchItem(core, cellId, id, { status: "reading" });
  try {
    assert(
      (sourceCell(core, cellId)?.input.documents.length ?? 0) < MOST_ITEMS,
      () =>
        `state: "${item.name}" finds no room: this cell has as many texts as one can have; add another source cell`,
    );
    const bytes = new Uint8Array(await file.arrayBuffer());
    const entry = await core.library.ingest({ name: item.name, bytes }, { transfer: [bytes.buffer] });
    const twin = sourceCell(core, cellId)?.input.documents.find((old) => old.id === entry.id && old.kept);
    if (twin) patchItem(core, cellId, id, { status: "duplicate", sameAs: twin.title });
    else {
      core.tab.readFiles.set(entry.id, { name: item.name, file });
      putEntries(core, cellId, [entry]);
      nameByText(core, cellId, entry.title);
      dropItem(core, cellId, id);
    }
  } catch (error) {
    patchItem(core, cellId, id, { status: "failed", problem: problemOf(error) });
  }
}

/** Reads the file of a text again; the new text replaces it. @throws if the file is no longer at hand */
export async function readAgain(
  core: Core,
  cellId: string,
  id: DocumentId,
  options: { readonly encoding?: string; readonly withoutCopyright?: boolean },
): Promise<void> {
  const held = core.tab.readFiles.get(id);
  assert(held !== undefined, () => "The file is no longer at hand. Add it again.");
  const bytes = new Uint8Array(await held.file.arrayBuffer());
  const entry = await core.library.ingest({ name: held.name, bytes, options }, { transfer: [bytes.buffer] });
  core.tab.readFiles.set(entry.id, held);
  replaceEntry(core, cellId, id, entry);
}

function nameByText(core: Core, cellId: string, title: string): void {
  const notebook = core.notebookOfCell(cellId);
  if (notebook?.title !== UNNAMED) return;
  core.patchNotebook(notebook.id, (now) => ({ ...now, title: title.replace(/\.[a-z]{2,5}$/i, "") }));
}

export function dropItem(core: Core, cellId: string, itemId: string): void {
  core.tab.incoming.delete(itemId);
  setItems(core, cellId, (items) => items.filter(({ id }) => id !== itemId));
}

/** Documents of `cells` whose text is stored. Reads the shipped sample again if it is missing and not in `known`. */
export async function ensureTexts(
  core: Core,
  cells: readonly SourceCell[],
  known: ReadonlySet<DocumentId>,
): Promise<ReadonlySet<DocumentId>> {
  const kept = new Set(
    (await core.library.documents(null)).filter((entry) => entry.kept).map(({ id }) => id),
  );
  for (const cell of cells) {
    const sample = cell.input.documents.find(({ title }) => title === SAMPLE.name);
    if (sample && !kept.has(sample.id) && !known.has(sample.id)) {
      const entry = await ingestSample(core);
      kept.add(entry.id);
      if (entry.id !== sample.id) replaceEntry(core, cell.id, sample.id, entry);
    }
    putEntries(
      core,
      cell.id,
      cell.input.documents.map((entry) =>
        kept.has(entry.id) ? { ...entry, kept: true } : withoutText(entry),
      ),
    );
    const gone = cell.input.documents.flatMap(({ id }) => (kept.has(id) ? [] : id));
    const notebook = core.notebookOfCell(cell.id)?.id;
    if (notebook && gone.length > 0) forgetInHistory(core, notebook, gone);
  }
  return kept;
}

async function ingestSample(core: Core): Promise<SourceEntry> {
  const response = await core.deps.fetchOwn(SAMPLE.path);
  if (!response.ok)
    throw new Error(`state: the sample text ${SAMPLE.path} could not be read (${response.status})`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return core.library.ingest({ name: SAMPLE.name, bytes });
}

export async function forgetTexts(core: Core, cellId: string, ids: readonly DocumentId[]): Promise<void> {
  // The cell may be removed while the texts are deleted; then its history still has it.
  const notebook = core.notebookOfCell(cellId)?.id;
  await core.library.forgetText({ ids });
  changeDocuments(core, cellId, (documents) => withoutTexts(documents, ids));
  if (notebook) forgetInHistory(core, notebook, ids);
}

/** Undo and redo bring back no text, and nothing that was left out of it. */
function forgetInHistory(core: Core, notebook: string, ids: readonly DocumentId[]): void {
  const without = (input: SourceCell["input"]) => ({
    ...input,
    documents: withoutTexts(input.documents, ids),
  });
  core.patchOpen(notebook, ({ history }) => ({
    history: withSteps(history, (step) => {
      if (step.kind === "add" && step.cell.kind === "source")
        return { ...step, cell: { ...step.cell, input: without(step.cell.input) } };
      return step.kind === "input" && "documents" in step.input
        ? { ...step, input: without(step.input) }
        : step;
    }),
  }));
}

const withoutTexts = (documents: readonly SourceEntry[], ids: readonly DocumentId[]) =>
  documents.map((entry) => (ids.includes(entry.id) ? withoutText(entry) : entry));

/** The entry of a text that is not kept. The parts that were left out of it go, too: of the notes only the first lines stay. */
const withoutText = (entry: SourceEntry): SourceEntry => ({
  ...entry,
  kept: false,
  notes: entry.notes.map((note) => note.split("\n")[0]!),
});

/** Puts documents into a source cell; one with the same id (the same text) takes the place of the old one. */
function putEntries(core: Core, cellId: string, entries: readonly SourceEntry[]): void {
  changeDocuments(core, cellId, (documents) => {
    const fresh = entries.filter(({ id }) => !documents.some((old) => old.id === id));
    return [...documents.map((old) => entries.find(({ id }) => id === old.id) ?? old), ...fresh];
  });
}

function replaceEntry(core: Core, cellId: string, old: DocumentId, entry: SourceEntry): void {
  changeDocuments(core, cellId, (documents) => documents.map((now) => (now.id === old ? entry : now)));
}

type Change<T> = (now: readonly T[]) => readonly T[];

/** Not an edit of the user, so it cannot be undone. */
function changeDocuments(core: Core, cellId: string, change: Change<SourceEntry>): void {
  core.patchCell(cellId, (cell) =>
    cell.kind === "source"
      ? { ...cell, input: { ...cell.input, documents: change(cell.input.documents) } }
      : cell,
  );
}

function sourceCell(core: Core, cellId: string): SourceCell | null {
  const cell = core.findCell(cellId);
  return cell?.kind === "source" ? cell : null;
}

function setItems(core: Core, cellId: string, change: Change<IncomingItem>): void {
  core.set(({ incoming }) => ({ incoming: { ...incoming, [cellId]: change(incoming[cellId] ?? []) } }));
}

function patchItem(core: Core, cellId: string, itemId: string, change: Partial<IncomingItem>): void {
  setItems(core, cellId, (items) =>
    items.map((item) => (item.id === itemId ? { ...item, ...change } : item)),
  );
}

/** Memorises the documents of the source cells above. @throws if a text is not kept, or there is nothing to do */
export const runMemorize = (context: RunContext): Promise<void> => memorise(context, "asked for");

/** The same within a whole-notebook run: deliberately forgotten texts are reported, not a failure. */
export const runMemorizeKept = (context: RunContext): Promise<void> => memorise(context, "in passing");

async function memorise(context: RunContext, how: "asked for" | "in passing"): Promise<void> {
  const { core, cellId, signal, since } = context;
  const { params, layers } = core.cellOf(cellId, "memorize").input;
  const memory = core.memoryId(cellId);
  await ensureEngine(context);
  const { documents, missing } = await readable(core, cellId);
  core.set({ notice: how === "in passing" ? missing : null });
  assert(missing === null || how === "in passing", () => missing!);
  if (documents.length === 0) return;
  const onProgress = following(core, flowReporter(context));
  const summary = await core.engine.memorize(
    { memory, documents, params, ...(layers ? { layers } : {}) },
    { signal, onProgress },
  );
  core.putOutput<"memorize">(cellId, () => ({ ...summary, stamp: core.stamp(cellId, since) }));
  await forgetSources(core, cellId, documents);
  await refreshMemory(core);
}

export async function runResume(context: RunContext): Promise<void> {
  const { core, cellId, signal, since } = context;
  const memory = core.memoryId(cellId);
  await ensureEngine(context);
  const onProgress = following(core, flowReporter(context));
  const summary = await core.engine.resume({ memory }, { signal, onProgress });
  if (summary) {
    core.putOutput<"memorize">(cellId, () => ({ ...summary, stamp: core.stamp(cellId, since) }));
    const info = await core.library.memoryInfo({ memory });
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

/** The documents above whose text is kept, or can be had again; those without are in the memory already. */
async function readable(
  core: Core,
  cellId: string,
): Promise<Readonly<{ documents: readonly DocumentId[]; missing: string | null }>> {
  const notebook = core.notebookWith(cellId);
  const sources = sourceCellsFor(notebook, cellId);
  assert(
    sources.some(({ input }) => input.documents.length > 0),
    () => "There is nothing to memorise yet. Add a text to a source cell above.",
  );
  const info = await core.library.memoryInfo({ memory: notebook.id });
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
  const memory = core.memoryId(cellId);
  // All that is stored of a text counts, also what an earlier run encoded that this one took over.
  const stored = await core.library.facts({ memory });
  const inexact = new Set(stored.filter(({ exact }) => !exact).map(({ documentId }) => documentId));
  for (const cell of sourceCellsFor(core.notebookWith(cellId), cellId)) {
    if (!cell.input.forget) continue;
    const ids = cell.input.documents.filter(({ id, kept }) => kept && read.includes(id)).map(({ id }) => id);
    if (ids.length === 0 || ids.some((id) => inexact.has(id))) continue;
    await forgetTexts(core, cell.id, ids);
  }
}
