import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { AskCell, Cell, Notebook, StoreCell } from "../records/notebook.ts";
import { deletedKeys, findings } from "../ui/cells/memory/CertificateView.tsx";
import { newCell } from "./kinds.ts";
import { holdsWords, withoutWords } from "./edits.ts";
import { type ExampleFile, readNotebookFile, writeNotebookFile } from "./file.ts";

const { notebook, said, facts } = JSON.parse(
  readFileSync("public/samples/example.json", "utf8"),
) as ExampleFile;
const SENTENCES = Object.values(said);

/** The worked example with a deletion, a change and a question set. */
function full(): Notebook {
  const { stamp } = notebook.cells.find((cell) => cell.kind === "ask")!.output!;
  const [fact] = facts;
  const [first, second] = SENTENCES as [string, string];
  // Without its vectors the model says other words, here as many. The second fact it knows without the memory.
  const other = first.split(" ").reverse().join(" ");
  const certificate = {
    keys: ["cousin (1)", "cousin (2)", "cousin (3)"],
    before: [first, second, first].map((text, i) => ({ key: `cousin (${i + 1})`, text })),
    after: [other, second, ""].map((text, i) => ({ key: `cousin (${i + 1})`, text, gateOpen: false })),
    ...{ compared: 3, retained: 3, changed: 0 },
  };
  const change = {
    ...{ id: fact!.id, key: "cousin (1)", stamp },
    before: { value: first, layer: fact!.layer },
    after: { value: second, layer: fact!.layer, exact: true, fidelity: 1, steps: 2 },
  };
  const output: StoreCell["output"] = {
    ...{ certificates: [{ certificate, stamp }], reencodings: [change], stamp },
  };
  const asked = { ask: "Who?", answers: null, said: [second], cited: [], judged: null, milliseconds: 1 };
  const run = { questions: [asked], settings: null, facts: 1, stamp };
  const questions = { ...newCell("questions", "q"), output: { runs: [run], stamp } } as Cell;
  const cells = notebook.cells.map((cell): Cell => (cell.kind === "store" ? { ...cell, output } : cell));
  return { ...notebook, cells: [...cells, questions] };
}

type AskedAnswer = NonNullable<AskCell["output"]>["history"][number];

/** Five words in a row of a sentence that `text` holds. */
const fives = (text: string): string[] =>
  SENTENCES.flatMap((sentence) => {
    const words = sentence.split(" ");
    const found = words.slice(4).map((_, i) => words.slice(i, i + 5).join(" "));
    return found.filter((five) => text.includes(five));
  });

const certificatesOf = ({ cells }: Notebook) =>
  cells.flatMap((cell) => (cell.kind === "store" ? (cell.output?.certificates ?? []) : []));

const outputs = ({ cells }: Notebook): string => JSON.stringify(cells.map(({ output }) => output));

test("outputs hold words, and none once they are cleared; keys and numbers stay", () => {
  const before = full();
  expect(fives(outputs(before)).length).toBeGreaterThan(10);
  const kinds = (one: Notebook) => one.cells.filter(holdsWords).map(({ kind }) => kind);
  expect(kinds(before)).toEqual(["store", "ask", "questions"]);
  const after = withoutWords(before);
  expect(fives(outputs(after))).toEqual([]);
  expect(kinds(after)).toEqual([]);
  expect(after.cells.map(({ input }) => input)).toEqual(before.cells.map(({ input }) => input));
  const answersOf = (one: Notebook) =>
    one.cells.flatMap((cell) =>
      cell.kind === "ask" ? cell.output!.history.map(({ answer }) => answer) : [],
    );
  for (const [i, answer] of answersOf(after).entries()) {
    const was = answersOf(before)[i]!;
    expect(answer.cited).toEqual(was.cited);
    expect(answer.route).toEqual(was.route);
    expect(answer.recalled.map(({ key, read }) => [key, read])).toEqual(
      was.recalled.map(({ key, read }) => [key, read]),
    );
  }
  expect(outputs(after)).toMatch(/\[\d+ words, cleared\]/);
  expect(readNotebookFile(writeNotebookFile(after))).toEqual(after);
  expect(withoutWords(after)).toEqual(after);
});

test("certificates keep their findings, and answers the keys that the window had no room for", () => {
  const plain = full();
  const cells = plain.cells.map((cell): Cell => {
    if (cell.kind !== "ask") return cell;
    const [{ answer, ...one }] = cell.output!.history as [AskedAnswer];
    const asked = answer.asked.map((part) => ({ ...part, leftOut: ["cousin (4)"] }));
    return { ...cell, output: { ...cell.output!, history: [{ ...one, answer: { ...answer, asked } }] } };
  });
  const before = { ...plain, cells };
  const after = withoutWords(before);
  const verdicts = (one: Notebook) =>
    certificatesOf(one).map((made) => [findings(made), deletedKeys(made).map(({ stillSaid }) => stillSaid)]);
  expect(verdicts(before)[0]![1]).toEqual([false, true, false]);
  expect(verdicts(after)).toEqual(verdicts(before));
  const left = (one: Notebook) =>
    one.cells.flatMap((cell) =>
      cell.kind === "ask" ? cell.output!.history[0]!.answer.asked[0]!.leftOut : [],
    );
  expect(left(after)).toEqual(["cousin (4)"]);
});
