import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { catalog } from "../checks/catalog.ts";
import { parseCommand } from "../bench/encode.ts";
import { UsageError } from "../cli.ts";
import { exportGraphs, table } from "./export.ts";
import { parseLayers } from "../layerList.ts";

const GOLDEN = "golden/qwen3";
const ADAM = { beta1: 0.9, beta2: 0.999 };
const out = mkdtempSync(join(tmpdir(), "palimpsest-export-"));
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe("export", () => {
  it("writes and loads every graph of a golden model", async () => {
    const graphs = await exportGraphs(GOLDEN, out);
    expect(readdirSync(out).sort()).toEqual(graphs.map(({ file }) => file.slice(out.length + 1)).sort());
    for (const { file, bytes, nodes } of graphs) {
      expect(statSync(file).size).toBe(bytes);
      expect(nodes).toBeGreaterThan(0);
    }
    // Weightless: the structure of a model of any size is small.
    expect(Math.max(...graphs.map(({ bytes }) => bytes))).toBeLessThan(1e6);
    expect(table(graphs).split("\n")).toHaveLength(graphs.length + 1);
  });

  it("refuses a folder that is none, and one without config.json", async () => {
    await expect(exportGraphs("/nowhere", out)).rejects.toThrow(/--model \/nowhere/);
    const empty = mkdtempSync(join(tmpdir(), "palimpsest-empty-"));
    await expect(exportGraphs(empty, out)).rejects.toThrow(/has no config\.json/);
    rmSync(empty, { recursive: true });
  });

  it("lists every graph once, the per-layer ones for each layer", () => {
    const names = catalog({ layers: [0, 3], encodeBatch: 4, suffix: 2, ...ADAM }).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const layer of [0, 3])
      for (const role of ["soft", "lower", "encode", "naive"])
        expect(names.some((name) => name.startsWith(`${role}.${layer}.`))).toBe(true);
    for (const name of ["prefill.1", "decode.8", "prefix.8", "prefix.4", "keys.0-3.8", "inject.8", "embed.8"])
      expect(names).toContain(name);
  });
});

describe("options", () => {
  it("reads layers in any order and refuses what is not a layer", () => {
    expect(parseLayers("3, 1", 6)).toEqual([1, 3]);
    for (const text of ["6", "-1", "1,1", "x", "1,,2", ""])
      expect(() => parseLayers(text, 6)).toThrow(UsageError);
  });

  it("reads the benchmark's command line", () => {
    const command = parseCommand(["--facts", "12", "--steps", "5", "--batch", "8", "--source", "made"]);
    expect(command).toMatchObject({ facts: 12, source: "made", params: { steps: 5, encodeBatch: 8 } });
    expect(parseCommand([])).toMatchObject({ backend: "cpu", passes: 5, params: { steps: 40 } });
  });

  it.each([
    ["--facts", "0"],
    ["--facts", "many"],
    ["--batch", "513"],
    ["--passes", "1.5"],
    ["--source", "novels"],
    ["--backend", "wasm"],
  ])("refuses %s %s", (option, value) => {
    expect(() => parseCommand([option, value])).toThrow(UsageError);
  });

  it("refuses an option it does not know", () => {
    expect(() => parseCommand(["--fact", "3"])).toThrow(/--fact/);
  });
});
