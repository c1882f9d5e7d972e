/** @file `npm run recall` as its user meets it: the JSON, the report, the exit codes, and every refusal in words. */

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { BUNDLED, randomConfig, randomWeights } from "../src/engine/testing/models.ts";
import { bundled, leavesNothing } from "../src/engine/testing/useBundled.ts";
import { memorize } from "../src/flow/memorize.ts";
import {
  BY_ANCHORS,
  context,
  documentOf,
  HOOK_MS,
  QUICK,
  seeded,
  STORY,
  template,
} from "../src/flow/testing/runs.ts";
import { PAPER, SHARP } from "../src/records/params.ts";
import { memoryFileStore } from "./node/memoryFile.ts";
import { contentOf } from "../src/store/testing/memoryFiles.ts";
import { archiveOf, filesOf } from "../src/store/testing/archives.ts";
import { makeSafetensors, type MadeTensor } from "../src/weights/testing/files.ts";
import { runCommand } from "./cli.ts";
import { recallCommand, recallUsage } from "./recall.ts";
import type { RecallReport } from "./recallReport.ts";

const root = mkdtempSync(path.join(tmpdir(), "palimpsest-recall-"));
const at = (name: string): string => path.join(root, name);
afterAll(() => rmSync(root, { recursive: true }));

const CONFIG = randomConfig("Qwen3ForCausalLM");
const TOKENIZER = ["tokenizer.json", "tokenizer_config.json"];

/** A model folder on disk, with random weights; `over` replaces files, null leaves one out. */
function modelFolder(name: string, over: Readonly<Record<string, Uint8Array | string | null>> = {}): string {
  const files = {
    "config.json": JSON.stringify(CONFIG),
    "model.safetensors": makeSafetensors(randomWeights(CONFIG)),
    ...Object.fromEntries(TOKENIZER.map((file) => [file, readFileSync(`${BUNDLED}/${file}`, "utf8")])),
    ...over,
  };
  mkdirSync(at(name));
  for (const [file, data] of Object.entries(files))
    if (data !== null) writeFileSync(path.join(at(name), file), data);
  return at(name);
}

function textFile(name: string, text: string | Uint8Array): string {
  writeFileSync(at(name), text);
  return at(name);
}

interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const finished = (command: string, args: readonly string[]): Promise<Finished> =>
  new Promise((resolve) => {
    execFile(command, [...args], { maxBuffer: 2 ** 26 }, (error, out, err) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err });
    });
  });
const child = (...args: string[]) =>
  finished(process.execPath, ["--import", "tsx", "tools/recall.ts", ...args]);

const STORY_PARAMS = { ...QUICK, ...BY_ANCHORS, steps: 12, refine: 0 };
let model: string;
let storyStore: string;
beforeAll(async () => {
  model = modelFolder("model");
  const { engine, device } = await bundled();
  storyStore = at("stored");
  const store = await seeded(engine, [3, 4], memoryFileStore(storyStore));
  await memorize(context(engine, { store, params: STORY_PARAMS }), [documentOf(STORY)]);
  leavesNothing({ device });
}, HOOK_MS);

