/** @file The notebooks: their list, the open one, its edits, and its saves. */

import { assert, present } from "../lib/assert.ts";
import { many } from "../lib/format.ts";
import { omit } from "../lib/omit.ts";
import { duplicate, newCell, newNotebook, UNNAMED, WORKING_CELLS } from "../notebook/kinds.ts";
import { EMPTY_HISTORY, edit as editWith, type Edit, type Edited } from "../notebook/edits.ts";
import { EXAMPLE_ID, notebookText, readNotebook, readNotebookFile } from "../notebook/file.ts";
import { MOST_CELLS, type Cell, type CellKind, type Notebook } from "../records/notebook.ts";
import type { NotebookInfo } from "../service/library/libraryService.ts";
import { problemOf, type Core, type OpenNotebook, type SaveState } from "./core.ts";
import { loadExample, loadMemoryInfo, NO_MEMORY, refreshMemory } from "./memory.ts";

const LAST_OPEN = "palimpsest.notebook";

export async function open(core: Core, id: string): Promise<void> {
  // Before the notebook is read: that may set a notice.
  core.set({ notice: null });
  if (!core.state.open[id]) {
    const saved = await savedNotebook(core, id);
    put(core, await readable(core, saved.body), saved.revision, { status: "saved" });
  }
  show(core, id);
}

/** Reads a saved notebook; unreadable parts are left out and reported. @throws if nothing is readable */
async function readable(core: Core, body: unknown): Promise<Notebook> {
  try {
    return readNotebook(body);
  } catch {
    return mended(core, body);
  }
}

async function mended(core: Core, body: unknown): Promise<Notebook> {
  const { notebook, left } = (await import("../notebook/mend.ts")).mendNotebook(body);
  const what = `Something in “${notebook.title || UNNAMED}” cannot be kept and was left out`;
  if (left.length > 0) core.set({ notice: `${what}: ${left.slice(0, 3).join("; ")}.` });
  return notebook;
}

/** Text of a saved notebook, even of one that cannot be opened. @throws if it does not exist */
export const savedText = async (core: Core, id: string): Promise<string> =>
  `${JSON.stringify((await savedNotebook(core, id)).body, null, 2)}\n`;

async function savedNotebook(core: Core, id: string) {
  const saved = await core.library.loadNotebook({ id });
  return present(saved, () => `There is no notebook "${id}" in this browser. It may have been removed.`);
}

function show(core: Core, id: string): void {
  core.set({ currentId: id, memory: NO_MEMORY, selected: null, inspector: null });
  core.deps.settings?.setItem(LAST_OPEN, id);
  void loadMemoryInfo(core).catch(() => undefined);
}

export async function openFirst(core: Core, wanted: string | null): Promise<void> {
  const ids = core.state.list.map((info) => info.id);
  const last = core.deps.settings?.getItem(LAST_OPEN) ?? null;
  const id = [wanted, last, ids[0]].find((candidate) => candidate && ids.includes(candidate));
  if (id) await open(core, id);
  else await openExample(core);
}

export async function openExample(core: Core): Promise<void> {
  if (core.state.open[EXAMPLE_ID] || core.state.list.some(({ id }) => id === EXAMPLE_ID)) {
    await open(core, EXAMPLE_ID);
    return;
  }
  begin(core, (await loadExample(core)).notebook);
}

/** Adds an unsaved notebook and shows it; returns its id. */
function begin(core: Core, notebook: Notebook): string {
  core.set({ notice: null });
  put(core, notebook, 0, { status: "dirty" });
  show(core, notebook.id);
  return notebook.id;
}

export function create(core: Core, kinds: readonly CellKind[] = WORKING_CELLS): string {
  const id = core.deps.newId();
  const cells = kinds.map((kind) => newCell(kind, core.deps.newId()));
  return begin(core, newNotebook(id, UNNAMED, cells, core.iso()));
}

export const adopt = (core: Core, notebook: Notebook): string => begin(core, withFreeIds(core, notebook));

/** Cells get new ids, and the notebook too if its id is taken. */
function withFreeIds(core: Core, notebook: Notebook): Notebook {
  const taken = notebook.id in core.state.open || core.state.list.some(({ id }) => id === notebook.id);
  const id = taken ? core.deps.newId() : notebook.id;
  const titles = new Set(core.state.list.map(({ title }) => title));
  // Cell ids are unique across open notebooks, because runs and edits find their notebook by the cell.
  const cells = notebook.cells.map((cell) => ({ ...cell, id: core.deps.newId() }));
  return { ...notebook, id, cells, title: unusedTitle(notebook.title, titles) };
}

