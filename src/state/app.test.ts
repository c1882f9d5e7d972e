/** @file The run machinery, the notebooks and the ways back, over real message channels and the real library. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { EXAMPLE_ID } from "../notebook/file.ts";
import type { Call } from "../rpc/wire.ts";
import type { Cell } from "../records/notebook.ts";
import { SHARP } from "../records/params.ts";
import { createHarness, RECORDED, recorded, type Harness } from "./testing/harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  await harness.app.actions.start();
});
afterEach(() => {
  harness.close();
});

const notebook = (id = harness.state().currentId!) => harness.state().open[id]!.notebook;
const cellOf = <K extends Cell["kind"]>(kind: K) =>
  notebook().cells.find((cell) => cell.kind === kind) as Extract<Cell, { kind: K }>;
const status = (id: string) => harness.state().runs[id]?.status;

/** An engine method that goes on until it is let go or cancelled. */
function held<T>(value: T) {
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const seen: { call?: Call<never> } = {};
  const method = async (_: unknown, call: Call<never> = {}): Promise<T> => {
    seen.call = call;
    await Promise.race([
      gate,
      new Promise((_, reject) => {
        call.signal?.addEventListener("abort", () => {
          reject(new Cancelled("test: cancelled"));
        });
      }),
    ]);
    return value;
  };
  return { letGo, seen, method };
}

describe("a first visit", () => {
  it("opens the worked example with its saved rows, and saves it", async () => {
    expect(harness.state().currentId).toBe(EXAMPLE_ID);
    await harness.app.actions.loadFacts();
    expect(harness.state().memory).toMatchObject({ fromExample: true });
    expect(harness.state().memory.facts!.length).toBeGreaterThanOrEqual(40);
    await harness.until(({ open }) => open[EXAMPLE_ID]!.save.status === "saved");
    expect(await harness.app.library().loadNotebook({ id: EXAMPLE_ID })).toMatchObject({ revision: 1 });
  });
});

