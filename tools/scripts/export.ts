/**
 * @file `npm run tool -- export --model DIR --out DIR`: every graph the engine uses as an .onnx file, without weights
 * (they are graph inputs), each checked to load in onnxruntime. Needs only the model's config.json.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { catalog, type CatalogEntry } from "../checks/catalog.ts";
import { toOnnx } from "../../src/graph/emit/onnx.ts";
import { parseConfig } from "../../src/graph/models/config.ts";
import type { Decoder } from "../../src/graph/models/decoder.ts";
import { familyOf } from "../../src/graph/models/families.ts";
import { present } from "../../src/lib/assert.ts";
import { candidateLayers } from "../../src/flow/layerProbe.ts";
import { MOMENTS } from "../../src/memory/parts.ts";
import { SHARP } from "../../src/records/params.ts";
import type { Device } from "../../src/runtime/device.ts";
import { createNodeDevice } from "../node/nodeDevice.ts";
import { readJson } from "../../src/weights/modelFiles.ts";
import { nodeModelFiles } from "../node/nodeFile.ts";
import { numberOption, runCommand, UsageError } from "../cli.ts";
import { parseLayers } from "../layerList.ts";

const USAGE = `Usage: npm run tool -- export --model DIR --out DIR [options]
  --model DIR     folder with config.json (weights are not needed)
  --out DIR       where the .onnx files go; made when it is missing
  --layers A,B,…  storage layers to write per-layer graphs for (default: all the model offers)
  --batch N       rows of the encoding graphs (default 8); graphs of other batch sizes differ in that extent alone
  --suffix N      prompt tokens from the key token to the prompt's end (default 2, the bundled model's)`;

/** A file that was written and loads. */
export interface ExportedGraph {
  readonly file: string;
  readonly what: string;
  readonly nodes: number;
  readonly inputs: number;
  readonly weights: number;
  readonly bytes: number;
}

export interface ExportOptions {
  readonly layers?: readonly number[];
  readonly batch?: number;
  readonly suffix?: number;
}

/**
 * Writes every graph of the model in `directory` to `out` and loads each.
 * @throws naming the graph when one cannot be built or loaded
 */
export async function exportGraphs(
  directory: string,
  out: string,
  options: ExportOptions = {},
): Promise<ExportedGraph[]> {
  const decoder = await readDecoder(directory);
  const { layers = candidateLayers(decoder.config.layers), batch = 8, suffix = 2 } = options;
  const entries = catalog({ layers, encodeBatch: batch, suffix, ...MOMENTS[SHARP.schedule] });
  mkdirSync(out, { recursive: true });
  const device = await createNodeDevice({ backend: "cpu", weightsAs: "inputs" });
  try {
    const written: ExportedGraph[] = [];
    for (const entry of entries) written.push(await writeGraph(device, decoder, entry, out));
    return written;
  } finally {
    await device.dispose();
  }
}

async function readDecoder(directory: string): Promise<Decoder> {
  const files = await nodeModelFiles(directory).catch((error: Error) => {
    throw new UsageError(`--model ${directory}: ${error.message}`);
  });
  const json = present(
    await readJson(files, "config.json"),
    () => `export: ${directory} has no config.json; a Hugging Face model folder is expected`,
  );
  const config = parseConfig(json);
  return { config, family: familyOf(config.architecture) };
}

async function writeGraph(
  device: Device,
  decoder: Decoder,
  { name, what, build }: CatalogEntry,
  out: string,
): Promise<ExportedGraph> {
  const graph = build(decoder);
  const bytes = toOnnx(graph);
  const file = join(out, `${name}.onnx`);
  writeFileSync(file, bytes);
  // Weights are inputs like all others here: nothing is bound, the session only has to be made.
  const session = await device.createSession(bytes, { name, weights: {} });
  const declared = graph.inputs.length + graph.weights.length;
  if (session.inputs.length !== declared)
    throw new Error(
      `export: ${name}: onnxruntime sees ${session.inputs.length} inputs, the graph has ${declared}`,
    );
  await session.release();
  return {
    file,
    what,
    nodes: graph.nodes.length,
    inputs: graph.inputs.length,
    weights: graph.weights.length,
    bytes: bytes.byteLength,
  };
}

/** The table that is printed. */
export function table(graphs: readonly ExportedGraph[]): string {
  const rows = graphs.map((g) =>
    [fileName(g.file), g.what, g.nodes, g.inputs, g.weights, g.bytes].map(String),
  );
  const lines = [["file", "what it is", "nodes", "inputs", "weights", "bytes"], ...rows];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const words = 2; // columns of text; the others are numbers
  const pad = (text: string, column: number) =>
    column < words ? text.padEnd(widths[column]!) : text.padStart(widths[column]!);
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}

const fileName = (path: string): string => path.split(/[\\/]/).at(-1)!;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      model: { type: "string" },
      out: { type: "string" },
      layers: { type: "string" },
      batch: { type: "string" },
      suffix: { type: "string" },
    },
  });
  if (!values.model || !values.out) throw new UsageError("export: --model and --out are needed");
  const batch = numberOption("batch", values.batch, { min: 1, max: 64, whole: true });
  const suffix = numberOption("suffix", values.suffix, { min: 1, whole: true });
  const layers = values.layers === undefined ? undefined : await layersOf(values.model, values.layers);
  const graphs = await exportGraphs(values.model, values.out, {
    ...(layers ? { layers } : {}),
    ...(batch ? { batch } : {}),
    ...(suffix ? { suffix } : {}),
  });
  console.log(table(graphs));
  console.log(`\n${graphs.length} graphs in ${values.out}, each loads in onnxruntime`);
}

async function layersOf(model: string, text: string): Promise<number[]> {
  return parseLayers(text, (await readDecoder(model)).config.layers);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main, USAGE);
