import { describe, expect, it } from "vitest";
import { readQuestionSet } from "./questionSet.ts";
import { withNames } from "./questionTables.ts";

const read = (text: string) => readQuestionSet(text).questions;

describe("lists as people write them", () => {
  const TWO = [
    { ask: "Where is Mary?", answers: ["garden"] },
    { ask: "Who has the lantern?", answers: ["Sandra", "John"] },
  ];

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
      expect(problem).toMatch(/^The line "(My quiz|in town)" is not clear/);
    }
    expect(readQuestionSet("Q: Where?\nA: here").questions).toHaveLength(1);
    expect(readQuestionSet("My quiz\nQ: Where?\nA: here").problem).toMatch(/"My quiz" is not clear/);
    const apart = "Questions:\n1. Where?\n2. Who?\n\nAnswers:\n1. here\n2. Ann";
    expect(readQuestionSet(apart).problem).toMatch(/"Who\?" is not clear/);
    expect(read("Name the mayor\nName the miller")).toHaveLength(2);
  });

  it("says that it takes lines in turns, and reads a table of Markdown by the chosen columns", () => {
    expect(readQuestionSet("Where is Mary?\ngarden").note).toMatch(/line below each question/);
    const table = "| Licht | Wert |\n|---|---|\n| oben | an |";
    const set = readQuestionSet(table);
    expect(set.problem).toMatch(/Which column/);
    expect(readQuestionSet(withNames(set, 0, 1)).questions).toHaveLength(2);
  });
});

const pairs = (text: string) =>
  readQuestionSet(text).questions.map(({ ask, answers }) => `${ask} ${answers?.join("|") ?? "?"}`);

describe("labels", () => {
  const GARDEN = ["Where is Mary? garden", "Who came? Ann"];
  const turns = (question: string, answer: string, between = "\n"): string =>
    `${question}Where is Mary?${between}${answer}garden\n${question}Who came?${between}${answer}Ann`;

  it.each([...["Expected answer: ", "Correct answer: ", "Ans: ", "Ans. ", "Answer – ", "R: "]])(
    "of answers alone: %j",
    (answer) => {
      expect(pairs(turns("", answer))).toEqual(GARDEN);
      expect(pairs(turns("Q: ", answer))).toEqual(GARDEN);
    },
  );

  it.each([
    ...[
      ["P : ", "R : "],
      ["Q : ", "R : "],
      ["D: ", "R: "],
      ["F: ", "A: "],
      ["В: ", "О: "],
      ["س: ", "ج: "],
    ],
    ...[
      ["V: ", "A: "],
      ["P: ", "O: "],
      ["P. ", "R. "],
      ["Q.", "A."],
      ["Q - ", "A - "],
      ["[Q] ", "[A] "],
      ["Question #1 (2 points): ", "Respuesta correcta: "],
      ["F) ", "A) "],
      ["السؤال: ", "الجواب: "],
      ["ש: ", "ת: "],
    ],
    ...[
      ["User: ", "Assistant: "],
      ["Question 1\n", "Answer\n"],
      ["Question - ", "Answer - "],
    ],
  ])("in turns: %j %j", (question, answer) => {
    expect(pairs(turns(question!, answer!))).toEqual(GARDEN);
    if (/^\p{L} ?:/u.test(answer!)) expect(pairs(turns(question!, answer!, " "))).toEqual(GARDEN);
  });

  it("with numbers, and with an answer behind the question", () => {
    expect(pairs("F1: Wo ist Mary?\nA1: Garten\nF2: Wer kam?\nA2: Anna")).toHaveLength(2);
    expect(pairs("Q1) Where is Mary? garden\nQ2) Who came? Ann")).toEqual(GARDEN);
    expect(pairs("Question: Where is Mary? | Answer: garden")).toEqual(GARDEN.slice(0, 1));
    expect(pairs("Q. Where is Mary? A. garden")).toEqual(GARDEN.slice(0, 1));
  });

  it("are not initials or addresses", () => {
    for (const text of [
      "Who wrote it?\nR. Smith",
      "Who wrote it?\nJ. Smith\nWho read it?\nK. Jones",
      "Who wrote it?\nhttps://a.org\nAnd where?\nhttps://b.org",
    ])
      expect(pairs(text)[0]).toBe(`Who wrote it? ${text.split("\n")[1]}`);
    expect(pairs("Name the mayor\nAnswer: Bo\nName the miller\nAnswer: Cy")).toHaveLength(2);
    expect(pairs("I. Newton found what? gravity")).toEqual(["I. Newton found what? gravity"]);
  });

  it.each([
    ["Q: Where?\nA: here\nA: there", /"Where\?" has two answers/],
    ["Q: Where?\nA: here\nWho came?", /"Who came\?" is not clear/],
    ["Q: Where?\nA: here\nSource: p. 3", /"Source: p. 3" is not clear/],
    ["Q: Where?\nA: here\n\nIt was easy", /"It was easy" is not clear/],
    ["Q1: Where?\nQ2: Who?\nA1: here", /"Where\?" has no answer below it/],
    ["1. Where?\n2. Who?\nAnswer key: here, Ann", /"Where\?" has no answer below it/],
    ["Where?\nAssistant: here\nWho?\nAssistant: Ann", /"Assistant: here" is not clear/],
    ["Where? here\nWho came?\nName the mayor", /"Name the mayor" is not clear/],
    ["Where?\nName the mayor\nWho came?\nWhy?", /"Who came\?" has no answer below it/],
    ["Where?\n- here\n- there\nAnswer: there", /"there" is not clear/],
    ["Q: Where?\nA: here\nB: there", /"B: there" is not clear/],
    ["Capital of France: Paris\nCapital of Italy: Rome", /"Capital of France: Paris" is not clear/],
  ])("refused: %j", (text, problem) => {
    expect(readQuestionSet(text)).toMatchObject({
      questions: [],
      problem: expect.stringMatching(problem) as string,
    });
  });
});

