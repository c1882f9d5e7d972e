import { describe, expect, it } from "vitest";
import { altered, withoutEvidence } from "../run.ts";
import { type BenchmarkOptions, estimatedGpt2, tokensOf } from "./benchmark.ts";
import { options } from "../testing/benchmarkOptions.ts";
import { BENCHMARKS } from "./registry.ts";
import { recordsOf } from "./userRecords.ts";

describe("lengths", () => {
  it("are read by name, in thousands of either kind", () => {
    expect(["0k", "16k", "1M", "500"].map((name) => tokensOf(name, 1000))).toEqual([
      0, 16_000, 1_000_000, 500,
    ]);
    expect(tokensOf("4k", 1024)).toBe(4096);
    expect(() => tokensOf("4kb", 1000)).toThrow('invalid length "4kb"');
  });
});

describe("RULER QA", () => {
  it("has the paragraph with the answer among as many others as fit", async () => {
    const { cases, primary } = await BENCHMARKS.ruler.open(options({ lengths: ["4k"], samples: 2 }));
    expect(primary).toBe("ruler-part");
    for (const { make } of cases) {
      const { text, gold, evidence, question } = make();
      expect(question).toMatch(/\?$/);
      expect(gold.some((one) => text.includes(one))).toBe(true);
      expect(evidence.every((sentence) => text.includes(sentence))).toBe(true);
      expect(estimatedGpt2.count(text)).toBeLessThan(4096);
      expect(estimatedGpt2.count(text)).toBeGreaterThan(3000);
      const documents = Array.from(text.matchAll(/^Document (\d+):$/gm), ([, n]) => Number(n));
      expect(documents).toEqual(documents.map((_, i) => i + 1));
    }
  });

  it("has its documents among novels if samples share backgrounds", async () => {
    const shared = options({ lengths: ["32k"], samples: 3, backgrounds: 2 });
    const made = (await BENCHMARKS.ruler.open(shared)).cases.map(({ make }) => make());
    expect(made.map(({ cluster }) => cluster)).toEqual([0, 1, 0].map((number) => `32k background ${number}`));
    expect(made[2]!.grown!.background).toEqual(made[0]!.grown!.background);
    const novels = await BENCHMARKS.babilong.open(
      options({ tasks: ["qa1"], lengths: ["32k"], samples: 1, backgrounds: 2 }),
    );
    expect(novels.cases[0]!.make().grown!.background).toEqual(made[0]!.grown!.background);
    for (const { text, evidence, grown } of made) {
      const documents = grown!.own.split(/\n\n(?=Document \d)/);
      expect(documents.length).toBeGreaterThan(20);
      for (const part of [...documents, ...evidence]) expect(text).toContain(part);
      expect(text.replace(/\s/g, "").length).toBe(
        [...documents, ...grown!.background].join("").replace(/\s/g, "").length,
      );
    }
  });
});

