/** @file Facts are read back: rows in view for the open notebook, the others while nothing runs. */

import { afterEach, beforeEach, expect, it } from "vitest";
import { digestOf } from "../records/digest.ts";
import { charOffset, documentId, factId } from "../records/ids.ts";
import type { FactRow } from "../records/notebook.ts";
import { SHARP } from "../records/params.ts";
import type { Reconstruction } from "../records/answer.ts";
import { createHarness, RECORDED, recorded, type Harness } from "./testing/harness.ts";

let harness: Harness;
beforeEach(() => {
  harness = createHarness();
});
afterEach(() => {
  harness.close();
});

const [recall] = recorded("ask").history[0]!.answer.recalled as readonly [Reconstruction];
const idIn = (text: string) => factId(documentId(text), charOffset(0));

it("a row is said although an answer for another notebook's rows is still to come", async () => {
  const asked: string[] = [];
  let first: (() => void) | undefined;
  harness.engine.recall = async ({ memory, ids }) => {
    asked.push(memory);
    // The first answer comes when the test says so.
    if (asked.length === 1) await new Promise<void>((resolve) => (first = resolve));
    return ids.map((id) => ({ ...recall, id, text: `said of ${memory}: ${id}` }));
  };
  await harness.app.actions.start();
  const { actions } = harness.app;
  const [there, here] = [actions.createNotebook(), actions.createNotebook()];
  const [a, b] = [idIn("a"), idIn("b")];
  await actions.openNotebook(there);
  actions.sayFact(a);
  await expect.poll(() => asked).toEqual([there]);

  await actions.openNotebook(here);
  actions.sayFact(b);
  await harness.until(({ memory }) => memory.said.get(b) === `said of ${here}: b:0`);

  await actions.openNotebook(there);
  actions.sayFact(a);
  first!();
  await harness.until(({ memory }) => memory.said.get(a) === `said of ${there}: a:0`);
  expect(harness.state().memory.said.has(b)).toBe(false);
});

