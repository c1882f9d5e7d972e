/**
 * @file Runs and predictions from elsewhere, and the files that cases are made from: names that lead out of a folder,
 * tables that nobody could draw, predictions that pass for our own, files that unpack to more than a tab holds.
 */

import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { THOROUGH } from "../src/lib/testing/thorough.ts";
import { background } from "../src/evaluate/benchmarks/backgrounds.ts";
import { estimatedGpt2 } from "../src/evaluate/benchmarks/benchmark.ts";
import { BENCHMARKS } from "../src/evaluate/benchmarks/registry.ts";
import { recordsOf } from "../src/evaluate/benchmarks/userRecords.ts";
import { exported } from "../src/evaluate/exchange/exports.ts";
import { imported } from "../src/evaluate/exchange/imports.ts";
import { chosenMethods } from "../src/evaluate/methods/registry.ts";
import { lineOf, readRun, merged } from "../src/evaluate/runs/file.ts";
import { accuracies } from "../src/evaluate/summary.ts";
import { runText } from "../src/evaluate/testing/stories.ts";
import { seeded } from "../src/lib/rng.ts";
import { attacks, refused } from "../src/lib/testing/attacks.ts";
import type { Evaluation, EvaluationHeader } from "../src/records/evaluation.ts";
import { broughtFiles } from "../src/service/evaluation/evaluation.ts";
import { runnable } from "../src/ui/evaluation/choices.ts";
import { sizeText } from "../src/ui/evaluation/choices.ts";
import { methodTitle } from "../src/ui/evaluation/evaluationText.ts";
import { diskData, writeFiles } from "./evaluateData.ts";

const OWN = readRun(await runText(), "run.jsonl")!;

/** A run file of one sample whose header says something else. */
const runFile = (over: Partial<EvaluationHeader>): string =>
  lineOf({ ...OWN.header, ...over }) + lineOf(OWN.samples[0]!);

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `x${i}`);

/** The run as lm-evaluation-harness would write it, every answer another. */
const forged = (run: Evaluation): { readonly name: string; readonly text: string }[] =>
  exported({ ...run, samples: run.samples.map((one) => ({ ...one, answer: "nowhere" })) })
    .filter(({ name }) => name.startsWith("samples_"))
    .map(({ name, content }) => ({ name, text: content }));

const prediction = (doc: object): string =>
  JSON.stringify({ doc: { question: "q", ...doc }, target: "a", resps: [["a"]], filtered_resps: ["a"] });