describe("needles", () => {
  it("of the probe are named by a question of the kind that was asked for", async () => {
    const { cases } = await BENCHMARKS.probe.open(options({ tasks: ["onehop"], lengths: ["1k"] }));
    expect(cases).toHaveLength(3);
    for (const { make } of cases) {
      const { text, gold, evidence } = make();
      expect(evidence[0]).toContain(gold[0]);
      expect(text).toContain(evidence[0]);
    }
  });

  it("of an official file are filled with what its tests say", async () => {
    const text = JSON.stringify([
      {
        id: "0401",
        needle: " {CHAR} lives in {1}.\n",
        questions: { onehop: "Who has been to {2}?" },
        tests: { T1: { input_args: ["Dresden", "Saxony"] } },
        character_set: ["Yuki"],
      },
    ]);
    const { cases } = await BENCHMARKS.probe.open(
      options({ lengths: ["1k"], files: [{ name: "needles.json", text }] }),
    );
    expect(cases[0]!.make()).toMatchObject({
      question: "Who has been to Saxony?",
      evidence: ["Yuki lives in Dresden."],
      gold: ["Yuki"],
    });
  });

  it("stand where their depth says, in another wording each", async () => {
    const { cases } = await BENCHMARKS.depth.open(options({ lengths: ["2k"], samples: 1 }));
    expect(cases.map(({ place }) => place.depth)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    const made = cases.map(({ place, make }) => ({ depth: place.depth!, ...make() }));
    for (const { depth, text, evidence } of made)
      expect(text.indexOf(evidence[0]!) / text.length).toBeCloseTo(depth, 0.8);
    expect(new Set(made.map(({ evidence }) => evidence[0])).size).toBe(3);
    expect(new Set(made.map(({ question }) => question)).size).toBe(1);
  });
});

describe("FairytaleQA", () => {
  it("asks as many questions of every validation story, each with its sentences that hold an answer", async () => {
    const { cases, primary } = await BENCHMARKS.fairytaleqa.open(
      options({ tasks: ["explicit", "implicit"], samples: 46 }),
    );
    expect(primary).toBe("rouge-l");
    expect(cases.map(({ place: { task, index } }) => `${task} ${index}`).slice(45, 47)).toEqual([
      "explicit 45",
      "implicit 0",
    ]);
    const made = cases.slice(0, 46).map((one) => one.make());
    expect(new Set(made.map(({ cluster }) => cluster)).size).toBe(23);
    expect(made.filter(({ evidence }) => evidence.length > 0).length).toBeGreaterThan(23);
    for (const { text, evidence, oneSuffices } of made) {
      for (const sentence of evidence) expect(text).toContain(sentence);
      expect(oneSuffices).toBe(true);
    }
    const [first] = made;
    expect(first!.evidence.some((sentence) => sentence.includes(first!.gold[0]!))).toBe(true);
  });
});

describe("settings", () => {
  it("tell apart whatever else decides a text: books, shared backgrounds, files of one's own", async () => {
    const { data } = options();
    const books = (count: number) => ({
      ...data,
      list: async (folder: string) => (await data.list(folder)).slice(0, count),
    });
    for (const name of ["babilong", "probe", "depth"] as const) {
      const settings = async (over: Partial<BenchmarkOptions>) =>
        (await BENCHMARKS[name].open(options({ data: books(2), samples: 1, ...over }))).settings;
      const [all, fewer, shared] = [
        await settings({}),
        await settings({ data: books(1) }),
        await settings({ backgrounds: 1 }),
      ];
      expect(fewer, name).not.toEqual(all);
      expect(shared, name).not.toEqual(all);
    }
    const text = { name: "t.txt", text: "Mary is in the garden. John is in the attic." };
    const table = async (name: string, person: string) =>
      (
        await BENCHMARKS.table.open(
          options({ files: [{ name, text: `question,gold\nWhere is ${person}?,garden\n` }, text] }),
        )
      ).settings;
    expect(await table("b.csv", "John")).not.toEqual(await table("a.csv", "Mary"));
  });
});

describe("a person's own cases", () => {
  const open = (name: string, ...records: object[]) =>
    BENCHMARKS.files.open(
      options({ files: [{ name, text: records.map((one) => JSON.stringify(one)).join("\n") }] }),
    );

  it("are read in the form that their benchmark publishes", async () => {
    const babilong = await open("qa2_16k.jsonl", {
      input: "Mary left.",
      question: "Where is the milk? ",
      target: "garden",
    });
    expect(babilong.primary).toBe("babilong-strict");
    expect(babilong.cases[0]!.place).toMatchObject({ task: "qa2", length: "16k" });
    const long = await open("hotpotqa.jsonl", {
      input: "Who?",
      context: "A text.",
      answers: ["Ann", "Anna"],
      dataset: "hotpotqa",
    });
    expect(long.primary).toBe("longbench-f1");
    expect(long.cases[0]!.make()).toMatchObject({ question: "Who?", text: "A text.", gold: ["Ann", "Anna"] });
    const infinite = await open("en_qa.jsonl", {
      id: 1,
      context: "A text.",
      input: "Who?",
      answer: ["Ann"],
      options: [],
    });
    expect(infinite.primary).toBe("ruler-part");
    const input =
      "Answer the question based on the given documents.\n\nThe following are given documents.\n\nDocument 1:\nAnn came.\n\nAnswer the question based on the given documents. Only.\n\nQuestion: Who came?";
    const ruler = await open("validation.jsonl", { index: 0, input, outputs: ["Ann"], length: 4000 });
    expect(ruler.cases[0]!.make()).toMatchObject({
      text: "Document 1:\nAnn came.",
      question: "Who came?",
      gold: ["Ann"],
    });
  });

  it("of a task whose answers are not known are refused: they would all be scored 0", async () => {
    const record = { input: "Mary left.", question: "Where is the milk?", target: "garden" };
    for (const name of ["qa10_4k.jsonl", "stories.jsonl"])
      await expect(async () => open(name, record)).rejects.toThrow(/scored by the answers of qa1, .*qa1_16k/);
  });

  it("of LongBench are refused where it scores otherwise than by F1", async () => {
    const record = (dataset: string) => ({ input: "Who?", context: "A text.", answers: ["Ann"], dataset });
    expect((await open("l.jsonl", record("qasper_e"))).tasks).toEqual(["qasper"]);
    for (const dataset of ["trec", "gov_report", "passage_count", "multifieldqa_zh", "triviaqa"])
      await expect(async () => open("l.jsonl", record(dataset))).rejects.toThrow(
        `is of the dataset "${dataset}", which is not scored by F1 over English words; narrativeqa, qasper`,
      );
  });

  it("are counted from 0 in every task and length, so that others' rows stand beside them", async () => {
    const file = (name: string) => ({
      name,
      text: ["Mary", "John", "Bill"]
        .map((who) =>
          JSON.stringify({ input: `${who} left.`, question: `Where is ${who}?`, target: "garden" }),
        )
        .join("\n"),
    });
    const { cases } = await BENCHMARKS.files.open(
      options({ files: ["qa1_0k.jsonl", "qa1_4k.jsonl"].map(file), samples: 2 }),
    );
    expect(cases.map(({ place: { length, index } }) => [length, index])).toEqual([
      ["0k", 0],
      ["0k", 1],
      ["4k", 0],
      ["4k", 1],
    ]);
  });

  it("are refused with what they hold and what is expected", async () => {
    await expect(async () => open("odd.jsonl", { prompt: "x" })).rejects.toThrow(
      "record 1 has the fields prompt; expected those of BABILong",
    );
    await expect(async () =>
      open(
        "qa1_two.jsonl",
        { input: "a", question: "b", target: "c" },
        { input: "a", context: "b", answers: ["c"], dataset: "qasper" },
      ),
    ).rejects.toThrow("give files of one benchmark at a time");
  });

  it("stand in a table over any text, the evidence checked", async () => {
    const text = { name: "notes.txt", text: "The boiler is old. Hartmann, a smith, mends it." };
    const csv =
      'question,gold,evidence\r\n"Who mends it, by name?",Hartmann|Mr Hartmann,"Hartmann, a smith, mends it."\r\n';
    const { cases } = await BENCHMARKS.table.open(options({ files: [{ name: "q.csv", text: csv }, text] }));
    expect(cases[0]!.make()).toMatchObject({
      question: "Who mends it, by name?",
      gold: ["Hartmann", "Mr Hartmann"],
      evidence: ["Hartmann, a smith, mends it."],
    });
    const wrong = csv.replace("a smith", "a Smith");
    await expect(async () =>
      BENCHMARKS.table.open(options({ files: [{ name: "q.csv", text: wrong }, text] })),
    ).rejects.toThrow("does not stand in the text");
  });

  it("in CSV keep quotes, commas and lines inside quotes", () => {
    const text = 'a,b\n"x ""y"", z","1\n2"\n,3\n\n';
    expect(recordsOf({ name: "t.csv", text })).toEqual([
      { a: 'x "y", z', b: "1\n2" },
      { a: "", b: "3" },
    ]);
  });
});

describe("evidence", () => {
  const given = {
    text: "Mary went to the garden. It rained. Mary went to the garden.",
    question: "Where is Mary?",
    gold: ["garden"],
    evidence: ["Mary went to the garden."],
  };

  it("is taken out wherever it stands, and altered with its answer", () => {
    expect(withoutEvidence(given)).toMatchObject({ text: "It rained.", evidence: [] });
    expect(altered(given, "attic")).toEqual({
      ...given,
      text: "Mary went to the attic. It rained. Mary went to the attic.",
      gold: ["attic"],
      evidence: ["Mary went to the attic."],
    });
    expect(altered({ ...given, gold: ["gard"] }, "attic")).toBeNull();
    expect(
      altered(
        { ...given, gold: ["U.S."], evidence: ["In the U.S. it is so."], text: "In the U.S. it is so." },
        "UK",
      )?.text,
    ).toBe("In the UK it is so.");
  });
});
