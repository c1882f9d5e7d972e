import { describe, expect, it } from "vitest";
import type { AskedQuestion } from "../records/notebook.ts";
import { askedCsv, MOST_QUESTIONS, readQuestionSet } from "./questionSet.ts";

const read = (text: string) => readQuestionSet(text).questions;
const WANTED = [
  { ask: "Where is Mary?", answers: ["hallway"] },
  { ask: "Who, then, has the lantern?", answers: ["Sandra", "John"] },
  { ask: "Who is the mayor?", answers: [] },
  { ask: "And why?", answers: null },
];

describe("a question set", () => {
  it("is read from lines, with the answer behind the question mark", () => {
    const lines =
      "Where is Mary? hallway\n\nWho, then, has the lantern? -> Sandra | John\nWho is the mayor? –\r\nAnd why?\n";
    expect(read(lines)).toEqual(WANTED);
  });

  it("is read from tables of every usual kind", () => {
    const quoted = '"Who, then, has the lantern?"';
    const table = (mark: string, head = ""): string =>
      head +
      [
        ["Where is Mary?", "hallway"],
        [quoted, "Sandra | John"],
        ["Who is the mayor?", "-"],
        ["And why?", ""],
      ]
        .map((cells) => cells.join(mark))
        .join("\r\n");
    for (const mark of [",", ";", "\t"]) {
      expect(read(table(mark)), mark).toEqual(WANTED);
      expect(read(table(mark, `Question${mark}Answer\n`)), `${mark} with names`).toEqual(WANTED);
    }
  });

  it("takes columns by their names, and the words of the sentences that are needed", () => {
    expect(read("question,sentence,expected answer\nWhere is Mary?,went back | moved,hallway")).toEqual([
      { ask: "Where is Mary?", answers: ["hallway"], needs: ["went back", "moved"] },
    ]);
    const asThePageSays = "question,answer,words of the sentence that is needed";
    expect(read(`${asThePageSays}\nWhere is Mary?,hallway,went back`)[0]).toHaveProperty("needs", [
      "went back",
    ]);
    expect(read("Where is Mary?\thallway\twent back")[0]).toHaveProperty("needs", ["went back"]);
  });

  it("says what it cannot read, and asks nothing of it", () => {
    for (const [text, problem] of [
      ['question,answer\n"Where is', /quoted cell does not end/],
      ["W\0h\0y\0?\0", /not UTF-8 text/],
      ["Why? so\n".repeat(MOST_QUESTIONS + 1), /501 questions are more than the 500/],
    ] as const) {
      const set = readQuestionSet(text);
      expect(set.problem).toMatch(problem);
      expect(set.questions).toEqual([]);
    }
    expect(readQuestionSet("  \n")).toEqual({ questions: [], problem: null });
  });

  it("that was asked is read again from its own CSV, and holds no formula", () => {
    const asked: AskedQuestion[] = WANTED.map((question) => ({
      ...question,
      said: ["=1+1", 'She said "no", twice'],
      cited: ["Mary (2)"],
      judged: null,
      milliseconds: 12,
    }));
    const csv = askedCsv(asked);
    expect(read(csv)).toEqual(WANTED);
    expect(csv).toContain(`"'=1+1 | She said ""no"", twice",Mary (2),,`);
  });
});
