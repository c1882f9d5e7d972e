import { describe, expect, it } from "vitest";
import type { AskedQuestion } from "../records/notebook.ts";
import { askedCsv, MOST_QUESTIONS, readQuestionSet, withNames } from "./questionSet.ts";

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

  it("is read from quoted lines, and a quote inside a line stays", () => {
    expect(read('"Where is Mary?"\n"Name the ""mayor"""')).toEqual([
      { ask: "Where is Mary?", answers: null },
      { ask: 'Name the "mayor"', answers: null },
    ]);
    expect(read('"Beacon" is where? garden')).toEqual([{ ask: '"Beacon" is where?', answers: ["garden"] }]);
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
      ['"Where', /quoted cell does not end/],
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

const GARDEN = [{ ask: "Where is Mary?", answers: ["garden"] }];

describe("tables as people save them", () => {
  it.each([
    "id,question,answer\n1,Where is Mary?,garden",
    "sep=;\nquestion;answer\nWhere is Mary?;garden",
    "Question text,Correct answer\nWhere is Mary?,garden",
    "answer,question\ngarden,Where is Mary?",
    "question,answer\rWhere is Mary?,garden\r",
    '"Where is Mary?" , "garden"',
    '"Where is Mary?" ,"garden"\n',
    "\ufeffFrage;Antwort\r\nWhere is Mary?;garden\r\n",
    "Réponse\tQuestion\ngarden\tWhere is Mary?",
    "No.;Pregunta;Respuesta\n1;Where is Mary?;garden",
    "質問,答え\nWhere is Mary?,garden",
    "prompt,model,gold\nWhere is Mary?,x,garden",
    "garden,Where is Mary?",
    "Where is Mary?;garden",
    "1,Where is Mary?,garden\n2,,",
    '{"question": "Where is Mary?", "answer": "garden"}\n',
    '{"id": 1, "q": "Where is Mary?", "a": ["garden"]}',
    '[{"query": "Where is Mary?", "answers": {"text": ["garden"]}}]',
    "question|x,answer\nWhere is Mary?,garden",
    '{"questions": [{"question": "Where is Mary?", "answer": "garden"}]}',
    '{\n  "version": "1",\n  "data": [\n    {"q": "Where is Mary?", "a": "garden"}\n  ]\n}',
    '{"question": "Where is Mary?", "answers": [{"text": "garden"}]}',
    "Where is Mary?;garden;\n;;\n",
  ])("%j", (text) => {
    expect(read(text)).toEqual(GARDEN);
  });

  it.each([
    ["Where is Mary？ garden", "Where is Mary？", "garden"],
    ["玛丽在哪里？ 花园", "玛丽在哪里？", "花园"],
    ["Where is Mary?: garden", "Where is Mary?", "garden"],
  ])("lines: %s", (text, ask, answer) => {
    expect(read(text)).toEqual([{ ask, answers: [answer] }]);
  });

  it("takes a number for an answer unless the numbers count the rows", () => {
    for (const text of [
      "Who built it?\tAnn\nWhen?\t1902",
      "Ann,Who built it?\n1902,When?",
      "Q1,Who built it?,Ann\nQ2,When?,1902",
      "17;Who built it?;Ann\n18;When?;1902",
    ])
      expect(read(text), text).toEqual([
        { ask: "Who built it?", answers: ["Ann"] },
        { ask: "When?", answers: ["1902"] },
      ]);
    expect(read("When did it open?,1902\nWhen did it close?,1903").map(({ answers }) => answers)).toEqual([
      ["1902"],
      ["1903"],
    ]);
  });

  it("refuses a row with more cells than names, and takes empty ones", () => {
    const { questions, problem } = readQuestionSet("question,answer\nHow much, in all?,12\nWhen?,1902");
    expect(questions).toEqual([]);
    expect(problem).toMatch(/"How much, {2}in all\?, 12" has 3 cells, the line of names 2/);
    expect(read("question,answer\nWhere is Mary?,garden,,")).toEqual(GARDEN);
  });

  it("asks which column is meant, and reads the table by the answer", () => {
    for (const text of ["Item,Wert\nLicht,an\nTür,zu", "a?,b?,c,d\ne?,f?,g,h"]) {
      const set = readQuestionSet(text);
      expect(set.questions).toEqual([]);
      expect(set.problem).toMatch(/Which column/);
      expect(set.columns!.length).toBeGreaterThan(1);
      const named = readQuestionSet(withNames(text, set, 0, 1));
      expect(named.problem).toBeNull();
      expect(named.questions).toHaveLength(text.split("\n").length);
    }
  });

  it("names the columns that it does not use, and a line that is not JSON", () => {
    expect(readQuestionSet("id,question,answer,level\n1,Where is Mary?,garden,3").note).toMatch(
      /not used: level/,
    );
    expect(readQuestionSet('{"question": "a?"}\n{"question": ').problem).toMatch(/Line 2 is not valid JSON/);
  });

  it("leaves questions with commas whole", () => {
    const lines = "In 1990, who won? Ann\nAt noon, who left? Bo";
    expect(read(lines).map(({ ask }) => ask)).toEqual(["In 1990, who won?", "At noon, who left?"]);
    expect(read("Who, then, came?\nWhere, then, is he?")).toHaveLength(2);
  });
});

describe("lists as people write them", () => {
  const TWO = [...GARDEN, { ask: "Who has the lantern?", answers: ["Sandra", "John"] }];

  it.each([
    "| Question | Answer |\n|---|:-:|\n| Where is Mary? | garden |\n| Who has the lantern? | Sandra \\| John |",
    "# Quiz\n\nNo | Frage | Antwort\n--|--|--\n1 | Where is Mary? | garden\n2 | Who has the lantern? | Sandra \\| John\n",
    "Q: Where is Mary?\nA: garden\n\nQ: Who has the lantern?\nA: Sandra | John",
    "Question 1: Where is Mary?\nAnswer 1: garden\nQuestion 2: Who has\nthe lantern?\nAnswer 2: Sandra | John",
    "**Q1.** Where is Mary?\n**A1.** garden\n**Q2.** Who has the lantern?\n**A2.** Sandra | John",
    "Q. Where is Mary?\nA. garden\nQ. Who has the lantern?\nA. Sandra | John",
    "a) Where is Mary? (garden)\nb) Who has the lantern? (Sandra | John)",
    "Where is Mary?\nAnswer: garden\nWho has the lantern?\n-> Sandra | John",
    "Where is Mary? - garden\nWho has the lantern? – Sandra | John",
    "- Q: Where is Mary? A: garden\n- Q: Who has the lantern? A: Sandra | John",
    "問：Where is Mary?\n答：garden\n問：Who has the lantern?\n答：Sandra | John",
    "Where is Mary?\ngarden\n\nWho has the lantern?\nSandra | John",
    "1. Where is Mary?\n   garden\n2. Who has the lantern?\n   Sandra | John",
    "1. Where is Mary? garden\n2. Who has the lantern? Sandra | John",
    "# My questions\nquestion,answer\nWhere is Mary?,garden\nWho has the lantern?,Sandra | John",
    "## Part one\nWhere is Mary? garden\n## Part two\nWho has the lantern? Sandra | John",
  ])("%j", (text) => {
    expect(readQuestionSet(text)).toMatchObject({ questions: TWO, problem: null });
  });

  it("of which some lines are no questions are not asked", () => {
    for (const text of [
      "My quiz\nWhere is Mary? garden\nWho left?",
      "Where is Mary?\nmy house\nin town\nWho left?",
    ]) {
      const { questions, problem } = readQuestionSet(text);
      expect(questions).toEqual([]);
      expect(problem).toMatch(/^The line "my (quiz|house)" has no question mark/i);
    }
    expect(readQuestionSet("Q: Where?\nA: here").questions).toHaveLength(1);
    expect(readQuestionSet("My quiz\nQ: Where?\nA: here").problem).toMatch(/"My quiz" is before/);
    const apart = "Questions:\n1. Where?\n2. Who?\n\nAnswers:\n1. here\n2. Ann";
    expect(readQuestionSet(apart).problem).toMatch(/"Who\?" follows a question and has no label/);
    expect(read("Name the mayor\nName the miller")).toHaveLength(2);
  });

  it("says that it takes lines in turns, and reads a table of Markdown by the chosen columns", () => {
    expect(readQuestionSet("Where is Mary?\ngarden").note).toMatch(/line below each question/);
    const table = "| Licht | Wert |\n|---|---|\n| oben | an |";
    const set = readQuestionSet(table);
    expect(set.problem).toMatch(/Which column/);
    expect(readQuestionSet(withNames(table, set, 0, 1)).questions).toHaveLength(2);
  });
});
