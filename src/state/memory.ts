/** @file The memory of the open notebook as rows: read when somebody wants to see it, and after every change. */

import type { FactId } from "../records/ids.ts";
import { EXAMPLE_ID, EXAMPLE_PATH, type ExampleFile } from "../notebook/example.ts";
import { readNotebook } from "../notebook/file.ts";
import { get, problemOf, set, type Core } from "./core.ts";
import type { MemoryState } from "./types.ts";

export const NO_MEMORY: MemoryState = {
  info: null,
  facts: null,
  loading: false,
  problem: null,
  fromExample: false,
  leaving: new Set(),
  said: new Map(),
};

export async function loadMemoryInfo(core: Core): Promise<void> {
  const memory = get(core).currentId;
  if (!memory) return;
  const info = await core.library().memoryInfo({ memory });
  if (get(core).currentId === memory) patch(core, { info });
}

export async function loadFacts(core: Core): Promise<void> {
  const { facts, loading } = get(core).memory;
  if (!facts && !loading) await readFacts(core);
}

export async function refreshMemory(core: Core): Promise<void> {
  await loadMemoryInfo(core);
  if (get(core).memory.facts) await readFacts(core);
}

async function readFacts(core: Core): Promise<void> {
  const memory = get(core).currentId;
  if (!memory) return;
  patch(core, { loading: true, problem: null });
  try {
    const stored = await core.library().facts({ memory });
    // The worked example shows the rows of its recorded run until it has rows in this browser.
    const saved = stored.length === 0 && memory === EXAMPLE_ID ? await untouchedExample(core) : null;
    if (get(core).currentId !== memory) return;
    patch(core, { facts: saved ?? stored, fromExample: saved !== null, loading: false, said: new Map() });
  } catch (error) {
    if (get(core).currentId === memory) patch(core, { loading: false, problem: problemOf(error) });
  }
}

/** The saved rows, as long as the example's memorize cell still shows the saved run. */
async function untouchedExample(core: Core) {
  const { currentId, open } = get(core);
  const example = await loadExample(core);
  const stampOf = (cells: typeof example.notebook.cells) =>
    cells.find((cell) => cell.kind === "memorize")?.output?.stamp.at;
  const now = open[currentId ?? ""]?.notebook.cells;
  return now && stampOf(now) === stampOf(example.notebook.cells) ? example.facts : null;
}

export function tell(core: Core, facts: readonly { readonly id: FactId; readonly text: string }[]): void {
  const { said } = get(core).memory;
  patch(core, { said: new Map([...said, ...facts.map(({ id, text }) => [id, text] as const)]) });
}

interface Silent {
  readonly memory: string;
  readonly ids: Set<FactId>;
}

const waiting = new WeakMap<Core, Silent>();
/** Facts that are recalled in one call. */
export const SAID_AT_ONCE = 24;
/** Rows that come into view together are asked for together. */
const GATHER_MS = 30;

/** Recalls a fact that is stored without words. A failed recall is tried again when the fact is next visible. */
export function say(core: Core, id: FactId): void {
  const memory = get(core).currentId;
  if (!memory) return;
  const known = waiting.get(core);
  // Requests for another notebook's memory end with their next answer and leave these alone.
  if (known?.memory === memory) {
    known.ids.add(id);
    return;
  }
  const silent = { memory, ids: new Set([id]) };
  waiting.set(core, silent);
  setTimeout(() => void sayAll(core, silent), GATHER_MS);
}

async function sayAll(core: Core, silent: Silent): Promise<void> {
  const { memory, ids: wanted } = silent;
  while (wanted.size > 0 && get(core).currentId === memory) {
    const ids = [...wanted].slice(0, SAID_AT_ONCE);
    for (const id of ids) wanted.delete(id);
    const recalled = await core
      .engine()
      .recall({ memory, ids })
      .catch(() => []);
    if (get(core).currentId === memory) tell(core, recalled);
  }
  if (waiting.get(core) === silent) waiting.delete(core);
}

export function setLeaving(core: Core, change: (leaving: ReadonlySet<FactId>) => ReadonlySet<FactId>): void {
  patch(core, { leaving: change(get(core).memory.leaving) });
}

function patch(core: Core, change: Partial<MemoryState>): void {
  set(core, ({ memory }) => ({ memory: { ...memory, ...change } }));
}

export async function refreshStorage(core: Core): Promise<void> {
  const storage = await core
    .library()
    .storage(null)
    .catch(() => null);
  set(core, { storage });
}

/** @throws if the file is missing or not an example */
export function loadExample(core: Core): Promise<ExampleFile> {
  if (core.tab.example) return core.tab.example;
  const loading = readExample(core);
  core.tab.example = loading;
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
