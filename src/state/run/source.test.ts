import { expect, test, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import { newCell, newNotebook, UNNAMED } from "../../notebook/kinds.ts";
import { documentId } from "../../records/ids.ts";
import type { SourceEntry } from "../../records/notebook.ts";
import type { IncomingFile as Bytes, LibraryService } from "../../service/library/libraryService.ts";
import { Core, type AppState, type Deps } from "../core.ts";
import { addFiles, dropItem, retryItem } from "./source.ts";

const entry = (title: string, id = title): SourceEntry => ({
  id: documentId(id),
  title,
  format: "txt",
  encoding: "utf-8",
  characters: 4,
  pages: null,
  notes: [],
  kept: true,
});

/** A core with one notebook of one empty source cell, and a library that does only what is asked of it here. */
function setUp(ingest: (file: Bytes) => Promise<SourceEntry>, title = "N") {
  let last = 0;
  const notebook = newNotebook("n", title, [newCell("source", "cell")], "2026-11-21T17:00:00.000Z");
  const store = createStore<AppState>(
    () =>
      ({
        incoming: {},
        open: { n: { notebook, history: null, revision: 0, save: null } },
      }) as unknown as AppState,
  );
  const deps = { newId: () => `i${++last}`, now: () => 0 } as unknown as Deps;
  const library = () => ({ ingest }) as unknown as LibraryService;
  const core = new Core(store, deps, { library, engine: () => expect.fail("the engine is not asked") });
  const lines = () => store.getState().incoming["cell"] ?? [];
  const titles = () => {
    const cell = store.getState().open["n"]!.notebook.cells[0]!;
    return cell.kind === "source" ? cell.input.documents.map(({ title }) => title) : [];
  };
  return { core, lines, titles };
}

const file = (name: string) => ({ name, file: new Blob(["text"]) });

test("files are read one after the other, in two drops too, and leave the queue as documents of the cell", async () => {
  let open = 0;
  let most = 0;
  const { core, lines, titles } = setUp(async ({ name }) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 2));
    open--;
    return entry(name);
  });
  void addFiles(core, "cell", [file("a.txt"), file("b.txt")]);
  const all = addFiles(core, "cell", [file("c.txt")]);
  expect(lines().map(({ status }) => status)).toEqual(["waiting", "waiting", "waiting"]);
  await all;
  expect(lines()).toEqual([]);
  expect(titles()).toEqual(["a.txt", "b.txt", "c.txt"]);
  expect(most).toBe(1);
});

test("a failure is said and does not stop the next file; retry reads it again", async () => {
  let broken = true;
  const { core, lines, titles } = setUp(({ name }) =>
    broken && name === "a.pdf" ? Promise.reject(new Error("no text layer")) : Promise.resolve(entry(name)),
  );
  await addFiles(core, "cell", [file("a.pdf"), file("b.txt")]);
  expect(lines().map(({ status, problem }) => [status, problem?.message])).toEqual([
    ["failed", "no text layer"],
  ]);
  expect(titles()).toEqual(["b.txt"]);
  broken = false;
  await retryItem(core, "cell", lines()[0]!.id);
  expect(titles()).toEqual(["b.txt", "a.pdf"]);
  expect(lines()).toEqual([]);
});

test("the same text twice is a duplicate that names the first", async () => {
  const { core, lines, titles } = setUp(({ name }) => Promise.resolve(entry(name, "same")));
  await addFiles(core, "cell", [file("first.txt"), file("second.txt")]);
  expect(lines().map(({ status, sameAs }) => [status, sameAs])).toEqual([["duplicate", "first.txt"]]);
  expect(titles()).toEqual(["first.txt"]);
});

test("a file taken off the list while it waits is not read", async () => {
  const ingest = vi.fn(({ name }: Bytes) => Promise.resolve(entry(name)));
  const { core, lines, titles } = setUp(ingest);
  const all = addFiles(core, "cell", [file("a.txt"), file("b.txt")]);
  dropItem(core, "cell", lines()[1]!.id);
  await all;
  expect(titles()).toEqual(["a.txt"]);
  expect(ingest).toHaveBeenCalledTimes(1);
});

test("a notebook that nobody has named is called after its first text; a name that was given stays", async () => {
  const named = async (title: string): Promise<string> => {
    const { core } = setUp(async ({ name }) => entry(name), title);
    await addFiles(core, "cell", [file("Silas Marner.txt"), file("notes.md")]);
    return core.store.getState().open["n"]!.notebook.title;
  };
  expect(await named(UNNAMED)).toBe("Silas Marner");
  expect(await named("Mine")).toBe("Mine");
});
