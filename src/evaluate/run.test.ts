import { describe, expect, it } from "vitest";
import { seeded } from "../lib/rng.ts";
import { SHARP } from "../records/params.ts";
import type { EvaluationHeader, SampleRecord } from "../records/evaluation.ts";
import type { OpenBenchmark } from "./benchmarks/benchmark.ts";
import { chosenMethods } from "./methods/registry.ts";
import { runEvaluation, type EvaluationWork, type Shard } from "./run.ts";
import { headerOf, lineOf, merged, readRun, type HeaderInputs } from "./runFile.ts";
import { report } from "./report.ts";
import { scorerSources } from "./scores/scorers.ts";
import { accuracies, comparisons } from "./summary.ts";
import { methodContext, wordEngine } from "./testing/words.ts";

const NAMES = ["Mary", "John", "Sandra", "Daniel"];
const PLACES = ["garden", "office", "kitchen", "hallway"];
const METHODS = ["truncation:12", "full", "closed", "rag", "latest"];

/** A benchmark of small stories: whoever reads the last sentence about a person knows. */
const stories: OpenBenchmark = {
  tasks: ["where"],
  lengths: ["", "long"],
  primary: "babilong-strict",
  answerTokens: 8,
  turn: () => (passages, question) => `${passages.join("\n")}\n${question}`,
  settings: {},
  cases: ["", "long"].flatMap((length) =>
    NAMES.map((name, index) => ({
      place: { benchmark: "stories", task: "where", length, depth: null, index },
      make() {
        const facts = NAMES.map((who, i) => `${who} went to the ${PLACES[(i + index) % 4]}.`);
        const gold = PLACES[(2 * index) % 4]!;
        const filler = length === "" ? "" : ` ${"It rained again all day. ".repeat(30)}`;
        const evidence = [`${name} went to the ${gold}.`];
        return { text: `${facts.join(" ")}${filler}`, question: `Where is ${name}?`, gold: [gold], evidence, labels: PLACES, others: PLACES.filter((one) => one !== gold), cluster: `story ${index}` };
      },
    })),
  ),
}; // prettier-ignore

/** Reads the last line that names the person. */
const engine = wordEngine((turn) => {
  const lines = turn.split("\n");
  const name = /Where is (\w+)/.exec(lines.at(-1)!)?.[1] ?? "";
  const told = lines.slice(0, -1).findLast((line) => line.includes(name));
  return PLACES.find((place) => told?.includes(place)) ?? "nowhere";
}, 120);

const INPUTS: HeaderInputs = {
  benchmark: "stories",
  tasks: stories.tasks,
  lengths: stories.lengths,
  samples: 4,
  settings: {},
  methods: METHODS,
  leftOut: {},
  variants: ["whole", "without", "altered"],
  prompt: "ours",
  model: engine.model,
  precision: "none",
  backend: "cpu",
  embedder: "none",
  adapter: null,
  params: SHARP,
  budgets: methodContext(engine).budgets,
  data: {},
  scorers: scorerSources(),
  primary: "babilong-strict",
  seed: 1,
  shard: "1/1",
  app: "test",
  created: "2026-01-01T00:00:00Z",
};

function workOf(
  header: EvaluationHeader,
  samples: readonly SampleRecord[],
  shard: Shard = [1, 1],
): EvaluationWork {
  const have = new Set(samples.map(({ id }) => id));
  return {
    header,
    benchmark: stories,
    methods: chosenMethods(METHODS),
    context: methodContext(engine),
    shard,
    have,
  };
}

/** The file of a whole run without a disturbance. */
async function undisturbed(shard: Shard = [1, 1]): Promise<string> {
  const header = headerOf({ ...INPUTS, shard: shard.join("/") });
  let file = lineOf(header);
  for await (const sample of runEvaluation(workOf(header, [], shard))) file += lineOf(sample);
  return file;
}

/** Writes on where `file` ends, and is killed after so many characters, in the middle of a line as often as not. */
async function killedAfter(file: string, characters: number): Promise<string> {
  const read = readRun(file, "run.jsonl");
  const header = headerOf(INPUTS);
  let written = file.slice(0, file.lastIndexOf("\n") + 1);
  if (!read) written = lineOf(header);
  for await (const sample of runEvaluation(workOf(header, read?.samples ?? []))) {
    const line = lineOf(sample);
    if (characters < line.length) return written + line.slice(0, characters);
    characters -= line.length;
    written += line;
  }
  return written;
}

