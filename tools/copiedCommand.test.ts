/** @file What the cells offer to copy: the commands parse to the settings of the cell, and the scripts run. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { runText } from "../src/evaluate/testing/stories.ts";
import { commandOf, pythonOf } from "../src/notebook/commands.ts";
import { newCell, newNotebook } from "../src/notebook/kinds.ts";
import type { DocumentId } from "../src/records/ids.ts";
import type { Cell, CellOfKind } from "../src/records/notebook.ts";
import { PAPER, SHARP, type MethodParams } from "../src/records/params.ts";
import { packed } from "../src/store/testing/archives.ts";
import { makeMemory, upTo } from "../src/store/testing/memory.ts";
import { parseCommand as parseEvaluate, readOptions } from "./evaluate.ts";
import { checkedOptions, paramsOf } from "./recall.ts";
import { parseCommand as parseStudy } from "./study.ts";

const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-copied-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The arguments that the command gets from a shell in place of npm. */
function argumentsOf(cell: Cell, before: readonly Cell[] = [], stored?: MethodParams): string[] {
  const notebook = newNotebook("n", "N", [...before, cell], "2026-01-01T00:00:00Z");
  const command = commandOf(notebook, cell, stored)!;
  const shell = `npm() { shift 3; printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync("sh", ["-c", shell], { encoding: "utf8" }).split("\0").slice(0, -1);
}

const source = (title: string) => {
  const entry = { id: "d" as DocumentId, title, format: "text", encoding: null, characters: 1, pages: null };
  return newCell("source", "s", { documents: [{ ...entry, notes: [], kept: true }], forget: true });
};

describe("a copied command", () => {
  it("memorises with the parameters of the cell, whatever they and the names of files are", () => {
    const changed: MethodParams = { ...PAPER, theta: 0.7, factVectors: true, anchors: "rules" };
    for (const params of [SHARP, PAPER, changed]) {
      const args = argumentsOf(newCell("memorize", "m", { params }), [source("It's “own” $HOME.txt")]);
      const options = checkedOptions(args);
      expect(paramsOf(options)).toEqual(params);
      expect(options).toMatchObject({ text: ["It's “own” $HOME.txt"], store: "memory.zip" });
    }
  });

  it("asks any question of the exported memory", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        fc.pre(text.trim() !== "" && !text.includes("\0"));
        const cell = newCell("ask", "a", { question: text, params: { theta: 0.6 } });
        const options = checkedOptions(argumentsOf(cell));
        expect(options).toMatchObject({ ask: [text], store: "memory.zip" });
        expect(paramsOf(options, PAPER)).toEqual({ ...PAPER, theta: 0.6 });
      }),
      { numRuns: 20 },
    );
  });

  it("runs a study with its settings, its seed and the parameters of the memory", () => {
    const settings = { sizes: "8, 16", seed: 7 };
    const cell = newCell("experiment", "e", { study: "capacity", settings, compareWith: null });
    const command = parseStudy(argumentsOf(cell, [], { ...SHARP, theta: 0.7 }));
    expect(command).toMatchObject({ study: "capacity", seed: 7, settings: { sizes: "8, 16", layer: 2 } });
    expect(command.params).toEqual({ ...SHARP, theta: 0.7 });
  });

  it("runs a benchmark on the same cases with the same methods", () => {
    const first = newCell("benchmark", "b");
    const input: CellOfKind<"benchmark">["input"] = {
      ...first.input,
      methods: ["ours:theta=0.45", "rag"],
      seed: 3,
    };
    const model = newCell("model", "m", {
      source: { kind: "hub", repo: "Qwen/Qwen3-0.6B", revision: "main" },
      backend: "webgpu",
      precision: "q8",
    });
    const options = readOptions(argumentsOf({ ...first, input }, [model]));
    expect(options).toMatchObject({ model: "models/Qwen3-0.6B", backend: "webgpu", precision: "q8" });
    const { samples, tasks, lengths, methods, prompt, variants, seed } = input;
    expect(parseEvaluate(options)).toMatchObject({
      ...{ samples, tasks, lengths, methods, prompt, variants, seed },
      params: SHARP,
    });
  });

  it("is not offered for a cell that no command repeats", () => {
    const cell = newCell("note", "n");
    expect(commandOf(newNotebook("n", "N", [cell], "x"), cell)).toBeNull();
  });
});

describe.skipIf(spawnSync("python3", ["-c", "import numpy"]).status !== 0)(
  "a copied script [needs python3 with numpy]",
  () => {
    const printed = (cell: Cell, name: string, content: string | Uint8Array): string[] => {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      const input = pythonOf(cell)!;
      return execFileSync("python3", ["-", file], { input, encoding: "utf8" }).trimEnd().split("\n");
    };

    it("reads an exported memory", async () => {
      const memory = makeMemory(upTo(7), 5);
      const lines = printed(newCell("store", "f"), "memory.zip", await packed(memory));
      expect(lines[0]).toBe(`${memory.entries.length} vectors of ${memory.model.name}`);
      expect(lines).toHaveLength(1 + memory.entries.length);
    });

    it("reads a saved run", async () => {
      const run = await runText();
      const cell = { ...newCell("benchmark", "b"), output: {} } as unknown as Cell;
      const lines = printed(cell, "run.jsonl", run);
      expect(lines[0]).toMatch(/^evaluation /);
      expect(lines).toHaveLength(run.trimEnd().split("\n").length);
    });
  },
);