describe("lines of Markdown", () => {
  it.each([
    "**Where is Mary?** garden\n**Who came?** Ann and Bo",
    "**Where is Mary?**\ngarden\n\n**Who came?**\nAnn\nand Bo",
    "# Quiz\n\n## Where is Mary?\n\ngarden\n\n## Who came?\n\nAnn and Bo",
    "### 1. Where is Mary?\n**Answer:** garden\n### 2. Who came?\n**Answer:** Ann and Bo",
    "1. **Where is Mary?**\n   garden\n2. **Who came?**\n   Ann and Bo",
    "- Where is Mary?\n    > garden\n- Who came?\n    > Ann and Bo",
    "- [ ] Where is Mary? garden\n- [x] Who came? Ann and Bo",
    "▶ Where is Mary? *\n    garden\n▶ Who came? (1 point)\n    Ann and Bo",
  ])("%j", (text) => {
    expect(pairs(text)).toEqual(["Where is Mary? garden", "Who came? Ann and Bo"]);
  });

  it("leaves stars of sums, and refuses a list of answers and a stray paragraph", () => {
    expect(pairs("What is 2*3*4? 24")).toEqual(["What is 2*3*4? 24"]);
    expect(readQuestionSet("## Where?\n- here\n- there").problem).toMatch(/"there" is not clear/);
    expect(readQuestionSet("## Where?\nhere\n\nMore\n## Who?\nAnn").problem).toMatch(/"More" is not clear/);
  });
});

describe("a line", () => {
  it.each([
    ["What did he mean by “Who goes there?” in part one?", "Mary"],
    ['What did he mean by "Who goes there?" in part one?', "Mary"],
    ["Who came? And when?", "Ann, at noon"],
    ["¿Quién vino? ¿Y cuándo?", "Ana"],
    ["What did she ask?", "“Where is Tom?”"],
    ["Where is Mary (the cat?) now?", "garden"],
    ["Where is Mary?!", "garden (or park?)"],
    ["Πού είναι η Μαρία;", "στον κήπο"],
  ])("ends its question at the right mark: %s", (ask, answer) => {
    expect(read(`${ask} ${answer}`)).toEqual([{ ask, answers: [answer] }]);
    if (!answer.includes(",")) expect(read(`${ask}, ${answer}`)).toEqual([{ ask, answers: [answer] }]);
  });

  it.each(["Who came? When? Ann", "What did she ask? Where is Tom?", "Who came? Ann. When? Noon"])(
    "of several questions is refused: %s",
    (line) => {
      expect(readQuestionSet(line).problem).toMatch(/holds several questions/);
    },
  );

  it.each(["+ ", "▪ ", "◦ ", "‣ ", "II. ", "iv) ", "1: ", "Q1) ", "(3) ", "– ", "· "])(
    "loses its list mark %j, and what is between question and answer",
    (mark) => {
      for (const between of [" ", " = ", " / ", " .... ", " :: ", "\n"])
        expect(pairs(`${mark}Where is Mary?${between}garden`)).toEqual(["Where is Mary? garden"]);
    },
  );

  it("with a blank to fill, or the last one in turns, has no answer", () => {
    expect(pairs("Where is Mary?\ngarden\nWho came?")).toEqual(["Where is Mary? garden", "Who came? ?"]);
    expect(read("Where is Mary? ____")).toEqual([{ ask: "Where is Mary?", answers: null }]);
  });
});

describe("multiple choice", () => {
  const options = "a) garden\nb) park\nc) hall";

  it.each([
    `Where is Mary?\n${options}\nAnswer: b`,
    `1. Where is Mary?\n\n${options.toUpperCase()}\n\nCORRECT ANSWER: (B)`,
    `Q: Where is Mary?\n${options}\nA: park`,
    "Where is Mary?\nA. garden\nB. park\nANSWER: B. park",
  ])("is decided by a line: %j", (text) => {
    expect(pairs(text.replace("PARK", "park"))).toEqual(["Where is Mary? park"]);
  });

  it.each([
    `Where is Mary?\n${options}`,
    `Where is Mary?\n${options}\nAnswer: d`,
    `Where is Mary?\n${options}\nWho came? Ann`,
    "Where is Mary? a) garden b) park",
    "Where is Mary?\na) garden b) park",
    "Where is Mary? A. garden B. park\nAnswer: B",
    "Where is Mary? {=garden ~park}",
  ])("is refused otherwise: %j", (text) => {
    expect(readQuestionSet(text).problem).toMatch(/^The question ".*Where is Mary\?.*" has .*options/);
  });

  it("is among other questions", () => {
    expect(pairs(`Where is Mary?\n${options}\nAnswer: b\n\nWho came? Ann`)).toEqual([
      "Where is Mary? park",
      "Who came? Ann",
    ]);
  });

  it("is not a lettered list, nor one answer with a letter", () => {
    expect(pairs("a) Where is Mary? garden\nb) Who came? Ann")).toHaveLength(2);
    expect(pairs("Where is Mary?\na) garden\nWho came?\na) Ann")).toEqual([
      "Where is Mary? garden",
      "Who came? Ann",
    ]);
  });
});
