/** @file The memory of the open notebook as rows: read when somebody wants to see it, and after every change. */

import { spread } from "../lib/stats.ts";
import type { FactId } from "../records/ids.ts";
import type { Cell, FactRow } from "../records/notebook.ts";
import { isValue } from "../records/digest.ts";
import { EXAMPLE_ID, EXAMPLE_PATH, type ExampleFile, readNotebook } from "../notebook/file.ts";
import { withChange, withIds, withSteps } from "../notebook/edits.ts";
import { problemOf, type Core, type MemoryState } from "./core.ts";

export const NO_MEMORY: MemoryState = {
  info: null,
  missing: false,
  facts: null,
  loading: false,
  problem: null,
  fromExample: false,
  leaving: new Set(),
  said: new Map(),
  suggested: [],
};

export async function loadMemoryInfo(core: Core): Promise<void> {
  const memory = core.state.currentId;
  if (!memory) return;
  const info = await core.library.memoryInfo({ memory });
  const { currentId, open } = core.state;
  if (currentId !== memory) return;
  const memorised = open[memory]?.notebook.cells.some(({ kind, output }) => kind === "memorize" && output);
  patch(core, { info, missing: info === null && memorised === true && memory !== EXAMPLE_ID });
}

export async function loadFacts(core: Core): Promise<void> {
  const { facts, loading } = core.state.memory;
  if (!facts && !loading) await readFacts(core);
}

export async function refreshMemory(core: Core): Promise<void> {
  await loadMemoryInfo(core);
  if (core.state.memory.facts) await readFacts(core);
}

async function readFacts(core: Core): Promise<void> {
  const memory = core.state.currentId;
  if (!memory) return;
  patch(core, { loading: true, problem: null });
  try {
    const stored = await core.library.facts({ memory });
    // The worked example shows the rows of its recorded run until it has rows in this browser.
    const saved = stored.length === 0 && memory === EXAMPLE_ID ? await untouchedExample(core) : null;
    const known = saved
      ? new Map(saved.facts.map(({ id }) => [id, saved.said[id] ?? ""]))
      : await knownWords(core, memory, stored);
    if (core.state.currentId !== memory) return;
    const facts = saved?.facts ?? stored;
    // Suggestions may be about sentences that were deleted or changed.
    patch(core, { facts, fromExample: saved !== null, loading: false, said: known, suggested: [] });
  } catch (error) {
    if (core.state.currentId === memory) patch(core, { loading: false, problem: problemOf(error) });
  }
}

/** The sentences of `rows` that are known in this session, from the model or from the runs, as far as they still hold. */
async function knownWords(core: Core, memory: string, rows: readonly FactRow[]) {
  const told = await core.engine.said({ memory }).catch(() => new Map<FactId, string>());
  const { said, facts, info } = core.state.memory;
  const before = new Map(facts?.map((row) => [row.id, row]));
  const known = new Map<FactId, string>();
  for (const row of rows) {
    const shown = said.get(row.id);
    const old = before.get(row.id);
    const unchanged = old?.deltaNorm === row.deltaNorm && old.layer === row.layer;
    const holds = (text?: string) => text !== undefined && isValue(text, row, info?.salts ?? []);
    // A run's sentence is always checked: the fact may have got another value since.
    const text = unchanged && shown !== undefined ? shown : [shown, told.get(row.id)].find(holds);
    if (text !== undefined) known.set(row.id, text);
  }
  return known;
}

/** The saved rows, as long as the example's memorize cell still shows the saved run. */
async function untouchedExample(core: Core) {
  const { currentId, open } = core.state;
  const example = await loadExample(core);
  const stampOf = (cells: typeof example.notebook.cells) =>
    cells.find((cell) => cell.kind === "memorize")?.output?.stamp.at;
  const now = open[currentId ?? ""]?.notebook.cells;
  return now && stampOf(now) === stampOf(example.notebook.cells) ? example : null;
}