describe("the command", () => {
  /** As the issue names them. */
  const KEYS = {
    document: ["params", "source", "facts", "answers", "forgotten", "timings", "memory"],
    source: ["characters", "sentences", "candidates"],
    fact: [
      "anchor",
      "index",
      "key",
      "value",
      "offset",
      "layer",
      "tokens",
      "steps",
      "givenUp",
      "exact",
      "fidelity",
      "deltaNorm",
      "margin",
    ],
    answer: ["question", "route", "recalled", "answer", "cited", "milliseconds"],
    route: ["anchor", "denseRank", "lexicalRank", "fused", "kept", "why"],
    recalled: ["key", "text", "similarity", "gateOpen", "weights"],
    forgotten: ["key", "before", "after", "compared", "changed"],
  };
  const has = (value: object, keys: readonly string[]) =>
    expect(Object.keys(value)).toEqual(expect.arrayContaining([...keys]));

  it("prints one JSON document with every key and takes every option; progress goes to stderr", async () => {
    const text = textFile("story.txt", STORY.join(" "));
    const store = at("all-options");
    const options =
      "--preset paper --layers 2 --depth 1 --capacity 50 --steps 2 --refine 1 --theta 0.5 --beta 40 --anchors rules --backend cpu --json".split(
        " ",
      );
    const asked = ["--ask", "Where is Mary?", "--ask", "Where is Sandra?", "--forget", "John (1)"];
    const run = await finished("npm", [
      "run",
      "--silent",
      "recall",
      "--",
      "--model",
      model,
      "--text",
      text,
      "--store",
      store,
      ...options,
      ...asked,
    ]);
    expect(run.code, run.err).toBe(0);
    const json = JSON.parse(run.out) as RecallReport;
    expect(run.err).toMatch(/read +6 \/ 6 .*6 candidates[\s\S]*layers +3 \/ 3[\s\S]*encode +4 \/ 4/);
    expect(json.params).toEqual({
      ...PAPER,
      layers: 2,
      depth: 1,
      capacity: 50,
      steps: 2,
      refine: 1,
      theta: 0.5,
      beta: 40,
      anchors: "rules",
    });
    has(json, KEYS.document);
    has(json.source, KEYS.source);
    // The deleted sentence went with the one behind it, which is not stored: the stretch to the next fact is closed.
    const left = STORY.toSpliced(1, 2).join(" ");
    expect(json.source).toMatchObject({ characters: left.length, sentences: 5, candidates: 5 });
    expect(json.facts.map(({ key }) => key).toSorted()).toEqual(["Daniel (1)", "Mary (1)", "Sandra (1)"]);
    expect(json.layers).toHaveLength(2);
    for (const fact of json.facts) {
      has(fact, KEYS.fact);
      // The latest fact of each anchor, at its place in the source; a random model says other words.
      expect(STORY.map((sentence) => left.indexOf(sentence))).toContain(fact.offset);
      if (fact.exact) expect(STORY).toContain(fact.value);
    }
    expect(json.answers.map(({ question }) => question)).toEqual(["Where is Mary?", "Where is Sandra?"]);
    for (const answer of json.answers) {
      has(answer, KEYS.answer);
      has(answer.milliseconds, ["route", "recall", "answer"]);
      for (const anchor of answer.route) has(anchor, KEYS.route);
      for (const recalled of answer.recalled) {
        has(recalled, KEYS.recalled);
        has(recalled.weights[0]!, ["id", "similarity", "weight"]);
      }
    }
    expect(json.answers[0]!.recalled.map(({ key }) => key)).toEqual(["Mary (1)"]);
    for (const row of json.forgotten) has(row, KEYS.forgotten);
    expect(json.forgotten).toMatchObject([{ key: "John (1)", compared: 3, changed: 0 }]);
    expect(json.timings).toMatchObject({ open: expect.any(Number), total: expect.any(Number), stages: {} });
    expect(json.memory).toMatchObject({ facts: 3, anchors: 3, layers: 2 });
  });

  it("stores no five words in a row of a text, with default settings", async () => {
    const text = template(1);
    const folder = at("sealed");
    mkdirSync(folder);
    const file = textFile("sealed.txt", text.join(" "));
    const store = path.join(folder, "memory.zip");
    const run = await child("--model", BUNDLED, "--text", file, "--store", store);
    expect(run.code, run.err).toBe(0);
    const words = text.join(" ").split(" ");
    const fives = words.slice(4).map((_, i) => words.slice(i, i + 5).join(" "));
    const bytes = Buffer.concat(await contentOf(folder));
    expect(bytes.includes('"terms"')).toBe(true);
    expect(fives.filter((five) => bytes.includes(five))).toEqual([]);
    expect(run.out).toContain("No sentence is stored: of");
  });

  it("answers in another process, from the store alone, word for word", async () => {
    const run = await child("--model", BUNDLED, "--store", storyStore, "--ask", "Where is Sandra?", "--json");
    expect(run.code, run.err).toBe(0);
    const { answers, params, facts } = JSON.parse(run.out) as RecallReport;
    expect(answers[0]!.recalled.map(({ text }) => text)).toEqual([STORY[2], STORY[4]]);
    expect(answers[0]!.recalled.every(({ gateOpen }) => gateOpen)).toBe(true);
    expect(facts).toHaveLength(6);
    // What was not said again is as it was when the memory was made.
    expect(params).toEqual(STORY_PARAMS);
  });

  it("ends with one line about --help and exit code 2 where the command line is wrong", async () => {
    const run = await child("--model", model, "--store", storyStore, "--layers", "two");
    expect(run).toMatchObject({ code: 2, out: "" });
    expect(run.err).toContain(
      `--layers is "two", expected a whole number from 1 to 128\nSee npm run recall -- --help for all options.`,
    );
    expect(run.err).not.toContain("usage:");
  });
});

