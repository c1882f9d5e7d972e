import { describe, expect, it } from "vitest";
import type { AskedQuestion } from "../records/notebook.ts";
import { askedCsv, MOST_QUESTIONS, readQuestionSet } from "./questionSet.ts";
import { withNames } from "./questionTables.ts";

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
    expect(read('"Where is Mary?"\n"Who, then, is ""it""?"')).toEqual([
      { ask: "Where is Mary?", answers: null },
      { ask: 'Who, then, is "it"?', answers: null },
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
      ['"Where is Mary?,garden', /quoted cell does not end/],
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
    for (const text of ["Item,Wert\nLicht,an\nTür,zu", "a?\tb?\tc\td\ne?\tf?\tg\th"]) {
      const set = readQuestionSet(text);
      expect(set.questions).toEqual([]);
      expect(set.problem).toMatch(/Which column/);
      const named = readQuestionSet(withNames(set, 0, 1));
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

const TWO = [...GARDEN, { ask: "Who came?", answers: ["Ann"] }];

describe("tables of other programs", () => {
  it.each([
    "# One\n| Question | Answer |\n|---|---|\n| Where is Mary? | garden |\n\nThe second:\n\n| Question | Answer |\n|---|---|\n| Who came? | Ann |",
    "| question | answer |\n| Where is Mary? | garden |\n| Who came? | Ann |",
    "| Where is Mary? | garden |\n| Who came? | Ann |",
    "question | answer\nWhere is Mary? | garden\nWho came? | Ann",
    "+---+---+\n| question | answer |\n+---+---+\n| Where is Mary? | garden |\n| Who came? | Ann |\n+---+---+",
    "#separator:tab\n#html:false\nWhere is Mary?\tgarden\nWho came?\tAnn\n",
    "#separator:Semicolon\n#html:true\n#deck column:1\n#tags column:4\nD;Where is Mary?;<b>garden</b>;t\nD;Who came?;Ann;",
    "Where is Mary?, garden\nWho came?, Ann",
    '"Where is Mary?", garden\nWho came?, "Ann"',
    "1.\tWhere is Mary?\tgarden\n2.\tWho came?\tAnn",
    "•\tWhere is Mary? garden\n•\tWho came? Ann",
    "1. Where is Mary?\n\tgarden\n2. Who came?\n\tAnn",
    "Question,Response\nWhere is Mary?,garden\nWho came?,Ann",
    "question,answer,expected\nWhere is Mary?,x,garden\nWho came?,y,Ann",
    "front,back\nWhere is Mary?,garden\n\nfront,back\nWho came?,Ann",
    "سؤال,الجواب\nWhere is Mary?,garden\nWho came?,Ann",
    '{"Where is Mary?": "garden", "Who came?": "Ann"}',
    '{"data": [{"paragraphs": [{"qas": [{"question": "Where is Mary?", "answers": [{"text": "garden"}]}, {"question": "Who came?", "answers": [{"text": "Ann"}]}]}]}]}',
  ])("%j", (text) => {
    expect(readQuestionSet(text)).toMatchObject({ questions: TWO, problem: null });
  });

  it.each([
    [
      "| Question | Answer |\n|---|---|\n| Where? | here |\n\nAnd who? Ann",
      /"And who\? Ann" is outside the tables/,
    ],
    ["| A | B |\n|---|---|\n| x | y |\n\n| A | B |\n|---|---|\n| x | y |", /^Table 1 of 2: Which column/],
    ["Time\tWhere?\tWho?\n1\there\tAnn", /^Which column/],
    ["Where?,Who?\nhere,Ann", /"Where\?,Who\?" holds several questions/],
    ["Where?\there\nWhen?\tnow\nAnn\tWho?", /^Which column/],
    ["Name,Answer,Tags\nWhere?,here,a\nWho?,Ann,b", /^The first row "Name, Answer, Tags" does not ask/],
    ["Term\tMeaning\nWhere?\there\nName one\tAnn\nWho?\tBo", /^The first row "Term, Meaning" does not ask/],
    [
      " question | answer \n----------+--------\n Where? | here\n(1 row)",
      /"Where\? \| here" is outside the tables/,
    ],
    ["Quiz template\n\nQuestion - 120 characters\tAnswer 1\tAnswer 2\nWhere?\there\tthere", /^Which column/],
    ['[["Where?", "here"], ["Who?", "Ann"]]', /No field of the JSON is named "question"/],
    ["Question,Option 1,Option 2\nWhere?,here,there", /"Option 1, Option 2" hold options/],
    [
      "Question,Answer 1,Answer 2,Time limit,Correct answer(s)\nWhere?,here,there,20,1",
      /"Answer 1, Answer 2" hold/,
    ],
    ["Question,A,B,Answer\nWhere?,here,there,A", /"A, B" hold options/],
    ['[{"question": "Where?", "options": ["here", "there"], "answer": 1}]', /"options" hold options/],
    [
      '[{"question": "Where?", "choices": {"text": ["here", "there"]}, "answerKey": "A"}]',
      /"choices" hold options/,
    ],
    ["<details><summary>Where?</summary>here</details>", /source of a web page/],
    ['[{"foo": "Where?", "bar": "here"}]', /No field of the JSON is named "question"/],
  ])("refused: %j", (text, problem) => {
    const set = readQuestionSet(text);
    expect(set.problem).toMatch(problem);
    expect(set.questions).toEqual([]);
  });

  it("of one column, or of strings in JSON, have no answers", () => {
    const asked = [
      { ask: "Where is Mary?", answers: null },
      { ask: "Who came?", answers: null },
    ];
    expect(read("question\nWhere is Mary?\nWho came?")).toEqual(asked);
    expect(read('["Where is Mary?", "Who came?"]')).toEqual(asked);
  });

  it("with commas between words are lines", () => {
    expect(read("Who came?, Ann, Bo and Cid")).toEqual([{ ask: "Who came?", answers: ["Ann, Bo and Cid"] }]);
    expect(read("Name, then, the mayor\nName the miller")).toHaveLength(2);
    expect(read("Where?\tthe question\nWho?\tAnn")).toHaveLength(2);
  });

  it("are read by the chosen columns, whatever stands between the cells", () => {
    const text = "sep=;\nItem;Wert, neu\nLicht;an\nTür;zu";
    const set = readQuestionSet(text);
    expect(read(withNames(set, 0, 1))[2]).toEqual({ ask: "Tür", answers: ["zu"] });
  });
});