/** Adds sentences of `memory` that the model said, if its notebook is open. */
export function tell(
  core: Core,
  memory: string,
  facts: readonly { readonly id: FactId; readonly text: string }[],
): void {
  if (core.state.currentId !== memory || facts.length === 0) return;
  const { said } = core.state.memory;
  patch(core, { said: new Map([...said, ...facts.map(({ id, text }) => [id, text] as const)]) });
}

/** Asks the engine for questions to begin with, from sentences that the model said, of all parts of the memory. */
export async function suggestQuestions(core: Core): Promise<void> {
  const { currentId: memory, memory: shown } = core.state;
  const exact = new Set(
    shown.facts?.flatMap(({ id, exact: whole }) => (whole && !shown.leaving.has(id) ? id : [])),
  );
  const known = [...shown.said].filter(([id]) => exact.has(id));
  if (!memory || known.length === 0) return;
  const said = new Map(spread(known, MOST_SUGGESTED_FROM));
  const suggested = await core.engine.suggest({ memory, said });
  const { facts, leaving } = core.state.memory;
  if (facts === shown.facts && leaving === shown.leaving) patch(core, { suggested });
}

/** Sentences that questions are made from: enough for any text, and a short call for a large memory. */
const MOST_SUGGESTED_FROM = 600;

export const SAID_AT_ONCE = 24;
/** Facts whose recall may fail in one reading. With a model that does not fit the memory every recall fails. */
const MOST_FAILED = 4 * SAID_AT_ONCE;
/** Rows that come into view together are asked for together. */
const GATHER_MS = 30;

/** Asks the model for a fact in view. A failed recall is tried again when the fact is next visible. */
export function say(core: Core, id: FactId): void {
  const { currentId } = core.state;
  const { inView } = core.tab;
  core.tab.inView = {
    memory: currentId,
    ids: new Set(inView.memory === currentId ? inView.ids : []).add(id),
  };
  void readBack(core);
}

/** Continues to read facts back if nothing runs; stops at once if a run began. */
export function continueReading(core: Core): void {
  if (isBusy(core)) core.tab.readingRest?.abort();
  else void readBack(core);
}

const isBusy = (core: Core): boolean =>
  Object.values(core.state.runs).some(({ status }) => status === "running" || status === "queued");

/** Recalls the facts of the open notebook until all are read back: those in view first, the others while nothing runs. */
async function readBack(core: Core): Promise<void> {
  const { tab, deps } = core;
  const memory = core.state.currentId;
  if (!memory || tab.readingBack === memory) return;
  tab.readingBack = memory;
  await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
  const failed = new Set<FactId>();
  let idle = false;
  // The reading of another notebook ends with its next answer.
  while (tab.readingBack === memory && core.state.currentId === memory) {
    const visible = visibleOf(core);
    const ids = visible.length > 0 ? visible : restOf(core, failed);
    if (ids.length === 0) break;
    for (const id of ids) tab.inView.ids.delete(id);
    const rest = visible.length > 0 ? null : new AbortController();
    tab.readingRest = rest;
    if (rest) {
      // The page is busy only at its start. Between batches its events get a turn.
      await new Promise<void>((resolve) => (idle ? setTimeout(resolve) : deps.whenIdle(resolve)));
      idle = true;
    }
    const recalled = await core.engine
      .recall({ memory, ids }, rest ? { signal: rest.signal } : {})
      .catch(() => null);
    if (recalled) tell(core, memory, recalled);
    else if (rest?.signal.aborted || failed.size >= MOST_FAILED) break;
    else if (rest) for (const id of ids) failed.add(id);
  }
  if (tab.readingBack === memory) tab.readingBack = null;
}

function visibleOf(core: Core): FactId[] {
  const { currentId, memory } = core.state;
  const { inView } = core.tab;
  if (inView.memory !== currentId) return [];
  return [...inView.ids].filter((id) => !memory.said.has(id)).slice(0, SAID_AT_ONCE);
}

