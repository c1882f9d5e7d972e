import { readFileSync, readdirSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { altered, withoutEvidence } from "../run.ts";
import { background, injected } from "./babilong.ts";
import { type BenchmarkOptions, estimatedGpt2, type OpenBenchmark, tokensOf } from "./benchmark.ts";
import { BENCHMARKS } from "./registry.ts";
import { groupBy } from "../../lib/group.ts";
import { seeded } from "../../lib/rng.ts";
import { recordsOf } from "./userRecords.ts";

const options = (over: Partial<BenchmarkOptions> = {}): BenchmarkOptions => ({
  data: {
    text: (path) => {
      const bytes = readFileSync(`data/${path}`);
      return Promise.resolve((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString());
    },
    list: (folder) =>
      Promise.resolve(
        readdirSync(`data/${folder}`)
          .sort()
          .map((file) => `${folder}/${file}`),
      ),
  },
  tasks: [],
  lengths: [],
  samples: 3,
  seed: 42,
  gpt2: estimatedGpt2,
  model: estimatedGpt2,
  backgrounds: 0,
  files: [],
  ...over,
});

const texts = ({ cases }: OpenBenchmark): string[] => cases.map((one) => one.make().text);

describe("lengths", () => {
  it("are read by name, in thousands of either kind", () => {
    expect(["0k", "16k", "1M", "500"].map((name) => tokensOf(name, 1000))).toEqual([
      0, 16_000, 1_000_000, 500,
    ]);
    expect(tokensOf("4k", 1024)).toBe(4096);
    expect(() => tokensOf("4kb", 1000)).toThrow('invalid length "4kb"');
  });
});

describe("BABILong", () => {
  it("hides a story's facts in order, each as it is, in a text of the length that was asked for", async () => {
    const { cases } = await BENCHMARKS.babilong.open(
      options({ tasks: ["qa1", "qa3"], lengths: ["0k", "4k"] }),
    );
    expect(
      cases.map(({ place: { task, length, index } }) => `${length} ${task} ${index}`).slice(0, 4),
    ).toEqual(["0k qa1 0", "0k qa1 1", "0k qa1 2", "0k qa3 0"]);
    for (const { place, make } of cases) {
      const { text, evidence, gold, labels } = make();
      expect(evidence.length).toBe(place.task === "qa1" ? 1 : 3);
      for (const sentence of evidence) expect(text).toContain(sentence);
      expect(labels).toContain(gold[0]);
      if (place.length === "4k") expect(estimatedGpt2.count(text)).toBeGreaterThan(3550);
      if (place.length === "4k") expect(estimatedGpt2.count(text)).toBeLessThan(3750);
    }
  });

  it("makes the same case whichever others are made", async () => {
    const three = await BENCHMARKS.babilong.open(options({ lengths: ["2k"] }));
    const two = await BENCHMARKS.babilong.open(options({ lengths: ["1k", "2k"], samples: 2 }));
    expect(two.cases.slice(2).map((one) => one.make())).toEqual(
      three.cases.slice(0, 2).map((one) => one.make()),
    );
    expect(texts(await BENCHMARKS.babilong.open(options({ lengths: ["2k"], seed: 1 })))).not.toEqual(
      texts(three),
    );
  });

  it("leaves out stories that are too long for a length: one line in eight tokens", async () => {
    const { cases } = await BENCHMARKS.babilong.open(
      options({ tasks: ["qa3"], lengths: ["200"], samples: 500 }),
    );
    expect(cases.length).toBeGreaterThan(50);
    expect(cases.length).toBeLessThan(400);
    for (const { make } of cases) expect(make().text.split(". ").length).toBeLessThanOrEqual(24);
  });

  it("can have samples share a background, which begins with those of shorter lengths", async () => {
    const made = async (length: string) =>
      (await BENCHMARKS.babilong.open(options({ lengths: [length], backgrounds: 1 }))).cases.map((one) =>
        one.make(),
      );
    const [short, long] = [await made("2k"), await made("4k")];
    expect(
      new Set(short.map(({ cluster, grown }) => JSON.stringify([cluster, grown!.background]))).size,
    ).toBe(1);
    expect(long[0]!.grown!.background.slice(0, 2)).toEqual(short[0]!.grown!.background);
    for (const { text, grown } of [...short, ...long]) {
      const sizes = [...grown!.background, grown!.own].map((part) => part.length + 1);
      expect(text.length + 1).toBe(sizes.reduce((sum, size) => sum + size));
      for (const sentence of grown!.own.split(/(?<=\.) /)) expect(text).toContain(sentence);
    }
  });

  it("takes the questions of one story together, of which qa4's have one each", async () => {
    const cases = options({ tasks: ["qa1", "qa4"], lengths: ["0k"], samples: 500 });
    const made = (await BENCHMARKS.babilong.open(cases)).cases.map(({ place, make }) => ({
      ...place,
      ...make(),
    }));
    const clusters = (task: string) =>
      groupBy(
        made.filter((one) => one.task === task),
        ({ cluster }) => cluster,
      );
    expect([clusters("qa1").size, clusters("qa4").size]).toEqual([100, 500]);
    for (const own of clusters("qa1").values()) {
      const texts = own.map(({ text }) => text).toSorted((a, b) => a.length - b.length);
      expect(texts.every((text) => texts.at(-1)!.startsWith(text))).toBe(true);
    }
  });

  it("refuses a task that it has not", async () => {
    await expect(BENCHMARKS.babilong.open(options({ tasks: ["qa6"] }))).rejects.toThrow(
      'there is no task "qa6"',
    );
  });
});

describe("a background", () => {
  it("keeps no short sentence and cuts the last at a word", () => {
    const text = `${"Yes. This sentence has rather more than ten tokens in it, as all others of this text have. ".repeat(50)}`;
    const found = background([{ name: "b", text }], 60, estimatedGpt2, seeded(3));
    expect(found.every((sentence) => !sentence.startsWith("Yes"))).toBe(true);
    expect(found.reduce((sum, sentence) => sum + estimatedGpt2.count(` ${sentence}`), 0)).toBeLessThanOrEqual(
      60,
    );
    expect("This sentence has rather more than ten tokens in it, as all others of this text have.").toContain(
      found.at(-1),
    );
  });

  it("ends however few tokens are left", async () => {
    const tight = await BENCHMARKS.babilong.open(options({ tasks: ["qa3"], lengths: ["1k"], samples: 185 }));
    const { text, evidence } = tight.cases[184]!.make();
    for (const sentence of evidence) expect(text).toContain(sentence);
    const lengths = ["14", "15", "16", "17", "30"];
    const { cases } = await BENCHMARKS.depth.open(options({ lengths, samples: 1 }));
    expect(cases.map((one) => one.make().text.length > 40)).toEqual(cases.map(() => true));
  });

  it("refuses books that have no sentence to take", () => {
    for (const text of [
      "",
      "Yes. No. ",
      "One long sentence without an end ".repeat(3),
      "Yes. No. ".repeat(3000),
    ])
      expect(() => background([{ name: "b", text }], 60, estimatedGpt2, seeded(3))).toThrow(
        "no sentence of 10 tokens or more was found at 1000 places of b",
      );
  });

  it("takes facts into any gap, several into one, in their order", () => {
    const facts = ["A.", "B.", "C."];
    const all = new Set(Array.from({ length: 400 }, (_, seed) => injected(facts, ["x."], seeded(seed))));
    expect([...all].sort()).toEqual(["A. B. C. x.", "A. B. x. C.", "A. x. B. C.", "x. A. B. C."].sort());
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