describe("runs", () => {
  it("of the whole notebook open the model once, read the sample again, forget it, and stamp every output", async () => {
    await harness.app.actions.runAll();
    expect(harness.state().runs).toEqual({});
    expect(harness.calls.filter((name) => ["open", "memorize", "ask"].includes(name))).toEqual([
      "open",
      "memorize",
      // Every question of the cell is asked again.
      "ask",
      "ask",
      "ask",
    ]);
    expect(cellOf("source").input.documents).toMatchObject([{ kept: false }]);
    const [sample] = await harness.app.library().documents(null);
    expect(sample).toMatchObject({ title: "the-lamp-at-harrow-point.txt", kept: false });
    expect(cellOf("memorize").output!.stamp).toMatchObject({ app: "1", backend: "cpu" });
    const asked = cellOf("ask").output!.history.map(({ answer }) => answer.question);
    // The new answers replace those of the recorded example.
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(3);
    await harness.until(({ open }) => open[EXAMPLE_ID]!.save.status === "saved");
    const saved = await harness.app.library().loadNotebook({ id: EXAMPLE_ID });
    expect(saved!.body).toEqual(notebook());
  });

  /** A text of one's own in the source cell, forgotten: the sample that ships would be read again. */
  function forgottenText() {
    const [sample] = cellOf("source").input.documents;
    harness.app.actions.setInput(cellOf("source").id, "source", (input) => ({
      ...input,
      documents: [{ ...sample!, title: "mine.txt", kept: false }],
    }));
  }

  it("of the whole notebook do not fail because a memorised text was forgotten, and say so", async () => {
    harness.close();
    harness = createHarness();
    const [sample] = RECORDED.notebook.cells.flatMap((cell) =>
      cell.kind === "source" ? cell.input.documents : [],
    );
    const { id, title, characters } = sample!;
    harness.libraryChanges.memoryInfo = async () => ({
      model: recorded("model").identity,
      params: SHARP,
      embedder: "",
      salts: ["s"],
      layers: [],
      sources: [{ id, title, characters, sentences: 1, candidates: 1, memorizedAt: "2026-01-01T00:00:00Z" }],
      facts: 1,
      ...{ vectors: 0, pending: 0 },
    });
    await harness.app.actions.start();
    forgottenText();
    await harness.app.actions.runAll();
    expect(harness.state().runs).toEqual({});
    expect(harness.calls).not.toContain("memorize");
    expect(harness.calls).toContain("ask");
    expect(harness.state().notice).toMatch(/in the memory already/);
    const { currentId } = harness.state();
    harness.app.actions.createNotebook();
    expect(harness.state().notice).toBeNull();
    await harness.app.actions.openNotebook(currentId!);
    // Asked for by itself it says why there is nothing to do.
    expect(await harness.app.actions.runCell(cellOf("memorize").id)).toBe(false);
    expect(harness.state().runs[cellOf("memorize").id]).toMatchObject({
      problem: { message: expect.stringMatching(/nothing to memorise/) as string },
    });
  });

  it("of the whole notebook go on where a forgotten text is not in the memory, and say which", async () => {
    forgottenText();
    await harness.app.actions.runAll();
    expect(harness.state().runs).toEqual({});
    expect(harness.calls).not.toContain("memorize");
    expect(harness.calls).toContain("ask");
    expect(harness.state().notice).toMatch(/The text of "mine.txt" is not kept/);
  });

  it("keep the text where facts did not come back word for word", async () => {
    harness.close();
    harness = createHarness();
    const [sample] = RECORDED.notebook.cells.flatMap((cell) =>
      cell.kind === "source" ? cell.input.documents : [],
    );
    const stored = (exact: boolean) => ({ ...RECORDED.facts[0]!, documentId: sample!.id, exact });
    // Inexact ones may be of an interrupted run that this one took over: its own are all exact.
    harness.libraryChanges.facts = async () => [stored(true), stored(false)];
    await harness.app.actions.start();
    await harness.app.actions.runCell(cellOf("memorize").id);
    expect(cellOf("source").input.documents).toMatchObject([{ kept: true }]);
    const { id } = cellOf("source").input.documents[0]!;
    expect(await harness.app.library().documents(null)).toMatchObject([{ id, kept: true }]);
  });

  it("forget the texts that they read, and not one that came meanwhile", async () => {
    const memorizing = held(recorded("memorize"));
    harness.engine.memorize = memorizing.method;
    const ended = harness.app.actions.runAll();
    await harness.until(() => memorizing.seen.call !== undefined);
    await harness.app.actions.addFiles(cellOf("source").id, [
      { name: "later.txt", file: new Blob(["Mary met John."], { type: "text/plain" }) },
    ]);
    memorizing.letGo();
    await ended;
    expect(cellOf("source").input.documents).toMatchObject([
      { kept: false },
      { title: "later.txt", kept: true },
    ]);
    const texts = await harness.app.library().documents(null);
    expect(texts.find(({ title }) => title === "later.txt")).toMatchObject({ kept: true });
  });

  it("forget with a text what was left out of it", async () => {
    const page =
      "<nav><a href='/'>Home</a> <a href='/a'>Tickets</a></nav><main><p>Mary met John at the old mill.</p></main>";
    await harness.app.actions.addFiles(cellOf("source").id, [
      { name: "page.html", file: new Blob([page], { type: "text/html" }) },
    ]);
    await harness.until(() => cellOf("source").input.documents.length === 2);
    const entry = () => cellOf("source").input.documents.find(({ title }) => title.startsWith("page"))!;
    expect(entry().notes.join()).toContain("Navigation");
    const { actions } = harness.app;
    const { id } = cellOf("source");
    // Both steps hold the entry as it was before.
    actions.setInput(id, "source", { forget: true });
    await actions.forgetTexts(id, [entry().id]);
    const expectForgotten = () =>
      expect(entry()).toMatchObject({
        kept: false,
        notes: ['"page.html": parts that are not the article were left out (1).'],
      });
    expectForgotten();
    actions.undo();
    expectForgotten();
  });

  it("forget a text in a removed cell, too", async () => {
    const { actions } = harness.app;
    const [first] = cellOf("source").input.documents;
    actions.setInput(cellOf("source").id, "source", (input) => ({
      ...input,
      documents: [{ ...first!, kept: true, notes: ["Left out:\nNavigation: Home"] }],
    }));
    actions.duplicateCell(cellOf("source").id);
    actions.removeCell(cellOf("source").id);
    await actions.forgetTexts(cellOf("source").id, [first!.id]);
    actions.undo();
    const documents = notebook().cells.flatMap((cell) =>
      cell.kind === "source" ? cell.input.documents : [],
    );
    expect(documents).toMatchObject([
      { kept: false, notes: ["Left out:"] },
      { kept: false, notes: ["Left out:"] },
    ]);
  });

  it("of the whole notebook lead the page along until the person goes elsewhere", async () => {
    const memorizing = held(recorded("memorize"));
    harness.engine.memorize = memorizing.method;
    const ended = harness.app.actions.runAll();
    await harness.until(() => memorizing.seen.call !== undefined);
    expect(harness.state().following).toBe(true);
    harness.app.actions.stopFollowing();
    expect(harness.state().following).toBe(false);
    memorizing.letGo();
    await ended;
    expect(harness.state().following).toBe(false);
  });

  it("of the whole notebook pass over a cell that was never asked anything", async () => {
    const { id } = cellOf("ask");
    harness.app.actions.setInput(id, "ask", (input) => ({ ...input, question: " " }));
    harness.app.actions.setOutput(id, "ask", () => null);
    await harness.app.actions.runAll();
    expect(harness.state().runs).toEqual({});
    expect(harness.calls).toContain("memorize");
    expect(harness.calls).not.toContain("ask");
    // Asked for by itself it says what is missing.
    expect(await harness.app.actions.runCell(id)).toBe(false);
    expect(harness.state().runs[id]).toMatchObject({
      problem: { message: expect.stringMatching(/question is empty/) as string },
    });
  });

  it("of a question open the model first, and not again", async () => {
    await harness.app.actions.runCell(cellOf("ask").id);
    await harness.app.actions.runCell(cellOf("ask").id);
    expect(harness.calls.filter((name) => name === "open" || name === "ask")).toEqual(["open", "ask", "ask"]);
  });

  it("fail with the engine's own words, and go on from there", async () => {
    harness.engine.open = () => Promise.reject(new Error("engine: no room"));
    expect(await harness.app.actions.runCell(cellOf("ask").id)).toBe(false);
    expect(harness.state().runs[cellOf("ask").id]).toMatchObject({
      status: "failed",
      problem: { message: "No room" },
    });
    harness.engine.open = async () => recorded("model");
    expect(await harness.app.actions.runCell(cellOf("ask").id)).toBe(true);
    expect(status(cellOf("ask").id)).toBeUndefined();
  });

  it("are cancelled: the engine hears of it, the output stays, and what comes late is dropped", async () => {
    const asking = held(recorded("ask").history[0]!.answer);
    harness.engine.ask = asking.method;
    const before = cellOf("ask").output;
    const ended = harness.app.actions.runCell(cellOf("ask").id);
    await harness.until(() => asking.seen.call !== undefined);
    const queued = harness.app.actions.runCell(cellOf("memorize").id);
    expect(status(cellOf("memorize").id)).toBe("queued");
    harness.app.actions.cancelCell(cellOf("memorize").id);
    expect(await queued).toBe(false);
    harness.app.actions.cancelCell(cellOf("ask").id);
    expect(await ended).toBe(false);
    expect(asking.seen.call!.signal!.aborted).toBe(true);
    asking.seen.call!.onProgress?.("late" as never);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(harness.state().runs[cellOf("ask").id]).toMatchObject({
      status: "cancelled",
      progress: { kind: "text", text: "" },
    });
    expect(cellOf("ask").output).toBe(before);
    expect(harness.calls).not.toContain("memorize");
  });

  it("put their output into the notebook that they belong to, wherever the user is by then", async () => {
    const asking = held(recorded("ask").history[0]!.answer);
    harness.engine.ask = asking.method;
    const ended = harness.app.actions.runCell(cellOf("ask").id);
    await harness.until(() => asking.seen.call !== undefined);
    const other = harness.app.actions.createNotebook();
    asking.letGo();
    expect(await ended).toBe(true);
    const ask = notebook(EXAMPLE_ID).cells.find((cell) => cell.kind === "ask");
    expect(ask!.output!.history).toHaveLength(4);
    expect(notebook(other).cells.map(({ kind, output }) => [kind, output])).toEqual(
      ["model", "source", "memorize", "store", "ask"].map((kind) => [kind, null]),
    );
  });

  it("of a cell that was removed meanwhile leave nothing behind", async () => {
    const asking = held(recorded("ask").history[0]!.answer);
    harness.engine.ask = asking.method;
    const { id } = cellOf("ask");
    const ended = harness.app.actions.runCell(id);
    await harness.until(() => asking.seen.call !== undefined);
    harness.app.actions.removeCell(id);
    await ended;
    expect(harness.state().runs).toEqual({});
    harness.app.actions.undo();
    expect(cellOf("ask").output!.history).toHaveLength(3);
  });

  it("say where a source is missing", async () => {
    const source = cellOf("source");
    harness.app.actions.setInput(source.id, "source", (input) => ({ ...input, documents: [] }));
    await harness.app.actions.runCell(cellOf("memorize").id);
    expect(harness.state().runs[cellOf("memorize").id]!.problem!.message).toMatch(
      /Add a text to a source cell/,
    );
  });
});

