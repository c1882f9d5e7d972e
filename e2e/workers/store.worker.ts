/** @file The store in a real browser: appends that are cut short, other tabs, room that runs out. */
import { holdWriterLock, type WriterLock } from "../../src/store/locks.ts";
import { openDatabase, storageState, type Database, type DatabaseEvent } from "../../src/store/database.ts";
import { addDocument, forgetText, readText } from "../../src/store/documents.ts";
import { exportMemory, importMemory } from "../../src/store/archive.ts";
import { readFacts } from "../../src/store/facts.ts";
import { openIndexedDbStore } from "../../src/store/indexedDb.ts";
import { removeNotebook } from "../../src/store/notebooks.ts";
import { inMemoryStore } from "../../src/store/inMemory.ts";
import { StoreFull, type Store } from "../../src/store/port.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { bitsOf, makeEntry, makeMemory, removalOf, upTo, without } from "../../src/store/testing/memory.ts";
import { documentOfText } from "../../src/store/testing/records.ts";
import { benchStore } from "../support/storeBench.ts";
import { serveChecks } from "../support/serve.ts";

const MEMORY = "m";
const events: DatabaseEvent[] = [];
const options = { name: "palimpsest e2e", onEvent: (event: DatabaseEvent): void => void events.push(event) };
let database: Promise<Database> | undefined;
let store: Store | undefined;
let lock: WriterLock | undefined;
let appended = 0;

const opened = (): Promise<Database> => (database ??= openDatabase(options));
const theStore = async (): Promise<Store> => (store ??= openIndexedDbStore(await opened(), MEMORY));
const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);
const errorOf = (error: unknown): { name: string; message: string } => {
  const { name, message } = error as Error;
  return { name, message };
};

/** Length of a key, and a key that browsers cannot compress. */
const WIDE = 60_000;
function noise(seed: number): Float32Array {
  let state = seed + 1;
  return Float32Array.from({ length: WIDE }, () => (state = (state * 48_271) % 2_147_483_647));
}

/** One text for one value: fields in alphabetical order, vectors as bits, every number by its name. */
function canonical(value: unknown): string {
  return JSON.stringify(bitsOf(value), (_, item: unknown) => {
    if (typeof item === "number") return Object.is(item, -0) ? "-0" : `number ${item}`;
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const checks = {
  /** All calls of the contract on one memory; names of those that did not give what they should. */
  contract: async (): Promise<string[]> => {
    const wrong: string[] = [];
    const here = openIndexedDbStore(await opened(), "contract");
    const expectStored = async (what: string, memory: unknown): Promise<void> => {
      const found = await openIndexedDbStore(await opened(), "contract").load();
      if (!same(found, memory)) wrong.push(what);
    };
    const memory = makeMemory(upTo(600));
    await here.save({ ...memory, entries: memory.entries.slice(0, 500) });
    for (let n = 500; n < 600; n += 25) await here.append({ entries: memory.entries.slice(n, n + 25) });
    await expectStored("append", memory);
    const replaced = { ...makeEntry(3), tokens: 77 };
    await here.append({ entries: [replaced] });
    await expectStored("replace", {
      ...memory,
      entries: memory.entries.map((e) => (e.id === replaced.id ? replaced : e)),
    });
    await here.append({ entries: [makeEntry(3)] });
    const gone = [0, 3, 300, 599];
    await here.remove(removalOf(memory, gone));
    await expectStored("remove", without(memory, gone));
    if ((await readFacts(await opened(), "contract")).length !== 596) wrong.push("facts");
    const copy = inMemoryStore();
    await importMemory(copy, await exportMemory(here, "1.0.0"), { name: "copy.zip", mode: "replace" });
    if (!same(await copy.load(), without(memory, gone))) wrong.push("archive");
    return wrong;
  },
  text: async (): Promise<boolean[]> => {
    const text = "\u{1f5dd} and \ud800 alone. ".repeat(60_000);
    const document = documentOfText("Long", text);
    await addDocument(await opened(), document, text);
    const found = [
      (await readText(await opened(), document.id)) === text,
      (await readText(await opened(), document.id, 524_280, 524_300)) === text.slice(524_280, 524_300),
    ];
    await forgetText(await opened(), document.id);
    return found;
  },
  /** Appends without end; what is safe is told by `appended`. */
  start: async (argument: { entries: number }): Promise<void> => {
    const here = await theStore();
    await here.save({ ...makeMemory([]), routing: [] });
    void (async () => {
      for (appended = 0; ; appended += argument.entries)
        await here.append({ entries: upTo(argument.entries).map((n) => makeEntry(appended + n)) });
    })();
  },
  appended: (): number => appended,
  /** How many entries are stored, and whether they are a whole prefix of what was appended. */
  prefix: async (): Promise<{ entries: number; whole: boolean }> => {
    const { entries } = (await openIndexedDbStore(await opened(), MEMORY).load())!;
    return {
      entries: entries.length,
      whole: same(
        entries,
        upTo(entries.length).map((n) => makeEntry(n)),
      ),
    };
  },
  save: async (facts: number[]): Promise<{ name: string; message: string } | null> =>
    (await theStore()).save(makeMemory(facts)).then(() => null, errorOf),
  load: async (): Promise<number> => (await (await theStore()).load())!.entries.length,
  events: (): string[] => events.map(({ kind }) => kind),
  /** Opens the database as a newer app would. */
  openNewer: async (): Promise<void> =>
    (await openDatabase({ ...options, version: SCHEMA_VERSION + 1, upgrade: () => undefined })).close(),
  open: async (): Promise<{ name: string; message: string } | null> =>
    openDatabase(options).then((now) => (now.close(), null), errorOf),
  lock: async (title: string): Promise<string> => {
    lock = await holdWriterLock("e2e", { who: () => title });
    return lock.now().state;
  },
  lockState: (): { state: string; who: string | null } => {
    const { state, who } = lock!.now();
    return { state, who };
  },
  takeOver: (): Promise<void> => lock!.takeOver(),
  usage: async (): Promise<number> => (await storageState()).usage ?? 0,
  /** Appends until the browser gives no more room. */
  fill: async (): Promise<{
    name: string;
    message: string;
    stored: number;
  }> => {
    const here = openIndexedDbStore(await opened(), "full");
    const memory = makeMemory([]);
    await here.save({ ...memory, model: { ...memory.model, dFf: WIDE } });
    for (let stored = 0; ; stored++) {
      const entry = { ...makeEntry(stored), key: noise(stored) };
      try {
        await here.append({ entries: [entry] });
      } catch (error) {
        if (!(error instanceof StoreFull)) throw error;
        const loaded = (await openIndexedDbStore(await opened(), "full").load())!.entries;
        const intact = (key: Float32Array, i: number): boolean => noise(i).every((x, at) => x === key[at]);
        const whole = loaded.length === stored && loaded.every(({ key }, i) => intact(key, i));
        const { name, message } = error;
        return { name, message, stored: whole ? stored : -1 };
      }
    }
  },
  /** After there is room again: the same append succeeds. */
  goOn: async (): Promise<number> => {
    const here = openIndexedDbStore(await opened(), "full");
    await here.append({ entries: [{ ...makeEntry(99_999), key: noise(99_999) }] });
    const count = (await here.load())!.entries.length;
    await removeNotebook(await opened(), "full");
    return count;
  },
  bench: (argument: { facts: number; batch: number }): Promise<Record<string, number>> =>
    benchStore(argument.facts, argument.batch),
} as const;

export type StoreChecks = typeof checks;
serveChecks(checks);
