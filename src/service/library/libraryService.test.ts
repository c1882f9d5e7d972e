import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it } from "vitest";
import { readRun } from "../../evaluate/runs/file.ts";
import { runText } from "../../evaluate/testing/stories.ts";
import { SHARP } from "../../records/params.ts";
import { RUN_FORMAT } from "../../records/evaluation.ts";
import type { StudyHeader } from "../../records/run.ts";
import { digestOf } from "../../records/digest.ts";
import { charOffset, factId, type FactId } from "../../records/ids.ts";
import type { SourceEntry } from "../../records/notebook.ts";
import { createLibraryService, type LibraryService } from "./libraryService.ts";
import { openDatabase, wipe } from "../../store/database.ts";
import { openIndexedDbStore } from "../../store/indexedDb.ts";
import { makeMemory, upTo } from "../../store/testing/memory.ts";
import { NO_DEADLINE } from "../../rpc/testing/noDeadline.ts";

const database = openDatabase({ name: "library service" });
const library: LibraryService = createLibraryService({
  deadline: NO_DEADLINE,
  database: () => database,
  date: () => "2026-11-21T12:00:00.000Z",
  app: "1.2.3",
});

const file = (name: string, text: string) => ({ name, bytes: new TextEncoder().encode(text) });
const STUDY: StudyHeader = {
  kind: "study",
  key: "0",
  ...{ id: "run-1", format: RUN_FORMAT, study: "capacity", settings: {}, params: SHARP, seed: 1 },
  ...{ backend: "cpu", model: "m@1", app: "0", created: "2026-01-01T00:00:00Z" },
};
const STORY = "Mary moved to the garden. Nothing else. The code of Project Beacon is AB-417.";

function notebook(id: string, documents: readonly SourceEntry[], revision = 0) {
  const body = {
    cells: [
      { kind: "note", input: { text: "x" } },
      { kind: "source", input: { documents } },
    ],
  };
  return { id, title: id, updated: "2026-11-21", cells: 2, revision, body };
}

beforeEach(async () => wipe(await database));

describe("texts", () => {
  it("keeps a file's text until it is forgotten, and what is known of it after that", async () => {
    const entry = await library.ingest(file("story.txt", STORY));
    expect(entry).toMatchObject({ title: "story.txt", format: "txt", characters: STORY.length, kept: true });
    expect(await library.readText({ id: entry.id, start: 0, end: 4 })).toBe("Mary");
    await library.forgetText({ ids: [entry.id] });
    await expect(library.readText({ id: entry.id, start: 0, end: 4 })).rejects.toThrow(
      /story\.txt.*forgotten/,
    );
    expect(await library.documents(null)).toEqual([{ ...entry, kept: false }]);
  });

  it("has the facts of a memory at their places as long as it is kept, also after a deletion closed a gap", async () => {
    const { id } = await library.ingest(file("story.txt", STORY));
    const memory = makeMemory(upTo(3));
    const said = [
      "Mary moved to the garden.",
      "An edited sentence.",
      "The code of Project Beacon is AB-417.",
    ];
    // The second sentence was deleted.
    const offsets = [0, 26, 26 + 6].map(charOffset);
    const idOf = (i: number) => factId(`${id}~0a1b2c3d`, offsets[i]!);
    const entries = memory.entries.map((entry, i) => ({
      ...entry,
      id: idOf(i),
      documentId: id,
      offset: offsets[i]!,
    }));
    const facts = (i: number) => ({
      ...memory.routing[0]!.facts[0]!,
      id: idOf(i),
      digest: digestOf(said[i]!, memory.salts[0]!),
    });
    const routing = [{ ...memory.routing[0]!, facts: upTo(3).map(facts) }];
    await openIndexedDbStore(await database, "m").save({ ...memory, entries, routing });
    const places = async () => (await library.facts({ memory: "m" })).map(({ offset }) => offset);
    const last = STORY.indexOf("The code");
    expect(await places()).toEqual([0, 26, last]);
    await library.forgetText({ ids: [id] });
    expect(await places()).toEqual(offsets);
  });

  it("marks sentences and candidates of a kept text", async () => {
    const { id } = await library.ingest(file("story.txt", STORY));
    const marks = await library.marks({ id, filter: "strict" });
    const sentences = Array.from(marks.starts, (start, i) => STORY.slice(start, marks.ends[i]));
    expect(sentences).toEqual([
      "Mary moved to the garden.",
      "Nothing else.",
      "The code of Project Beacon is AB-417.",
    ]);
    expect(Array.from(marks.kinds, (kind) => kind !== 0)).toEqual([true, false, true]);
  });

  it("keeps nothing of a file that cannot be read", async () => {
    const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3);
    await expect(library.ingest({ name: "a.png", bytes })).rejects.toThrow(/a\.png.*PNG/);
    expect(await library.documents(null)).toEqual([]);
  });
});