/**
 * Opens a file that Palimpsest exported: a notebook with or without its memory, or a memory alone. A memory alone goes to the
 * open notebook if that has none, otherwise to a new one.
 * @returns what came with the file, as a sentence; null for a notebook without a memory
 * @throws a sentence that names the file; nothing is changed then
 */
export async function openFile(core: Core, file: File): Promise<string | null> {
  assert(
    core.canWrite,
    () => `"${file.name}" was not opened: another tab writes. Press “Write here instead”.`,
  );
  if ((await file.slice(0, 2).text()) !== "PK") {
    adopt(core, readNotebookFile(await notebookText(file), file.name));
    return null;
  }
  const text = await core.library.notebookIn({ archive: file, name: file.name });
  if (text === null) {
    const { currentId, memory } = core.state;
    if (currentId === EXAMPLE_ID || memory.info) create(core);
    return takeMemory(core, file);
  }
  const notebook = withFreeIds(core, readNotebookFile(text, file.name));
  // The memory comes first: if it is refused, the notebook is not opened either.
  const { added } = await core.library.importMemory(memoryIn(file, notebook.id));
  begin(core, notebook);
  return `“${notebook.title || UNNAMED}” was opened with its memory of ${many(added, "fact")}.`;
}

/** Replaces the memory of the open notebook with that of `file`. @returns what was imported, as a sentence */
export async function takeMemory(core: Core, file: File): Promise<string> {
  const { id, cells } = core.notebook;
  const { added } = await core.library.importMemory(memoryIn(file, id));
  await refreshMemory(core);
  const memorised = cells.flatMap((cell) => (cell.kind === "memorize" ? (cell.output?.sources ?? []) : []));
  const known = core.state.memory.info?.sources.some((one) => memorised.some((other) => other.id === one.id));
  const other =
    memorised.length > 0 && !known ? " They are of other texts than this notebook memorised." : "";
  return `${many(added, "fact")} imported from ${file.name}.${other}`;
}

const memoryIn = (file: File, memory: string) =>
  ({ memory, archive: file, name: file.name, mode: "replace" }) as const;

function unusedTitle(title: string, taken: ReadonlySet<string>): string {
  if (title === "" || !taken.has(title)) return title;
  for (let n = 2; ; n++) if (!taken.has(`${title} (${n})`)) return `${title} (${n})`;
}

export function copy(core: Core, id: string): string {
  const { notebook } = core.openNotebook(id);
  const to = core.deps.newId();
  const title = `${notebook.title} (copy)`;
  return begin(core, duplicate(notebook, { id: to, title, now: core.iso(), cellId: core.deps.newId }));
}

/** Copies a notebook with its memory without opening the copy; resolves to its title. Leaves nothing behind if it fails. */
export async function keepMemory(core: Core, id: string): Promise<string> {
  const { notebook } = core.openNotebook(id);
  const [to, now] = [core.deps.newId(), core.iso()];
  const title = `${notebook.title}, ${now.slice(0, 16).replace("T", " ")} UTC`;
  const kept = duplicate(notebook, { id: to, title, now, cellId: core.deps.newId });
  const library = core.library;
  const archive = await library.exportMemory({ memory: id });
  await library.saveNotebook({ ...infoOf(kept), revision: 0, body: kept });
  try {
    await library.importMemory({ memory: to, archive, mode: "replace" });
  } catch (error) {
    await library.removeNotebook({ id: to });
    throw error;
  }
  await refreshList(core);
  return title;
}

/** Hides a notebook, and removes it with its memory when the undo window ends; the returned function brings it back. */
export function remove(core: Core, id: string): () => Promise<void> {
  const info = core.state.list.find((candidate) => candidate.id === id);
  core.set(({ list }) => ({ list: list.filter((candidate) => candidate.id !== id) }));
  const away = core.state.currentId === id ? openNext(core) : Promise.resolve();
  const timer = setTimeout(() => {
    // Another tab writes now, so this one removes nothing.
    if (!core.canWrite) return void refreshList(core);
    core.set(({ open: all }) => ({ open: omit(all, id) }));
    void core.library.removeNotebook({ id }).catch(() => refreshList(core));
  }, core.deps.undoWindow);
  return async () => {
    clearTimeout(timer);
    await away;
    if (info) core.set(({ list }) => ({ list: [info, ...list] }));
    await open(core, id);
  };
}

