/** @file The command line of evaluations: what it understands, what it refuses, and runs on disk. */

import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runText } from "../src/evaluate/testing/stories.ts";
import { accuracies } from "../src/evaluate/summary.ts";
import { lineOf, readRun, merged } from "../src/evaluate/runs/file.ts";
import { report } from "../src/evaluate/report.ts";
import { sha256Hex } from "../src/lib/hash.ts";
import { modelTag } from "../src/records/memory.ts";
import {
  append,
  continued,
  diskData,
  LONGEST_PROMPT,
  mergedRun,
  record,
  RECORDED,
  runPath,
} from "./evaluateData.ts";
import { parseCommand, readOptions, tables } from "./evaluate.ts";

const parse = (...args: string[]) => parseCommand(readOptions(args));

describe("npm run evaluate", () => {
  it("takes benchmark, tasks, lengths, methods and a shard", () => {
    const command = parse(
      "--benchmark",
      "babilong",
      "--tasks",
      "qa1,qa2",
      "--lengths",
      "0k,16k,128k",
      "--methods",
      "ours,truncation:2048,rag",
      "--n",
      "50",
      "--shard",
      "2/8",
      "--variants",
      "whole,without",
      "--set",
      "theta=0.7",
      "--out",
      "d",
    );
    expect(command).toMatchObject({
      benchmark: "babilong",
      tasks: ["qa1", "qa2"],
      lengths: ["0k", "16k", "128k"],
      methods: ["ours", "truncation:2048", "rag"],
      samples: 50,
      shard: [2, 8],
      variants: ["whole", "without"],
      prompt: "ours",
      params: { theta: 0.7 },
    });
  });

  it("runs a table of the paper, with what is changed of it", () => {
    const command = parse("--paper", "table-4", "--lengths", "16k", "--out", "d");
    expect(command).toMatchObject({
      benchmark: "ruler",
      tasks: ["qa_1"],
      lengths: ["16k"],
      methods: expect.arrayContaining(["ours", "ours-stored"]),
    });
  });

  it.each([
    [["--out", "d"], /--benchmark is missing/],
    [["--benchmark", "babilong"], /--out is missing/],
    [["--benchmark", "babel", "--out", "d"], /expected one of: babilong, ruler/],
    [["--benchmark", "ruler", "--out", "d", "--shard", "9/8"], /--shard is "9\/8"/],
    [["--benchmark", "ruler", "--out", "d", "--methods", "rog"], /unknown method "rog"/],
    [["--benchmark", "ruler", "--out", "d", "--variants", "half"], /--variants is "half"/],
    [["--paper", "table-9", "--out", "d"], /expected one of: table-1/],
    [["--benchmark", "ruler", "--out", "d", "--methods", "ours:theta=2"], /ours:theta=2: theta is "2"/],
    [["--paper", "figure-7", "--out", "d"], /npm run study -- capacity/],
  ])("refuses %j", (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });
});