describe("notebooks", () => {
  it("are removed with the texts that no other notebook names", async () => {
    const shared = await library.ingest(file("shared.txt", STORY));
    const own = await library.ingest(file("own.txt", "Ivy Stone wrote the Harbor Song in 1911."));
    await library.saveNotebook(notebook("a", [shared, own]));
    await library.saveNotebook(notebook("b", [shared]));
    await library.removeNotebook({ id: "a" });
    expect((await library.notebooks(null)).map(({ id }) => id)).toEqual(["b"]);
    expect((await library.documents(null)).map(({ id }) => id)).toEqual([shared.id]);
  });

  it("leave a run to the notebook that shows it as well, and it goes with the last one", async () => {
    const { header, samples } = readRun(await runText(), "run.jsonl")!;
    const showing = (id: string) => ({
      ...notebook(id, []),
      body: { cells: [{ kind: "benchmark", input: {}, output: { runId: "evaluation-1" } }] },
    });
    for (const id of ["a", "copy", "other copy"]) await library.saveNotebook(showing(id));
    await library.keepRun({ notebook: "a", id: "evaluation-1", header });
    await library.keepRecords({ id: "evaluation-1", records: samples });
    // Predictions that were imported in the copy, or its cell run again.
    await library.keepRun({ notebook: "copy", id: "evaluation-1", header });
    const kept = async () => (await library.loadEvaluation({ id: "evaluation-1" }))?.samples.length ?? null;
    await library.removeNotebook({ id: "copy" });
    expect(await kept()).toBe(samples.length);
    expect(await library.runs({ notebook: "a" })).toHaveLength(1);
    await library.removeNotebook({ id: "a" });
    expect(await kept()).toBe(samples.length);
    expect(await library.runs({ notebook: "other copy" })).toHaveLength(1);
    await library.removeNotebook({ id: "other copy" });
    expect(await kept()).toBeNull();
  });

  it("leave a study to the cell that it is compared with", async () => {
    await library.keepRun({ notebook: "a", id: STUDY.id, header: STUDY });
    await library.saveNotebook(notebook("a", []));
    const body = { cells: [{ kind: "experiment", input: { compareWith: "run-1" }, output: null }] };
    await library.saveNotebook({ ...notebook("b", []), body });
    await library.removeNotebook({ id: "a" });
    expect((await library.loadRun({ id: "run-1" }))?.header).toEqual(STUDY);
    expect(await library.runs({ notebook: "b" })).toHaveLength(1);
  });

  it("keep their texts, and one that none names any more goes; what a memory is of stays known", async () => {
    const named = await library.ingest(file("named.txt", STORY));
    const off = await library.ingest(file("off.txt", "Ivy Stone wrote the Harbor Song in 1911."));
    const memorised = await library.ingest(file("memorised.txt", "Ivy Stone moved to the harbour."));
    await library.saveNotebook(notebook("a", [named]));
    const memory = makeMemory(upTo(3));
    const sources = memory.sources.map((source) => ({ ...source, id: memorised.id }));
    await openIndexedDbStore(await database, "a").save({ ...memory, sources });
    await library.removeUnnamedTexts(null);
    const left = await library.documents(null);
    expect(left.toSorted((a, b) => b.characters - a.characters)).toEqual([
      named,
      { ...memorised, kept: false },
    ]);
    await expect(library.readText({ id: off.id, start: 0, end: 1 })).rejects.toThrow(/no document/);
  });

  it("refuses what another tab has overtaken, and a body of any shape can be removed", async () => {
    expect(await library.saveNotebook(notebook("a", []))).toBe(1);
    await expect(library.saveNotebook(notebook("a", []))).rejects.toThrow(/saved elsewhere/);
    const odd = { ...notebook("odd", []), body: { cells: [null, { input: { documents: [7, null] } }] } };
    await library.saveNotebook(odd);
    await library.removeNotebook({ id: "odd" });
    expect((await library.loadNotebook({ id: "a" }))?.revision).toBe(1);
  });
});

describe("memories", () => {
  it("are listed, exported, removed and imported again, bit for bit", async () => {
    const memory = makeMemory(upTo(7), 5);
    await openIndexedDbStore(await database, "m").save(memory);
    const info = (await library.memoryInfo({ memory: "m" }))!;
    const facts = memory.routing.flatMap((document) => document.facts);
    expect(info.facts).toBe(memory.entries.length);
    expect(info.pending).toBe(facts.length - memory.entries.length);
    expect((await library.facts({ memory: "m" })).map(({ id }) => id)).toEqual(
      memory.entries.map(({ id }) => id),
    );
    const routing = memory.routing[1]!;
    const known = {
      anchor: routing.anchor,
      order: routing.order,
      facts: routing.facts.map(({ id, index, terms, digest }) => ({ id, index, terms, digest })),
    };
    expect(await library.routing({ memory: "m", id: routing.facts.at(-1)!.id })).toEqual(known);
    expect(await library.routing({ memory: "m", id: "none:1" as FactId })).toBeNull();
    const archive = await library.exportMemory({ memory: "m" });
    await library.removeNotebook({ id: "m" });
    expect(await library.memoryInfo({ memory: "m" })).toBeNull();
    const done = await library.importMemory({ memory: "m", archive, mode: "replace", name: "m.zip" });
    expect(done.added).toBe(memory.entries.length);
    const [first] = memory.entries;
    expect(await library.entries({ memory: "m", id: first!.id })).toEqual([first]);
    const { part, tokens, report } = first!;
    expect(await library.curves({ memory: "m", ids: [first!.id] })).toEqual([
      [{ part, tokens, losses: report.losses }],
    ]);
  });
});