async function openNext(core: Core): Promise<void> {
  const next = core.state.list[0];
  if (next) await open(core, next.id);
  else if (core.state.currentId === EXAMPLE_ID) create(core);
  else await openExample(core);
}

/** Applies an edit to the open notebook, as a step that can be taken back. A reader changes nothing. */
export function edit(core: Core, change: Edit): void {
  const full = change.kind === "add" && core.notebook.cells.length >= MOST_CELLS;
  if (full) core.set({ notice: `A notebook has at most ${MOST_CELLS} cells: go on in another.` });
  else update(core, (state) => editWith(state, change));
}

export function update(core: Core, change: (state: Edited) => Edited): void {
  const { currentId, lock } = core.state;
  if (!currentId || lock.role === "reader") return;
  core.patchOpen(currentId, (now) => {
    const { notebook, history } = change(now);
    if (notebook === now.notebook && history === now.history) return {};
    return { notebook: { ...notebook, updated: core.iso() }, history, save: { status: "dirty" } };
  });
}

export async function refreshList(core: Core): Promise<void> {
  const list = await core.library.notebooks(null);
  core.set({ list: [...list].sort((a, b) => (a.updated < b.updated ? 1 : -1)) });
}

function put(core: Core, notebook: Notebook, revision: number, save: SaveState): void {
  const opened: OpenNotebook = { notebook, history: EMPTY_HISTORY, copies: [], revision, save };
  core.set(({ open: all, list }) => ({
    open: { ...all, [notebook.id]: opened },
    list: list.some(({ id }) => id === notebook.id) ? list : [infoOf(notebook), ...list],
  }));
}

const infoOf = ({ id, title, updated, cells }: Notebook): NotebookInfo => ({
  id,
  title,
  updated,
  cells: cells.length,
});

/** Saves changes a moment after the last one; returns a function that saves at once. */
export function autosave(core: Core): () => Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving = Promise.resolve();
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    saving = saving.then(() => saveAll(core));
    return saving;
  };
  core.store.subscribe((now, before) => {
    if (now.open === before.open) return;
    if (!Object.values(now.open).some(({ save }) => save.status === "dirty")) return;
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), core.deps.saveDelay);
  });
  return flush;
}

async function saveAll(core: Core): Promise<void> {
  if (core.state.lock.role === "reader") return;
  for (const [id, { save }] of Object.entries(core.state.open))
    if (save.status === "dirty" || save.status === "failed") await saveOne(core, id);
}

/** Cells that were read once: they never change, so that a save looks only at what is new. */
const known = new WeakSet<Cell>();

/** Removes from the open notebook `id` all that could not be read again, so that the saved notebook opens. */
async function makeReadable(core: Core, id: string): Promise<void> {
  const { notebook } = core.openNotebook(id);
  const fresh = notebook.cells.filter((cell) => !known.has(cell));
  try {
    readNotebook({ ...notebook, cells: fresh });
    for (const cell of fresh) known.add(cell);
  } catch {
    const { cells } = await mended(core, { ...notebook, cells: fresh });
    // Edits made meanwhile are saved by the next save.
    const of = new Map(fresh.map((cell) => [cell, cells.find((one) => one.id === cell.id)]));
    core.patchNotebook(id, (now) => ({ ...now, cells: now.cells.map((cell) => of.get(cell) ?? cell) }));
  }
}

async function saveOne(core: Core, id: string): Promise<void> {
  setSave(core, id, { status: "saving" });
  try {
    await makeReadable(core, id);
    const { notebook, revision } = core.openNotebook(id);
    const next = await core.library.saveNotebook({ ...infoOf(notebook), revision, body: notebook });
    if (!core.state.open[id]) return;
    core.set(({ list }) => ({ list: [infoOf(notebook), ...list.filter((info) => info.id !== id)] }));
    core.patchOpen(id, (now) => ({
      revision: next,
      // Edited while it was being saved: still dirty.
      save: { status: now.notebook === notebook ? "saved" : "dirty" },
    }));
  } catch (error) {
    const problem = problemOf(error);
    setSave(core, id, { status: problem.name === "StaleNotebook" ? "conflict" : "failed", problem });
  }
}

const setSave = (core: Core, id: string, save: SaveState): void => core.patchOpen(id, () => ({ save }));

export async function reload(core: Core, id: string): Promise<void> {
  const saved = await core.library.loadNotebook({ id });
  if (!saved) return;
  put(core, await readable(core, saved.body), saved.revision, { status: "saved" });
  if (core.state.currentId === id) core.set({ memory: NO_MEMORY });
  await loadMemoryInfo(core);
}