attacks("runs and predictions", {
  "a date that leads out of the folder": {
    fault: "files outside --to were overwritten, and a zip had such names",
    attack: async () => {
      const created = "x/../../outside/package";
      await refused(() => readRun(runFile({ created }), "run.jsonl"), /a time such as 2026/);
      const run = { ...OWN, header: { ...OWN.header, created, benchmark: "/../b" } };
      for (const { name } of exported(run)) expect(name).toMatch(/^\w[\w.-]*$/);
    },
  },
  "a name that leads out of the folder is written": () => {
    const folder = mkdtempSync(join(tmpdir(), "evaluate-attacks-"));
    for (const name of ["../out.json", "a/b.json", "..", "/tmp/out.json", ""])
      expect(() =>
        writeFiles(folder, [
          { name: "first.json", content: "" },
          { name, content: "" },
        ]),
      ).toThrow("nothing was written");
    expect(readdirSync(folder)).toEqual([]);
    expect(existsSync(join(folder, "../out.json"))).toBe(false);
  },
  "a run of three hundred tasks, lengths and methods": {
    fault: "6.7 KB kept the page from answering for 10.7 s at each opening of the cell",
    attack: async () => {
      const [tasks, lengths, methods] = [names(300), names(300), names(300)];
      await refused(
        () => readRun(runFile({ tasks, lengths, methods }), "run.jsonl"),
        /the limits are 1000 of each and 20000/,
      );
      const many = { header: { ...OWN.header, methods: names(1001) }, samples: [] };
      await refused(() => merged([OWN, many], "this run"), /so split it$/);
      expect(accuracies(readRun(runFile({ methods: names(1000) }), "run.jsonl")!)).toEqual([]);
    },
  },
  "a line that nests a million deep": () =>
    refused(() => readRun(`${runFile({})}${"[".repeat(1e6)}\n`, "run.jsonl"), /line 3 nests deeper/),
  "predictions for the very samples of a run": {
    fault:
      "they stood in the place of the samples that were measured, under the run's own model, and counted as done",
    attack: () => {
      const both = merged([OWN, ...forged(OWN).map((file) => imported(file, "theirs", OWN.header))], "both");
      const own = both.samples.filter(({ method }) => OWN.header.methods.includes(method));
      expect(own).toEqual(merged([OWN], "own").samples);
      expect(both.header.methods).toEqual(expect.arrayContaining(["theirs: full", "theirs: latest"]));
      for (const name of both.header.methods.filter((one) => !OWN.header.methods.includes(one)))
        expect(() => chosenMethods([name])).toThrow("unknown method");
    },
  },
  "predictions that are called as a method of ours": {
    fault: "the same",
    attack: () => {
      for (const as of ["ours", "full", " latest", "ours:paper"])
        expect(imported({ name: "p.jsonl", text: prediction({}) }, as, OWN.header).header.methods).toEqual([
          `imported ${as}`,
        ]);
    },
  },
  "predictions that nest a million deep": () =>
    refused(
      () => imported({ name: "p.json", text: `[{"doc":${"[".repeat(1e6)}` }, "theirs", OWN.header),
      /p\.json nests deeper/,
    ),
  "a table of five thousand columns over as many rows": {
    fault: "15 KB of a thousand took 10 s and 200 MB",
    attack: () => {
      const text = `${names(5000).join(",")}\n${"a\n".repeat(5000)}`;
      const records = recordsOf({ name: "x.csv", text });
      expect(records).toHaveLength(5000);
      expect(records.at(-1)).toEqual({ x0: "a" });
    },
  },
  // To pack and unpack that much takes seconds.
  ...(THOROUGH && {
    "a packed file of 150 MB": {
      fault: "194 KB became a text of 200 MB, and the process had 709 MB",
      attack: async () => {
        const packed = gzipSync(Buffer.alloc(1.5e8, " "), { level: 1 });
        const brought = { name: "qa1_0k.json.gz", file: new Blob([packed]) };
        await refused(broughtFiles([brought]), /qa1_0k\.json\.gz .* give fewer records/);
        const half = { name: "t.txt", file: new Blob([Buffer.alloc(2 ** 26 + 1, " ")]) };
        await refused(broughtFiles([half, half]), /t\.txt/);
      },
    },
  }),
  "methods, tasks and benchmarks called as what every object has": {
    fault: "the benchmark cell's body crashed, and an import ended in a word of the engine's",
    attack: async () => {
      for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty:1"]) {
        expect(runnable([name], new Set())).toEqual([name]);
        expect(methodTitle(name)).toBe(name);
        await refused(() => chosenMethods([name]), /unknown method/);
        const [sample] = imported(
          { name: "p.jsonl", text: prediction({ task: name }) },
          "theirs",
          OWN.header,
        ).samples;
        expect(sample).toMatchObject({ task: name, labels: null });
      }
      const input = {
        benchmark: "constructor",
        tasks: ["t"],
        lengths: ["0k"],
        methods: ["full"],
        samples: 2,
      };
      const rest = {
        variants: ["whole"],
        prompt: "ours",
        params: "sharp",
        seed: 1,
        files: [],
        paper: null,
      } as const;
      expect(sizeText({ ...input, ...rest }, new Set())).toMatch(/^2 samples: [^[]*$/);
    },
  },
  "a length that leaves room for a few words": {
    fault: "ordinary data: the case was never made, and nothing could stop it",
    attack: async () => {
      const files = { data: diskData("data", {}), gpt2: estimatedGpt2, model: estimatedGpt2, files: [] };
      const options = { ...files, tasks: [], samples: 1, seed: 42, backgrounds: 0 };
      const { cases } = await BENCHMARKS.depth.open({ ...options, lengths: ["14", "15", "16", "17"] });
      for (const { make } of cases) expect(make().text).not.toBe("");
      const tight = { ...options, tasks: ["qa3"], lengths: ["1k"], samples: 185 };
      expect((await BENCHMARKS.babilong.open(tight)).cases[184]!.make().text).not.toBe("");
    },
  },
  "books that have no sentence": {
    fault: "the same",
    attack: () =>
      refused(
        () => background([{ name: "b", text: "Yes. ".repeat(2000) }], 60, estimatedGpt2, seeded(1)),
        /a background needs longer books/,
      ),
  },
});
