import { describe, expect, it } from "vitest";
import { groupBy } from "../../lib/group.ts";
import { seeded } from "../../lib/rng.ts";
import { options, texts } from "../testing/benchmarkOptions.ts";
import { background, injected } from "./backgrounds.ts";
import { estimatedGpt2 } from "./benchmark.ts";
import { BENCHMARKS } from "./registry.ts";

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
