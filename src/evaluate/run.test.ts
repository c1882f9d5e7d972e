import { describe, expect, it } from "vitest";
import { seeded } from "../lib/rng.ts";
import type { SampleRecord } from "../records/evaluation.ts";
import { type HeaderInputs, headerOf, obstacle, plannedHeader } from "./runs/header.ts";
import { report } from "./report.ts";
import { runEvaluation } from "./run.ts";
import { lineOf, readRun, merged } from "./runs/file.ts";
import { accuracies, comparisons } from "./summary.ts";
import { engine, INPUTS, METHODS, runText, stories, workOf } from "./testing/stories.ts";
import { methodContext, wordEngine } from "./testing/words.ts";
import { isDone } from "./unanswered.ts";

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
    const whole = await runText();
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
    const parts = await Promise.all([1, 2, 3].map((part) => runText([part, 3])));
    const read = parts.map((part) => readRun(part, "part")!);
    expect(read.map(({ samples }) => samples.length).reduce((a, b) => a + b)).toBe(120);
    const [together, whole] = [merged(read, "parts"), merged([readRun(await runText(), "whole")!], "whole")];
    expect(together.samples).toEqual(whole.samples);
    expect(report({ ...together, header: whole.header })).toBe(report(whole));
  });

  it("has one record a case, variant and method, each with what it was judged by", async () => {
    const { samples, header } = readRun(await runText(), "run.jsonl")!;
    expect(samples).toHaveLength(2 * 4 * 3 * METHODS.length);
    const cell = (method: string, length: string) =>
      accuracies({ header, samples }).find((one) => one.method === method && one.length === length);
    expect(cell("full", "")).toMatchObject({ n: 4, score: 1 });
    expect(cell("full", "long")).toMatchObject({ n: 4, score: 0, unanswered: 4 });
    expect(cell("truncation:12", "long")).toMatchObject({ n: 4, score: 0 });
    expect(cell("latest", "long")).toMatchObject({ n: 4, score: 1 });
    expect(cell("closed", "")).toMatchObject({ n: 4, score: 0 });
    const altered = accuracies({ header, samples }, "altered").find(({ method }) => method === "full");
    expect(altered).toMatchObject({ n: 4, score: 1 });
    const without = accuracies({ header, samples }, "without").find(({ method }) => method === "full");
    expect(without).toMatchObject({ n: 4, score: 0 });
  });

  it("tells methods apart only by cases that both were asked", async () => {
    const found = comparisons(readRun(await runText(), "run.jsonl")!, "latest");
    const against = (name: string, length: string) =>
      found.find((one) => one.against === name && one.length === length);
    // What has no answer is wrong.
    expect(against("full", "long")).toMatchObject({ n: 4, only: [4, 0] });
    // Four of four against none: too few to tell.
    expect(against("closed", "")).toMatchObject({ n: 4, only: [4, 0], p: 0.125, told: false, difference: 1 });
  });

  it("is reported with intervals, and says where n is too small", async () => {
    const text = report(merged([readRun(await runText(), "run.jsonl")!], "run"));
    expect(text).toContain("100 [51, 100] n = 4"); // Wilson's interval of 4 in 4
    expect(text).toMatch(/\| full +\| 100 \[51, 100\] n = 4 +\| 0 \[0, 49\] n = 4, 4 unanswered +\|/);
    expect(text).toMatch(/\| closed +\| 4 .*\| no: fewer than 6 texts +\|/);
    expect(text).toContain("## With the evidence taken out, and altered");
  });

  it("keeps what fails in a method as the sample's error, and goes on", async () => {
    const header = headerOf({ ...INPUTS, variants: ["whole"] });
    const broken = {
      ...methodContext(engine),
      engine: wordEngine(() => {
        throw new Error("engine: out of luck");
      }, 120),
    };
    const found: SampleRecord[] = [];
    for await (const sample of runEvaluation({ ...workOf(header, []), context: broken })) found.push(sample);
    expect(found).toHaveLength(40);
    expect(found[0]).toMatchObject({ error: "engine: out of luck", raw: null, promptTokens: 0 });
    // Only what does not fit the window needs no second try.
    expect(found.filter(isDone).map(({ method, length }) => `${method} ${length}`)).toEqual(
      Array(4).fill("full long"),
    );
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
    const long = ["1M", "16k", "128k"].map((length) => headerOf({ ...INPUTS, lengths: [length] }));
    const all = merged(
      long.map((header) => ({ header, samples: [] })),
      "out",
    );
    expect(all.header.lengths).toEqual(["16k", "128k", "1M"]);
  });

  it("names the files of an embedder that its name does not tell, and keeps its key where the name does", () => {
    const { model, capabilities } = engine;
    const key = (embedder: string, embedderIdentity: string | null) =>
      plannedHeader(INPUTS, { model, capabilities, embedder, embedderIdentity }, stories, INPUTS).key;
    expect(key("own", "own")).toBe(key("own", null));
    expect(key("a folder", "hash 1")).not.toBe(key("a folder", "hash 2"));
  });

  it("is gone on with by the build that began it, and read together with another's", () => {
    const [one, other] = ["1a2b3c", "4d5e6f"].map((app) => headerOf({ ...INPUTS, app }));
    expect(obstacle(one!, other!)).toBe("was made by the build 1a2b3c, which is not this one (4d5e6f)");
    const both = merged(
      [one!, other!].map((header) => ({ header, samples: [] })),
      "out",
    );
    expect(both.header.app).toBe("1a2b3c, 4d5e6f");
    expect(report(both)).toContain("Its parts were made by several builds of the app");
  });

  it("names the settings, cross-encoder and compressor that differ, and refuses one sample of two texts", async () => {
    const of = (over: Partial<HeaderInputs>) => headerOf({ ...INPUTS, ...over });
    const [a, b] = [of({ settings: { files: "1, a", n: 2 } }), of({ settings: { files: "1, b", n: 2 } })];
    expect(obstacle(a, b)).toBe("differs in files");
    expect(obstacle(of({ reranker: "a" }), of({ reranker: "b" }))).toBe("differs in reranker");
    expect(obstacle(of({ compressor: "a" }), of({ compressor: "b" }))).toBe("differs in compressor");
    expect(obstacle(of({ reranker: "a" }), of({}))).toBe("");
    const parts = [of({ reranker: "a" }), of({ compressor: "b" })].map((header) => ({ header, samples: [] }));
    expect(report(merged(parts, "out"))).toContain(
      "Methods that need one had the cross-encoder a, and the compressor b.",
    );
    expect(obstacle(of({ embedderIdentity: "a" }), of({ embedderIdentity: "b" }))).toBe(
      "differs in embedderIdentity",
    );
    const run = readRun(await runText(), "run.jsonl")!;
    const samples = run.samples.map((sample) => ({ ...sample, textHash: "another" }));
    expect(() => merged([run, { ...run, samples }], "out")).toThrow(
      "out: sample 1 of where  was asked of two different texts",
    );
  });

  it("keeps an answer in place of a later failure, and asks again only after a failure of the machine", async () => {
    const text = await runText();
    const { samples } = readRun(text, "run.jsonl")!;
    const lost = { ...samples[0]!, error: "runtime: the device was lost" };
    expect(readRun(text + lineOf(lost), "run.jsonl")!.samples).toEqual(samples);
    const before = text.replace(lineOf(samples[0]!), lineOf(lost));
    expect(readRun(before + lineOf(samples[0]!), "run.jsonl")!.samples).toEqual(samples);
    const unfitting = samples.filter(({ error }) => error?.startsWith("does not fit"));
    expect(unfitting.length).toBeGreaterThan(3);
    expect(unfitting.every(isDone)).toBe(true);
    expect(isDone(lost)).toBe(false);
  });

  it("with a line that is none names it", () => {
    const header = lineOf(headerOf(INPUTS));
    expect(() => readRun(`${header}{"kind":"sample"}\n`, "run.jsonl")).toThrow(/^run\.jsonl: line 2: /);
    expect(() => readRun(`${header}what\n`, "run.jsonl")).toThrow(
      "run.jsonl: line 2 is not valid JSON (what…)",
    );
    expect(readRun(header.slice(0, 40), "run.jsonl")).toBeNull();
  });
});
