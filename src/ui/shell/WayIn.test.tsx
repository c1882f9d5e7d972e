/** @file The first screen's place for questions: its answer after a deletion, and a question that failed; the talk's answers. */

import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { firstOf } from "../../notebook/kinds.ts";
import type { AppState } from "../../state/core.ts";
import { createHarness, RECORDED, recorded, type Harness } from "../../state/testing/harness.ts";
import { SHARP } from "../../records/params.ts";
import { AppProvider } from "../app.tsx";
import { TooltipProvider } from "../controls/basics.tsx";
import { Presentation } from "./Presentation.tsx";
import { Begun } from "./WayIn.tsx";

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  await harness.app.actions.start();
});
afterEach(() => {
  harness.close();
});

function shown(change: Partial<AppState["memory"]> = {}, page = <Begun />): string {
  const { store } = harness.app;
  store.setState(({ memory }) => ({ memory: { ...memory, ...change } }));
  // On the server a store gives its first state.
  const app = { ...harness.app, store: { ...store, getInitialState: store.getState } };
  return renderToStaticMarkup(
    <AppProvider app={app}>
      <TooltipProvider>{page}</TooltipProvider>
    </AppProvider>,
  );
}

it("does not show a deleted sentence as the answer, and reports the deletion", () => {
  const { best, cited } = recorded("ask").history[0]!.answer.asked[0]!;
  const { facts } = RECORDED;
  expect(shown({ facts })).toContain("<mark");
  const left = shown({ facts: facts.filter(({ id }) => id !== best!.id) });
  expect(left).not.toContain("<mark");
  expect(left).toContain(`${cited[0]!} has been deleted since.`);
});

it("shows an answer in the talk if its memory is not here, and not if all facts were deleted", () => {
  const { open, currentId } = harness.state();
  const ask = firstOf(open[currentId!]!.notebook, "ask")!;
  harness.app.actions.select(ask.id);
  const { question, asked } = recorded("ask").history.at(-1)!.answer;
  const { text } = asked[0]!;
  const talk = (change: Partial<AppState["memory"]>) => shown({ facts: [], ...change }, <Presentation />);
  expect(talk({ info: null })).toContain(text);
  const info = { model: recorded("model").identity, params: SHARP, embedder: "", salts: [], layers: [] };
  const emptied = talk({ info: { ...info, sources: [], facts: 0, vectors: 0, pending: 0 } });
  expect(emptied).toContain(question);
  expect(emptied).not.toContain(text);
});

it("keeps a question that failed in the box, with the error", async () => {
  harness.engine.ask = async () => {
    throw new Error("engine: the question has no room");
  };
  const { actions } = harness.app;
  const { open, currentId } = harness.state();
  const { id } = firstOf(open[currentId!]!.notebook, "ask")!;
  actions.setInput(id, "ask", { question: "Where is Ada?" });
  expect(shown()).not.toContain("Where is Ada?");
  await actions.runCell(id);
  expect(shown()).toContain('value="Where is Ada?"');
  expect(shown()).toMatch(/role="alert"[^>]*>The question has no room/);
});

it("shows how many sentences are read back, and no other claim, until all are", () => {
  const { facts, said } = RECORDED;
  const words = (known: readonly (typeof facts)[number][]) =>
    shown({ facts, said: new Map(known.map(({ id }) => [id, said[id]!])) });
  expect(words([])).toContain("In memory: ");
  expect(words([])).toContain("read back; open the model to read the rest.");
  expect(words([])).not.toContain("word for word");
  expect(words(facts)).toContain("word for word");
  expect(words(facts)).not.toContain("Open the model");
});

it("shows the question and the step while a question opens the model", () => {
  const { actions, store } = harness.app;
  const { open, currentId } = harness.state();
  const { id } = firstOf(open[currentId!]!.notebook, "ask")!;
  actions.setInput(id, "ask", { question: "Where is Ada?" });
  const load = { stage: "self-test", done: 0, total: 0 } as const;
  const run = { status: "running", progress: { kind: "load", load }, problem: null, startedAt: 0 } as const;
  store.setState({ runs: { [id]: run } });
  const markup = shown({ facts: RECORDED.facts, said: new Map() });
  expect(markup).toContain("Where is Ada?</p>");
  expect(markup).toContain("Testing the arithmetic of this machine");
  expect(markup).toMatch(/<button[^>]*disabled=""[^>]*>.*Open the model/);
});

it("suggests questions below the box and the answer, which keep their places", () => {
  const { facts } = RECORDED;
  const markup = shown({ facts, suggested: ["Who kept the lamp?"] });
  const places = ["Ask your own question", "<mark", "Who kept the lamp?"].map((part) => markup.indexOf(part));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

it("opens how the answer was found in its place, and not while the next is recalled", () => {
  const line = "How it was found: ";
  expect(shown({ facts: RECORDED.facts })).toMatch(
    new RegExp(`<button[^>]*aria-expanded="false"[^>]*>.*${line}`),
  );
  const { open, currentId } = harness.state();
  const { id } = firstOf(open[currentId!]!.notebook, "ask")!;
  const run = { status: "running", progress: null, problem: null, startedAt: 0 } as const;
  harness.app.store.setState({ runs: { [id]: run } });
  expect(shown()).not.toContain(line);
});