/** Some facts of one layer that are neither read back yet nor `failed`. Vectors of a layer are read together. */
function restOf(core: Core, failed: ReadonlySet<FactId>): FactId[] {
  const { device, memory } = core.state;
  if (!device.model || memory.fromExample || !memory.facts || isBusy(core)) return [];
  const rest = memory.facts.filter(({ id }) => !memory.said.has(id) && !failed.has(id));
  return rest.flatMap(({ id, layer }) => (layer === rest[0]!.layer ? id : [])).slice(0, SAID_AT_ONCE);
}

export function setLeaving(core: Core, change: (leaving: ReadonlySet<FactId>) => ReadonlySet<FactId>): void {
  patch(core, { leaving: change(core.state.memory.leaving), suggested: [] });
}

/** The present id of a fact that had the id `id` earlier in this session. */
export function presentId({ tab }: Pick<Core, "tab">, id: FactId): FactId {
  const next = tab.renamed.get(id);
  return next === undefined ? id : presentId({ tab }, next);
}

/** Gives facts the new ids of a deletion, in the notebook of their memory, its history and what the page shows of them. */
export function renameFacts(core: Core, notebook: string, renamed: ReadonlyMap<FactId, FactId>): void {
  for (const [before, now] of renamed) core.tab.renamed.set(before, now);
  core.patchNotebook(notebook, (one) => ({
    ...one,
    cells: one.cells.map((cell) => ({ ...cell, output: withIds(cell.output, renamed) }) as Cell),
  }));
  core.patchOpen(notebook, ({ history, copies }) => withIds({ history, copies }, renamed));
  if (core.state.currentId !== notebook) return;
  core.set(({ inspector, memory }) => ({
    inspector: (inspector && renamed.get(inspector as FactId)) ?? inspector,
    memory: {
      ...memory,
      facts: withIds(memory.facts, renamed),
      leaving: new Set(withIds([...memory.leaving], renamed)),
      said: new Map([...memory.said].map(([id, text]) => [renamed.get(id) ?? id, text])),
    },
  }));
}

/** Marks a fact that got another value as changed in the answers of its notebook. */
export const markChanged = (core: Core, notebook: string, id: FactId): void =>
  changeCells(core, notebook, (cell) => withChange(cell, id));

/** Changes the cells of a notebook, also removed ones that Undo brings back, and copies. */
export function changeCells(core: Core, notebook: string, change: (cell: Cell) => Cell): void {
  core.patchNotebook(notebook, (one) => ({ ...one, cells: one.cells.map(change) }));
  core.patchOpen(notebook, ({ history, copies }) => ({
    history: withSteps(history, (step) =>
      step.kind === "add" ? { ...step, cell: change(step.cell) } : step,
    ),
    copies: copies.map(change),
  }));
}

function patch(core: Core, change: Partial<MemoryState>): void {
  core.set(({ memory }) => ({ memory: { ...memory, ...change } }));
}

export async function refreshStorage(core: Core): Promise<void> {
  const storage = await core.library.storage(null).catch(() => null);
  core.set({ storage });
}

/** @throws if the file is missing or not an example */
export function loadExample(core: Core): Promise<ExampleFile> {
  const loading = (core.tab.example ??= readExample(core));
  loading.catch(() => (core.tab.example = null));
  return loading;
}

async function readExample(core: Core): Promise<ExampleFile> {
  const response = await core.deps.fetchOwn(EXAMPLE_PATH);
  if (!response.ok) throw new Error(`state: the worked example could not be read (${response.status})`);
  const file = (await response.json()) as ExampleFile;
  if (file.format !== "palimpsest-example")
    throw new Error(`state: ${EXAMPLE_PATH} is not a worked example; make it with "npm run tool -- example"`);
  return { ...file, notebook: readNotebook(file.notebook) };
}
