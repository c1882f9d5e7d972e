import { afterEach, describe, expect, it } from "vitest";
import { readNotebookFile, writeNotebookFile } from "../../notebook/file.ts";
import type { Answer } from "../../records/answer.ts";
import type { QuestionsCell } from "../../records/notebook.ts";
import { createHarness, RECORDED, type Harness } from "../testing/harness.ts";

const harnesses: Harness[] = [];
afterEach(() => {
  for (const harness of harnesses.splice(0)) harness.close();
});

/** A question set in the worked example, whose recorded answers the engine gives; the library has the recorded facts. */
async function setUp(text: string) {
  const harness = createHarness();
  harnesses.push(harness);
  // Before the library is connected.
  harness.libraryChanges.facts = async () => RECORDED.facts;
  const [fact] = RECORDED.notebook.cells.flatMap((cell) =>
    cell.kind === "ask" ? (cell.output?.history ?? []).flatMap(({ answer }) => answer.recalled) : [],
  );
  harness.engine.recall = async ({ ids }) => ids.map((id) => ({ ...fact!, id, text: RECORDED.said[id]! }));
  await harness.app.actions.start();
  const recorded = RECORDED.notebook.cells.find(({ kind }) => kind === "ask");
  const answers: readonly Answer[] =
    recorded?.kind === "ask" ? recorded.output!.history.map(({ answer }) => answer) : [];
  harness.engine.ask = async ({ question }) => {
    const known = answers.find((answer) => answer.question === question);
    if (!known) throw new Error(`no recorded answer to ${question}`);
    return known;
  };
  const { actions } = harness.app;
  const id = actions.addCell("questions")!;
  actions.setInput(id, "questions", (input) => ({ ...input, text }));
  const cell = (): QuestionsCell => {
    const { open, currentId } = harness.state();
    return open[currentId!]!.notebook.cells.find((one) => one.id === id) as QuestionsCell;
  };
  return { harness, actions, id, cell };
}

describe("a question set", () => {
  it("is asked, judged, kept with the notebook, and asked again beside the run before", async () => {
    const { harness, actions, id, cell } = await setUp(
      "Where is Mary? hallway\nWhere is Sandra? park\nWhat is the code of Project Beacon?",
    );
    expect(await actions.runCell(id)).toBe(true);
    const [run] = cell().output!.runs;
    expect(run!.facts).toBe(RECORDED.facts.length);
    expect(run!.questions.map(({ judged }) => judged && [judged.failed, judged.short])).toEqual([
      [null, "right"],
      // "park" stands in a sentence about Daniel, which is found and answers something else.
      ["answer", "wrong"],
      null,
    ]);
    expect(run!.questions[0]).toMatchObject({ said: ["hallway"], cited: ["Mary (2)"] });
    actions.setInput(id, "questions", (input) => ({ ...input, text: "Where is Mary? garden" }));
    await actions.runCell(id);
    expect(cell().output!.runs.map(({ questions }) => questions.length)).toEqual([1, 3]);
    const { open, currentId } = harness.state();
    const { notebook } = open[currentId!]!;
    expect(readNotebookFile(writeNotebookFile(notebook))).toEqual(notebook);
  });

  it("keeps what was asked where it is stopped or fails, and says what it cannot ask", async () => {
    const { harness, actions, id, cell } = await setUp("Where is Mary? hallway\nWhat was never recorded? x");
    expect(await actions.runCell(id)).toBe(false);
    expect(cell().output!.runs[0]!.questions).toHaveLength(1);
    expect(harness.state().runs[id]!.problem!.message).toMatch(/no recorded answer/);
    actions.setInput(id, "questions", (input) => ({ ...input, text: 'Where?,"garden\nWho?,Ann' }));
    expect(await actions.runCell(id)).toBe(false);
    expect(harness.state().runs[id]!.problem!.message).toMatch(/quoted cell does not end/);
  });
});