describe("a run on disk", () => {
  const folder = () => mkdtempSync(join(tmpdir(), "evaluate-"));

  it("that was cut off in a line is continued behind the last whole one", async () => {
    const [path, text] = [runPath(folder(), [1, 1]), await runText()];
    append(path, text.slice(0, 20_000));
    const kept = continued(path)!.samples.length;
    expect(readFileSync(path, "utf8").endsWith("\n")).toBe(true);
    expect(kept).toBeGreaterThan(3);
    appendFileSync(path, text.slice(readFileSync(path, "utf8").length));
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("that was cut off in its header begins anew", () => {
    const path = runPath(folder(), [1, 1]);
    append(path, '{"kind":"eva');
    expect(continued(path)).toBeNull();
    expect(readFileSync(path, "utf8")).toBe("");
  });

  it("is not begun over a file that is no run", () => {
    for (const text of ["notes without a line end", '{"kind":"memo"}', '{"kind":"sample"']) {
      const path = runPath(folder(), [1, 1]);
      append(path, text);
      expect(() => continued(path)).toThrow("is not a run; name another file");
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("in parts is merged", async () => {
    const to = folder();
    for (const part of [1, 2]) append(runPath(to, [part, 2]), await runText([part, 2]));
    expect(mergedRun([to]).samples).toHaveLength(readRun(await runText(), "whole")!.samples.length);
    expect(() => mergedRun([join(to, "not")])).toThrow("there is no such folder");
  });

  const RUNS = "docs/runs";
  const packed = readdirSync(RUNS).filter((name) => existsSync(join(RUNS, name, RECORDED)));
  /** The second edition of the bundled model, and the third, which ships. */
  const EDITIONS = ["palimpsest-6m@485cf36b", "palimpsest-7m@02e11a5d"];
  it.each(packed)("that %s has recorded is of the bundled model, and holds what it is known by", (name) => {
    const { header, samples } = mergedRun([join(RUNS, name)]);
    expect(EDITIONS).toContain(modelTag(header.model));
    expect(samples.length).toBeGreaterThan(0);
    for (const { prompt, promptHash } of samples)
      if (prompt !== null) expect(sha256Hex(prompt)).toBe(promptHash);
  });

  const LENGTHS = ["0k", "4k", "16k", "128k", "512k", "1M", "2M"];
  it("that docs/runs has recorded weighs 5 MB at most, and ours answers QA1 in at least 95 % up to 2M", () => {
    const bytes = packed.map((name) => statSync(join(RUNS, name, RECORDED)).size);
    expect(bytes.reduce((a, b) => a + b)).toBeLessThan(5e6);
    const cells = packed
      .filter((name) => name.startsWith("babilong"))
      .flatMap((name) => accuracies(mergedRun([join(RUNS, name)])));
    const ours = cells.filter(({ task, method }) => task === "qa1" && method === "ours");
    expect(ours.map(({ length }) => length)).toEqual(expect.arrayContaining(LENGTHS));
    for (const { length, score } of ours) expect(score, length).toBeGreaterThanOrEqual(0.95);
  });

  it("is recorded with every figure, long prompts as hashes, and merges with what it came from", async () => {
    const [from, to] = [folder(), folder()];
    const run = merged([readRun(await runText(), "whole")!], "whole");
    const samples = run.samples.map((one) => ({
      ...one,
      prompt: one.method === "full" ? "p".repeat(LONGEST_PROMPT + 1) : one.prompt,
      milliseconds: { prepare: 1.4, answer: 2.6 },
    }));
    append(runPath(from, [1, 1]), [run.header, ...samples].map(lineOf).join(""));
    expect(record(to, mergedRun([from]))).toBeGreaterThan(1000);
    const read = mergedRun([to]);
    expect(report(read)).toBe(report(mergedRun([from])));
    for (const [i, { method, prompt, promptHash, milliseconds }] of read.samples.entries()) {
      expect(prompt).toBe(method === "full" ? null : run.samples[i]!.prompt);
      expect(promptHash).toBe(run.samples[i]!.promptHash);
      expect(milliseconds).toEqual({ prepare: 1, answer: 3 });
    }
    expect(mergedRun([from, to]).samples).toEqual(read.samples);
  });

  it("for a table of the paper is judged as that is: BABILong by the substring rule", async () => {
    const run = merged([readRun(await runText(), "whole")!], "whole");
    expect(tables(run, undefined)).toContain("## Accuracy (babilong-strict)");
    const own = tables(run, "table-1");
    expect(own).toContain("## Accuracy (babilong-substring)");
    expect(own).toContain("## The paper: Samples of the proposed method");
  });

  it("is made from files whose hashes are noted", async () => {
    const hashes: Record<string, string> = {};
    const data = diskData("data", hashes);
    expect(await data.text("probe/paraphrases.json")).toContain("flowerpot");
    expect(hashes["probe/paraphrases.json"]).toMatch(/^[0-9a-f]{64}$/);
    expect((await data.list("novels")).length).toBeGreaterThan(10);
    expect(() => data.text("probe/none.json")).toThrow("--data data has no probe/none.json");
  });
});