describe("in this process", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });

  /** What a reader sees on stdout. */
  async function printed(...args: string[]): Promise<string> {
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await recallCommand(args);
    return lines.join("\n");
  }

  it("the report says what is kept, recalled and deleted", async () => {
    const store = at("report");
    cpSync(storyStore, store, { recursive: true });
    const text = await printed(
      "--model",
      BUNDLED,
      "--store",
      store,
      "--ask",
      "Where is Mary?",
      "--forget",
      "John (1)",
    );
    expect(text).toMatch(/^\n5 facts under 3 anchors from story\.\n5 of 5 exact, mean fidelity 1\.00/);
    expect(text).toContain(`Deleted\n  John (1)\n    before  ${STORY[1]}\n    after   `);
    expect(text).toContain("5 retained facts recalled before and after: 0 changed");
    expect(text).toMatch(/Where is Mary\?\n(.*\n)+? {4}Mary \(1\) +1\.00 {2}Mary moved to the garden\.\n/);
    const known = await printed(
      "--model",
      BUNDLED,
      "--store",
      store,
      "--text",
      textFile("story", STORY.join(" ")),
    );
    expect(known).toContain("story was memorised before and is not read again.");
  });

  /** The message of a refusal, with proof that the memory file `store` was not touched. */
  async function refusal(store: string, ...args: string[]): Promise<string> {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const before = readFileSync(store);
    const error = await recallCommand(["--store", store, ...args]).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect(readFileSync(store).equals(before)).toBe(true);
    return (error as Error).message;
  }

  it("the command line is checked before anything is opened", async () => {
    const story = ["--model", model, "--text", textFile("checked.txt", STORY[0]!)];
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [["--model", model], "nothing to recall from: give --text, or --store with a memory"],
      [[...story, "--preset", "blunt"], '--preset is "blunt", expected one of: paper, sharp'],
      [[...story, "--anchors", "none"], '--anchors is "none", expected one of: model, rules'],
      [[...story, "--backend", "abacus"], '--backend is "abacus", expected one of: cpu, webgpu'],
      [[...story, "--capacity", "0"], '--capacity is "0", expected a whole number from 1'],
      [[...story, "--steps", "1.5"], '--steps is "1.5", expected a whole number from 1'],
      [[...story, "--theta", "2"], '--theta is "2", expected a number from -1 to 1'],
      [[...story, "--beta", "1e999"], '--beta is "1e999", expected a number from 0'],
      [[...story, "--depth", ""], '--depth is "", expected a whole number from 1'],
      [[...story, "--set", "theta=2"], '--set theta is "2", expected a number from -1 to 1'],
      [[...story, "--set", "routeShare"], "--set routeShare has no value, expected e.g. routeShare=0.6"],
      [
        [...story, "--set", "tau=1"],
        '--set tau=1: unknown parameter "tau", expected one of: candidateFilter',
      ],
      [[...story, "--ask", " "], "--ask is empty"],
      [[...story, "--model", at("nowhere")], `--model ${at("nowhere")}: there is no such folder`],
      [
        [...story, "--model", at("checked.txt")],
        `--model ${at("checked.txt")}: this is a file; a folder with`,
      ],
      [["--model", model, "--text", at("nowhere")], `--text ${at("nowhere")}: there is no such file`],
      [["--model", model, "--text", root], `--text ${root}: this is a folder; a text file is expected`],
      [
        ["--model", model, "--store", at("nowhere")],
        `--store ${at("nowhere")} holds no memory yet; give --text`,
      ],
      [[...story, "--colour"], "Unknown option '--colour'"],
      [["story.txt"], "Unexpected argument 'story.txt'"],
    ];
    for (const [args, message] of wrong) {
      const said: string[] = [];
      vi.spyOn(console, "error").mockImplementation((line: string) => void said.push(line));
      await runCommand(() => recallCommand(args), recallUsage);
      expect(said.join("\n")).toContain(message);
      expect(said.join("\n"), args.join(" ")).toContain("npm run recall -- --help");
      expect(process.exitCode).toBe(2);
    }
  });

  it("a text that cannot be read is refused by name", async () => {
    const of = (file: string) =>
      refusal(storyStore, "--model", BUNDLED, "--text", file, "--set", "candidateFilter=wide");
    expect(await of(textFile("empty.txt", ""))).toBe(
      'ingest: "empty.txt" is empty (0 bytes); choose a file that holds text',
    );
    expect(await of(textFile("blank.txt", " \n\t"))).toMatch(/^ingest: "blank\.txt" holds no text/);
    expect(await of(textFile("binary.txt", Uint8Array.of(1, 0, 2, 0, 0, 3)))).toMatch(
      /^ingest: "binary\.txt" is not plain text/,
    );
    expect(await of(textFile("sigh.txt", "hm, well, so it goes."))).toMatch(
      /^flow: "sigh\.txt" has 1 sentence.* nothing to memorise\. The filter all takes every sentence$/,
    );
    const forget = await refusal(storyStore, "--model", BUNDLED, "--forget", "Sandar (1)");
    expect(forget).toMatch(
      /^flow: no fact has the key "Sandar \(1\)"; similar keys: Sandra \(1\), Sandra \(2\)/,
    );
  });

  const weights = randomWeights(CONFIG);
  const changed = (change: (tensor: MadeTensor, i: number) => MadeTensor | null) =>
    makeSafetensors(weights.flatMap((tensor, i) => change(tensor, i) ?? []));
  const whole = makeSafetensors(weights);
  const second = weights[1]!;

  it.each<readonly [string, Readonly<Record<string, Uint8Array | string | null>>, RegExp]>([
    ["no config", { "config.json": null }, /has no config\.json; a Hugging Face model folder is expected/],
    ["a broken config", { "config.json": "{" }, /config\.json is not valid JSON/],
    ["no tokenizer", { "tokenizer.json": null }, /has no tokenizer\.json/],
    ["no weights", { "model.safetensors": null }, /model\.safetensors/],
    [
      "a truncated file",
      { "model.safetensors": whole.subarray(0, whole.length - 10) },
      /model\.safetensors: /,
    ],
    ["a truncated header", { "model.safetensors": whole.subarray(0, 100) }, /model\.safetensors: .*header/],
    [
      "a lying header",
      { "model.safetensors": new Uint8Array([...new Uint8Array(7).fill(255), 0, ...whole.subarray(8)]) },
      /model\.safetensors: .*header/,
    ],
    [
      "a missing tensor",
      { "model.safetensors": changed((t, i) => (i === 1 ? null : t)) },
      new RegExp(second.name),
    ],
    [
      "a wrong shape",
      { "model.safetensors": changed((t, i) => (i === 1 ? { ...t, shape: [...t.shape, 1] } : t)) },
      new RegExp(`${second.name}.*shape`),
    ],
    [
      "a NaN",
      {
        "model.safetensors": changed((t, i) =>
          i === 1 ? { ...t, data: new Float32Array(t.data.length).fill(NaN) } : t,
        ),
      },
      new RegExp(`${second.name}.*(NaN|finite)`),
    ],
    [
      "an unknown family",
      { "config.json": JSON.stringify({ ...CONFIG, architectures: ["MambaForCausalLM"] }) },
      /MambaForCausalLM.*known: Qwen3ForCausalLM, Qwen2ForCausalLM, LlamaForCausalLM, MistralForCausalLM, Phi3ForCausalLM/,
    ],
  ])("a model with %s is refused in words, with the store untouched", async (name, over, message) => {
    const folder = modelFolder(`model with ${name}`, over);
    const said = await refusal(storyStore, "--model", folder, "--text", textFile("more.txt", STORY[0]!));
    expect(said).toMatch(message);
    expect(said, "the user must see which folder or file").toMatch(/safetensors|config|model with|tokenizer/);
  });

  it("a memory file of another model, of another version, or damaged is refused and kept", async () => {
    expect(await refusal(storyStore, "--model", model, "--ask", "Where is Mary?")).toMatch(
      /^flow: the stored memory belongs to palimpsest-7m@[0-9a-f]{8}, the model is model@[0-9a-f]{8}/,
    );
    const files = await filesOf(readFileSync(storyStore));
    const changed = async (name: string, change: (bytes: Uint8Array) => Uint8Array) => {
      const copy = new Map(files).set(name, change(files.get(name)!));
      return textFile(`changed ${path.basename(name)}`, await archiveOf(copy, false));
    };
    const other = await changed("manifest.json", (bytes) =>
      Buffer.from(
        Buffer.from(bytes)
          .toString()
          .replace(/"version": ?\d+/, '"version": 99'),
      ),
    );
    expect(await refusal(other, "--model", BUNDLED, "--ask", "x")).toMatch(
      /has format 99; this version of Palimpsest reads format 1/,
    );
    const vectors = "vectors/000000.safetensors";
    const damaged = await changed(vectors, (bytes) => bytes.subarray(0, 200));
    expect(await refusal(damaged, "--model", BUNDLED, "--text", textFile("new.txt", STORY[0]!))).toContain(
      vectors,
    );
    const folder = await recallCommand(["--store", root, "--model", BUNDLED, "--ask", "x"]).catch(
      (error: unknown) => (error as Error).message,
    );
    expect(folder).toContain(`${root} is a folder; give the path of a memory file`);
  });

  it("without --preset a new memory is made as sharp", async () => {
    const out: string[] = [];
    vi.spyOn(process.stdout, "write").mockImplementation((text) => out.push(String(text)) > 0);
    // A model of random weights says nothing exactly: its value is not cut until it does.
    const short = ["--anchors", "rules", "--steps", "2", "--refine", "0", "--set", "partTokens=none"];
    await printed("--model", model, "--text", textFile("one.txt", STORY[0]!), ...short, "--json");
    const { params } = JSON.parse(out.join("")) as RecallReport;
    expect(params).toEqual({ ...SHARP, anchors: "rules", steps: 2, refine: 0, partTokens: null });
  });
});
