/** @file The fact panel as markup: what is stored and said, what happened, and what a change is told as. */

import { readFileSync } from "node:fs";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { ExampleFile } from "../../../notebook/file.ts";
import { knownValue } from "../../../records/factRow.ts";
import { layerIndex } from "../../../records/ids.ts";
import { createHarness, RECORDED } from "../../../state/testing/harness.ts";
import { AppProvider } from "../../app.tsx";
import { factRow, longRow } from "../../cells/memory/testing/rows.ts";
import { backTo, changeOf, changeText, draftProblem, storingLayers } from "./EditFact.tsx";
import { FactPanel, HistoryList } from "./FactPanel.tsx";
import { firstPartOnly, stepsText, storedIn } from "./useFact.ts";
import { PartHeading } from "./VectorSection.tsx";

const words = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

describe("the history", () => {
  const { notebook, facts } = JSON.parse(readFileSync("public/samples/example.json", "utf8")) as ExampleFile;

  it("names the newest event first, with when and on what, and the way to its cell", () => {
    const ask = notebook.cells.find((cell) => cell.kind === "ask")!;
    const { question, text, cited } = ask.output!.history[0]!.answer;
    const row = facts.find(({ anchor, index }) => `${anchor} (${index})` === cited[0])!;
    const markup = renderToStaticMarkup(<HistoryList notebook={notebook} row={row} />);
    const said = words(markup);
    expect(said.startsWith(`cited for “${question}”: ${text} `)).toBe(true);
    expect(said).toMatch(/ \d{4}, \d\d:\d\d , palimpsest-7m@/);
    expect(said).toMatch(/memorised from its text, with the sharp preset/);
    expect(said.indexOf("cited")).toBeLessThan(said.indexOf("memorised"));
    expect(markup.match(/show its cell/g)!.length).toBeGreaterThanOrEqual(2);
  });

  it("calls nothing cited by words that were not shown as an answer", () => {
    const ask = notebook.cells.find((cell) => cell.kind === "ask")!;
    const [exchange] = ask.output!.history;
    const { answer } = exchange!;
    const row = facts.find(({ anchor, index }) => `${anchor} (${index})` === answer.cited[0])!;
    const asked = answer.asked!.map((part) => ({ ...part, verdict: "unsupported" as const }));
    const output = { ...ask.output!, history: [{ ...exchange!, answer: { ...answer, asked } }] };
    const refused = { ...notebook, cells: [{ ...ask, output }] };
    const said = words(renderToStaticMarkup(<HistoryList notebook={refused} row={row} />));
    expect(said).toContain(`recalled for “${answer.question}”, and not cited`);
    expect(said).not.toContain(answer.text);
  });

  it("says where it does not know, and keeps hostile words as words", () => {
    const attack = "<img src=x onerror=alert(1)>";
    const row = factRow({ memorizedAt: "", anchor: attack });
    const ask = notebook.cells.find((cell) => cell.kind === "ask")!;
    const [exchange] = ask.output!.history;
    const recalled = [{ ...exchange!.answer.recalled[0]!, id: row.id }];
    const answer = { ...exchange!.answer, question: attack, recalled, cited: [] };
    const output = { ...ask.output!, history: [{ ...exchange!, answer }] };
    const cells = [{ ...ask, output }];
    const markup = renderToStaticMarkup(<HistoryList notebook={{ ...notebook, cells }} row={row} />);
    expect(markup).not.toContain("<img");
    expect(words(markup)).toContain("when is not known");
    expect(markup).toContain("for “&lt;img src=x onerror=alert(1)&gt;”, and not cited");
  });
});

it("a fact that leaves names the notice with its Undo only until its deletion begins", async () => {
  const harness = createHarness();
  await harness.app.actions.start();
  const { store } = harness.app;
  const { facts } = RECORDED;
  const { id } = facts[0]!;
  store.setState(({ memory }) => ({ memory: { ...memory, facts, leaving: new Set([id]) } }));
  // On the server a store gives its first state.
  const app = { ...harness.app, store: { ...store, getInitialState: store.getState } };
  const panel = () =>
    renderToStaticMarkup(
      <AppProvider app={app}>
        <FactPanel id={id} />
      </AppProvider>,
    );
  expect(panel()).toContain("This fact is being deleted. Undo it in the notice below");
  const { open, currentId } = store.getState();
  const cell = open[currentId!]!.notebook.cells.find(({ kind }) => kind === "store")!;
  store.setState({
    runs: { [cell.id]: { status: "queued", progress: null, problem: null, startedAt: null } },
  });
  expect(panel()).toContain("This fact is being deleted.</p>");
  harness.close();
});