describe("a crashed engine", () => {
  it("is a state with a way back: started again, the model opens and the interrupted run is done", async () => {
    const asking = held(recorded("ask").history[0]!.answer);
    harness.engine.ask = asking.method;
    const { id } = cellOf("ask");
    const ended = harness.app.actions.runCell(id);
    await harness.until(() => asking.seen.call !== undefined);
    harness.crash("engine");
    expect(await ended).toBe(false);
    expect(harness.state().workers.engine.status).toBe("crashed");
    expect(harness.state().device.model).toBeNull();
    expect(harness.state().runs[id]!.problem!.name).toBe("WorkerCrashed");

    asking.letGo();
    await harness.app.actions.restartWorker("engine");
    await harness.until(({ runs }) => !(id in runs));
    expect(harness.state().workers.engine.status).toBe("ready");
    expect(cellOf("ask").output!.history).toHaveLength(4);
    expect(harness.calls.filter((name) => name === "open")).toHaveLength(2);
  });
});

describe("notebooks", () => {
  it("that are imported while they are open share no cell: what runs in one runs in it alone", () => {
    const before = notebook().cells.map(({ id }) => id);
    harness.app.actions.importNotebook(JSON.stringify(notebook()));
    expect(harness.state().currentId).not.toBe(EXAMPLE_ID);
    expect(notebook().cells.map(({ kind }) => kind)).toEqual(
      notebook(EXAMPLE_ID).cells.map(({ kind }) => kind),
    );
    expect(notebook().cells.filter(({ id }) => before.includes(id))).toEqual([]);
    // Another id on the file, and the cells of a notebook that is there: as a person's own tool may write it.
    harness.app.actions.importNotebook(JSON.stringify({ ...notebook(EXAMPLE_ID), id: "from-a-tool" }));
    expect(harness.state().currentId).toBe("from-a-tool");
    expect(notebook().cells.filter(({ id }) => before.includes(id))).toEqual([]);
  });

  it("are not saved over what another tab saved, and kept as a copy on request", async () => {
    await harness.until(({ open }) => open[EXAMPLE_ID]!.save.status === "saved");
    const body = { ...notebook(), title: "Theirs" };
    const { title, updated, cells, id } = body;
    await harness.app.library().saveNotebook({ id, title, updated, cells: cells.length, revision: 1, body });
    harness.app.actions.setTitle("Ours");
    await harness.until(({ open }) => open[EXAMPLE_ID]!.save.status === "conflict");
    expect(await harness.app.library().loadNotebook({ id })).toMatchObject({
      revision: 2,
      body: { title: "Theirs" },
    });
    harness.app.actions.duplicateNotebook(id);
    expect(notebook().title).toBe("Ours (copy)");
    await harness.app.actions.reloadNotebook(id);
    expect(notebook(id).title).toBe("Theirs");
  });

  it("keep a copy with the memory of now, or leave nothing when it cannot be copied", async () => {
    harness.close();
    harness = createHarness();
    const { app, libraryChanges } = harness;
    const given: string[] = [];
    let full = false;
    libraryChanges.exportMemory = async () => new Blob(["1"]);
    libraryChanges.importMemory = async ({ memory, archive }) => {
      if (full) throw new Error("store: the disk is full");
      given.push(`${memory} ${archive.size}`);
      return { added: 1, skipped: 0, left: [], notes: [] };
    };
    await app.actions.start();
    const id = harness.state().currentId!;
    const title = await app.actions.keepMemory();
    const kept = harness.state().list.find((info) => info.title === title)!;
    expect(given).toEqual([`${kept.id} 1`]);
    expect(harness.state().currentId).toBe(id);

    full = true;
    await expect(app.actions.keepMemory()).rejects.toThrow(/disk is full/);
    const saved = await app.library().notebooks(null);
    expect(saved.filter((info) => info.id !== id).map((info) => info.id)).toEqual([kept.id]);
  });

  it("are not saved on a full disk, and are when there is room again", async () => {
    harness.close();
    harness = createHarness();
    const quota = Object.assign(new Error("store: the disk is full"), { name: "QuotaExceededError" });
    let full = true;
    const { app, libraryChanges } = harness;
    libraryChanges.saveNotebook = async ({ revision }) => {
      if (full) throw quota;
      return revision + 1;
    };
    await app.actions.start();
    await harness.until(({ open }) => open[EXAMPLE_ID]!.save.status === "failed");
    expect(harness.state().open[EXAMPLE_ID]!.save).toMatchObject({
      problem: { message: "The disk is full" },
    });
    full = false;
    await app.actions.saveNow();
    expect(harness.state().open[EXAMPLE_ID]!.save.status).toBe("saved");
  });

  it("are removed when the undo window is over, and not before", async () => {
    await harness.until(({ open }) => open[EXAMPLE_ID]!.save.status === "saved");
    const undo = harness.app.actions.removeNotebook(EXAMPLE_ID);
    expect(harness.state().list.some(({ id }) => id === EXAMPLE_ID)).toBe(false);
    await undo();
    expect(harness.state().currentId).toBe(EXAMPLE_ID);
    harness.app.actions.removeNotebook(EXAMPLE_ID);
    await harness.until(({ open }) => !(EXAMPLE_ID in open));
    expect(harness.state().currentId).not.toBeNull();
    await expect.poll(() => harness.app.library().loadNotebook({ id: EXAMPLE_ID })).toBeNull();
  });
});