describe("a run", () => {
  it("that is killed at random and continued equals an undisturbed one, record by record", async () => {
    const whole = await undisturbed();
    const seed = Date.now() % 2 ** 32;
    const random = seeded(seed);
    for (let round = 0; round < 5; round++) {
      let file = "";
      let kills = 0;
      while (kills < 10) {
        const next = await killedAfter(file, Math.floor((random() * whole.length) / 12));
        kills++;
        file = next;
      }
      file = await killedAfter(file, Infinity);
      expect(file, `seed ${seed}, round ${round}`).toBe(whole);
    }
  });

  it("in parts merges to the whole one", async () => {
    const parts = await Promise.all([1, 2, 3].map((part) => undisturbed([part, 3])));
    const read = parts.map((part) => readRun(part, "part")!);
    expect(read.map(({ samples }) => samples.length).reduce((a, b) => a + b)).toBe(120);
    const [together, whole] = [
      merged(read, "parts"),
      merged([readRun(await undisturbed(), "whole")!], "whole"),
    ];
    expect(together.samples).toEqual(whole.samples);
    expect(report({ ...together, header: whole.header })).toBe(report(whole));
  });

  it("has one record a case, variant and method, each with what it was judged by", async () => {
    const { samples, header } = readRun(await undisturbed(), "run.jsonl")!;
    expect(samples).toHaveLength(2 * 4 * 3 * METHODS.length);
    const cell = (method: string, length: string) =>
      accuracies({ header, samples }).find((one) => one.method === method && one.length === length);
    expect(cell("full", "")).toMatchObject({ n: 4, score: 1 });
    expect(cell("full", "long")).toMatchObject({ n: 0, unanswered: 4 });
    expect(cell("truncation:12", "long")).toMatchObject({ n: 4, score: 0 });
    expect(cell("latest", "long")).toMatchObject({ n: 4, score: 1 });
    expect(cell("closed", "")).toMatchObject({ n: 4, score: 0 });
    const altered = accuracies({ header, samples }, "altered").find(({ method }) => method === "full");
    expect(altered).toMatchObject({ n: 4, score: 1 });
    const without = accuracies({ header, samples }, "without").find(({ method }) => method === "full");
    expect(without).toMatchObject({ n: 4, score: 0 });
  });

  it("tells methods apart only by cases that both answered", async () => {
    const found = comparisons(readRun(await undisturbed(), "run.jsonl")!, "latest");
    const against = (name: string, length: string) =>
      found.find((one) => one.against === name && one.length === length);
    expect(against("full", "long")).toBeUndefined();
    // Four of four against none: too few to tell.
    expect(against("closed", "")).toMatchObject({ n: 4, only: [4, 0], p: 0.125, told: false, difference: 1 });
  });

  it("keeps what fails in a method as the sample's error, and goes on", async () => {
    const header = headerOf({ ...INPUTS, variants: ["whole"] });
    const broken = { ...methodContext(engine), engine: wordEngine(() => { throw new Error("engine: out of luck"); }, 120) }; // prettier-ignore
    const found: SampleRecord[] = [];
    for await (const sample of runEvaluation({ ...workOf(header, []), context: broken })) found.push(sample);
    expect(found).toHaveLength(40);
    expect(found[0]).toMatchObject({ error: "engine: out of luck", raw: null, promptTokens: 0 });
  });
});

describe("a run file", () => {
  it("of another model does not merge, and says what differs", () => {
    const one = headerOf(INPUTS);
    const other = headerOf({
      ...INPUTS,
      model: { ...engine.model, sha256: "1" },
      seed: 2,
      methods: ["ours"],
    });
    const parts = [one, other].map((header) => ({ header, samples: [] }));
    expect(() => merged(parts, "out")).toThrow(
      "out: runs of different kinds do not merge: model, seed differ",
    );
    expect(headerOf({ ...INPUTS, methods: ["ours"], samples: 9, created: "later" }).key).toBe(one.key);
    const made = (data: Readonly<Record<string, string>>) => ({
      header: headerOf({ ...INPUTS, data }),
      samples: [],
    });
    expect(merged([made({ a: "1" }), made({ b: "2" })], "out").header.data).toEqual({ a: "1", b: "2" });
    expect(() => merged([made({ a: "1" }), made({ a: "2" })], "out")).toThrow("a differ;");
  });

  it("with a line that is none names it", () => {
    const header = lineOf(headerOf(INPUTS));
    expect(() => readRun(`${header}{"kind":"sample"}\n`, "run.jsonl")).toThrow(/^run\.jsonl: line 2: /);
    expect(() => readRun(`${header}what\n`, "run.jsonl")).toThrow("run.jsonl: line 2 is no JSON (what…)");
    expect(readRun(header.slice(0, 40), "run.jsonl")).toBeNull();
  });
});