it("the rest is read back while nothing runs, stops when a run begins, and goes on after it", async () => {
  let signals: (AbortSignal | undefined)[] = [];
  harness.libraryChanges.facts = async () => RECORDED.facts;
  harness.engine.recall = async ({ ids }, call = {}) => {
    signals.push(call.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return ids.map((id) => ({ ...recall, id, text: RECORDED.said[id]! }));
  };
  await harness.app.actions.start();
  const { actions, store } = harness.app;
  await actions.openNotebook(actions.createNotebook());
  const running = (status: "running" | "failed") => {
    const run = { status, progress: null, problem: null, startedAt: null };
    store.setState({ runs: { cell: run } });
  };
  running("running");
  store.setState(({ device }) => ({ device: { ...device, model: recorded("model") } }));
  await actions.loadFacts();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(signals).toEqual([]);

  running("failed");
  await harness.until(({ memory }) => memory.said.size > 0);
  running("running");
  signals = [];
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(signals.length).toBeLessThan(2);
  expect(harness.state().memory.said.size).toBeLessThan(RECORDED.facts.length);

  running("failed");
  await harness.until(({ memory }) => memory.said.size === RECORDED.facts.length);
  expect(harness.state().memory.said).toEqual(new Map(Object.entries(RECORDED.said)));
});

it("a question with other settings does not overwrite a sentence that was read back", async () => {
  const [row, other] = RECORDED.facts;
  const answer = recorded("ask").history[0]!.answer;
  const spoilt = { ...recall, id: row!.id, text: "Spoilt.", exact: false };
  const exact = { ...recall, id: other!.id, text: "Exact.", exact: true };
  harness.engine.ask = async ({ question }) => ({ ...answer, question, recalled: [spoilt, exact] });
  harness.engine.recall = async ({ ids }) => ids.map((id) => ({ ...recall, id, text: "Read back." }));
  await harness.app.actions.start();
  const { actions } = harness.app;
  actions.sayFact(row!.id);
  await harness.until(({ memory }) => memory.said.get(row!.id) === "Read back.");
  const { open, currentId } = harness.state();
  const cell = open[currentId!]!.notebook.cells.find(({ kind }) => kind === "ask")!;
  await actions.runCell(cell.id);
  expect(harness.state().runs[cell.id]?.problem ?? null).toBeNull();
  const { said } = harness.state().memory;
  expect([said.get(row!.id), said.get(other!.id)]).toEqual(["Read back.", "Exact."]);
});

it("a sentence of a run is not shown for a fact that got another value since, however often the rows are read", async () => {
  const [row] = RECORDED.facts;
  const digest = digestOf("The value now.", "salt");
  harness.libraryChanges.facts = async () => [{ ...row!, digest }];
  harness.libraryChanges.memoryInfo = async () => ({
    model: recorded("model").identity,
    params: SHARP,
    ...{ embedder: "", salts: ["salt"], layers: [row!.layer], sources: [], facts: 1, vectors: 1, pending: 0 },
  });
  let words = "The value before.";
  harness.engine.said = async () => new Map([[row!.id, words]]);
  await harness.app.actions.start();
  const { actions } = harness.app;
  await actions.openNotebook(actions.createNotebook());
  await harness.until(({ memory }) => memory.info !== null);
  await actions.loadFacts();
  const { open, currentId } = harness.state();
  const store = open[currentId!]!.notebook.cells.find(({ kind }) => kind === "store")!;
  for (const expected of [undefined, "The value now."]) {
    await actions.runCell(store.id);
    expect(harness.state().runs[store.id]?.problem ?? null).toBeNull();
    expect(harness.state().memory.facts).toHaveLength(1);
    expect(harness.state().memory.said.get(row!.id)).toBe(expected);
    words = "The value now.";
  }
});

it("a reading waits once until the page is idle, and a failed batch does not end it", async () => {
  harness.close();
  let waits = 0;
  harness = createHarness({
    whenIdle(work) {
      waits++;
      work();
    },
  });
  const facts = Array.from({ length: 60 }, (_, i) => ({ ...RECORDED.facts[0]!, id: idIn(`text ${i}`) }));
  harness.libraryChanges.facts = async () => facts;
  const batches: number[] = [];
  harness.engine.recall = async ({ ids }) => {
    batches.push(ids.length);
    if (batches.length === 1) throw new Error("engine: no room");
    return ids.map((id) => ({ ...recall, id, text: "Said." }));
  };
  await harness.app.actions.start();
  const { actions, store } = harness.app;
  await actions.openNotebook(actions.createNotebook());
  store.setState(({ device }) => ({ device: { ...device, model: recorded("model") } }));
  waits = 0;
  await actions.loadFacts();
  await harness.until(({ memory }) => memory.said.size === 36);
  expect(batches).toEqual([24, 24, 12]);
  expect(waits).toBe(1);
  // The next change tries the failed batch again.
  store.setState({ runs: {} });
  await harness.until(({ memory }) => memory.said.size === 60);
});

it("a reading ends where recall after recall fails", async () => {
  const facts = Array.from({ length: 600 }, (_, i) => ({ ...RECORDED.facts[0]!, id: idIn(`text ${i}`) }));
  harness.libraryChanges.facts = async () => facts;
  let tries = 0;
  harness.engine.recall = async () => {
    tries++;
    throw new Error("engine: the memory is of another model");
  };
  await harness.app.actions.start();
  const { actions, store } = harness.app;
  await actions.openNotebook(actions.createNotebook());
  store.setState(({ device }) => ({ device: { ...device, model: recorded("model") } }));
  await actions.loadFacts();
  await expect.poll(() => tries).toBe(5);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(tries).toBe(5);
});

it("suggested questions go with their facts: while a deletion waits, and after every change of the memory", async () => {
  harness.close();
  harness = createHarness({ undoWindow: 60_000 });
  const [gone, kept] = RECORDED.facts as [FactRow, FactRow];
  harness.libraryChanges.facts = async () => [gone, kept];
  harness.engine.suggest = async ({ said }) => [...said.keys()];
  await harness.app.actions.start();
  const { actions, store } = harness.app;
  await actions.openNotebook(actions.createNotebook());
  await actions.loadFacts();
  const said = new Map([gone, kept].map(({ id }) => [id, "Said."]));
  store.setState(({ memory }) => ({ memory: { ...memory, said } }));
  const suggested = () => harness.state().memory.suggested;
  await actions.suggestQuestions();
  expect(suggested()).toEqual([gone.id, kept.id]);

  const { open, currentId } = harness.state();
  const cell = open[currentId!]!.notebook.cells.find(({ kind }) => kind === "store")!;
  const { undo } = actions.deleteFacts(cell.id, [gone.id]);
  expect(suggested()).toEqual([]);
  await actions.suggestQuestions();
  expect(suggested()).toEqual([kept.id]);
  undo();
  expect(suggested()).toEqual([]);

  // Suggestions that arrive after the beginning of a deletion are not shown.
  const late = actions.suggestQuestions();
  const deletion = actions.deleteFacts(cell.id, [gone.id]);
  await late;
  expect(suggested()).toEqual([]);
  deletion.undo();

  // An answer that comes after a change is not shown.
  const asked = actions.suggestQuestions();
  await actions.refreshMemory();
  await asked;
  expect(suggested()).toEqual([]);
  await actions.suggestQuestions();
  await actions.refreshMemory();
  expect(suggested()).toEqual([]);
});