describe("a fact in parts", () => {
  it("says in how many it is stored, and what shows the first alone", () => {
    expect(storedIn(longRow())).toBe("in 3 parts, a vector each");
    expect(firstPartOnly(longRow(), "the recall")).toMatch(
      /^Part 1 of 3: the recall of the first 14 of 38 tokens\./,
    );
    expect(storedIn(factRow())).toBeNull();
    expect(stepsText(factRow({ steps: 12 }))).toBe("12");
    expect(stepsText(factRow({ steps: 12, givenUp: 0 }))).toBe("12");
    expect(stepsText(factRow({ steps: 12, givenUp: 1060 }))).toBe("12, and 1,060 in abandoned attempts");
    expect(firstPartOnly(factRow(), "the recall")).toBeNull();
  });

  it("has its vectors under their keys, named by place and by address", () => {
    const { anchor, index, parts } = longRow();
    const { part, layer, tokens, exact, fidelity } = parts![1]!;
    const entry = { anchor, index, part, layer, tokens, report: { exact, fidelity } };
    const heading = renderToStaticMarkup(<PartHeading entry={entry} place={2} of={3} />);
    expect(words(heading)).toBe("Sandra (2.3) part 2 of 3, layer 3, 12 tokens, F1 0.84");
  });
});

describe("a change by hand", () => {
  const row = { ...factRow({ layer: layerIndex(2), steps: 1 }), value: "Sandra left." };

  it("is refused while it is blank or does not fit, and only for the words that were counted", () => {
    expect(draftProblem(" \n", null)).toMatch(/delete it/);
    expect(draftProblem("x", null)).toBeNull();
    const counted = { text: "too long", valueTokens: 30, room: 20 };
    expect(draftProblem("too long ", counted)).toMatch(/30 tokens do not fit.*room for 20/);
    expect(draftProblem("shorter", counted)).toBeNull();
    expect(draftProblem("too long", { ...counted, room: 30 })).toBeNull();
  });

  it("is what differs, and none where nothing does", () => {
    expect(changeOf(row, " Sandra left. ", row.layer)).toEqual({});
    expect(changeOf(row, "Sandra stayed.", layerIndex(3))).toEqual({ value: "Sandra stayed.", layer: 3 });
    expect(storingLayers(6)).toEqual([0, 1, 2, 3, 4]);
    expect(storingLayers(1)).toEqual([0]);
  });

  it("is told by what became of it", () => {
    const moved = { ...row, layer: layerIndex(3) };
    expect(changeText(row, moved)).toBe("Encoded with layer 2 → 3: recalled exactly after 1 step.");
    expect(changeText(row, { ...moved, steps: 0 })).toBe("Encoded with layer 2 → 3: recalled exactly.");
    expect(changeText(row, { ...moved, value: "x", exact: false })).toMatch(
      /^Encoded with new value, layer 2 → 3: not recalled exactly/,
    );
    expect(changeText(row, row)).toMatch(/^Encoded again/);
  });

  it("is taken back to what the model said before, if that is known", () => {
    const row = { ...factRow(), value: "Sandra went to the hallway." };
    const moved = { ...row, layer: layerIndex(3) };
    expect(backTo(row, { ...moved, value: "x" })).toEqual({ value: row.value, layer: row.layer });
    expect(backTo(row, moved)).toEqual({ layer: row.layer });
    expect(backTo(row, row)).toBeNull();
    // The words of a fact that is not exact are not its value: they are not stored in its place.
    const inexact = { ...factRow(), exact: false };
    const misremembered = { ...inexact, value: knownValue(inexact, "Sandra wept to the hallway.") };
    expect(backTo(misremembered, { ...row, value: "Sandra left." })).toBeNull();
    expect(knownValue(row, row.value)).toBe(row.value);
    const unread = { ...row, value: null };
    expect(backTo(unread, { ...row, value: "Sandra left." })).toBeNull();
    expect(backTo(unread, { ...moved, value: null })).toEqual({ layer: row.layer });
    expect(changeText(unread, { ...row, value: "Sandra left." })).toMatch(/^Encoded with new value:/);
  });
});
