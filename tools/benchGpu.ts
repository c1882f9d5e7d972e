/**
 * @file `npm run bench:gpu`: what a GPU makes of models in the shapes of real ones, through onnxruntime-node's WebGPU
 * provider. Weights are made here: no network, no shared files. Every case is written when it is done, and not run again.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureCase } from "../src/bench/gpu/cases.ts";
import { measureLimits, type Limits } from "../src/bench/gpu/limits.ts";
import { table, type TableCase } from "../src/bench/gpu/table.ts";
import type { Precision } from "../src/lib/precision.ts";
import { createNodeDevice } from "../src/runtime/node.ts";
import { choiceOption, numberOption, runCommand, UsageError } from "./cli.ts";
import { commit } from "./commit.ts";
import { madeModelFiles } from "./madeModel.ts";
import { MODEL_SHAPES, type ModelShape } from "./modelShapes.ts";

const USAGE = `usage: npm run bench:gpu -- --out DIR [options]
  --out DIR            one JSON a case, and table.md; what is there already is not measured again
  --minutes N          start no case after so many (9)
  --shapes A,B,…       ${Object.keys(MODEL_SHAPES).join(", ")} (all but tiny)
  --precisions A,B,…   q8, q4, f16, f32 (the first three)
  --backend webgpu|cpu (webgpu)
  --gigabytes N        a second that the card's memory moves; measured where it is not given
  --teraflops N        of float32 a second that it computes; measured where it is not given
On a software adapter: VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json LD_LIBRARY_PATH=/usr/lib/chromium
npm run bench:gpu -- --out /tmp/gpu --shapes tiny`;

const OPTIONS = {
  out: { type: "string" },
  minutes: { type: "string", default: "9" },
  shapes: { type: "string", default: "qwen3-0.6b,qwen3-1.7b,qwen3-4b,phi3.5-mini,llama3.1-8b" },
  precisions: { type: "string", default: "q8,q4,f16" },
  backend: { type: "string", default: "webgpu" },
  gigabytes: { type: "string" },
  teraflops: { type: "string" },
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const { out } = values;
  if (!out) throw new UsageError("--out is missing: a folder for the results");
  const backend = choiceOption("backend", values.backend, ["webgpu", "cpu"]);
  const shapes = list("shapes", values.shapes, Object.keys(MODEL_SHAPES) as ModelShape[]);
  const precisions = list("precisions", values.precisions, ["q8", "q4", "f16", "f32"] as const);
  const minutes = numberOption("minutes", values.minutes, { min: 0 })!;
  const given = {
    bytesPerSecond: numberOption("gigabytes", values.gigabytes, { min: 0.1 }),
    flopsPerSecond: numberOption("teraflops", values.teraflops, { min: 0.001 }),
  };
  mkdirSync(out, { recursive: true });
  const until = performance.now() + minutes * 60_000;
  const limits = await limitsOf(out, backend, given);
  for (const shape of shapes)
    for (const precision of precisions) {
      const file = join(out, `${shape}.${precision}.json`);
      if (existsSync(file)) continue;
      if (performance.now() > until) {
        console.error(`${shape} ${precision}: no time left; the same command goes on from here`);
        continue;
      }
      console.error(`${shape} ${precision}`);
      writeFileSync(file, JSON.stringify(await runCase(shape, precision, backend, limits), null, 1));
    }
  const done = shapes.flatMap((shape) => precisions.flatMap((precision) => read(out, shape, precision)));
  const text = table(done);
  writeFileSync(join(out, "table.md"), text);
  console.log(text);
}

/** Measured once for a folder: cases of several sittings have the same limits beside them. */
async function limitsOf(
  out: string,
  backend: "webgpu" | "cpu",
  given: { readonly bytesPerSecond: number | undefined; readonly flopsPerSecond: number | undefined },
): Promise<Limits> {
  const file = join(out, "limits.json");
  if (!existsSync(file)) {
    const device = await createNodeDevice({ backend });
    writeFileSync(file, JSON.stringify(await measureLimits(device), null, 1));
    await device.dispose();
  }
  const measured = JSON.parse(readFileSync(file, "utf8")) as Limits;
  return {
    bytesPerSecond: given.bytesPerSecond ? given.bytesPerSecond * 1e9 : measured.bytesPerSecond,
    flopsPerSecond: given.flopsPerSecond ? given.flopsPerSecond * 1e12 : measured.flopsPerSecond,
  };
}

async function runCase(
  shape: ModelShape,
  precision: Precision,
  backend: "webgpu" | "cpu",
  limits: Limits,
): Promise<TableCase> {
  const device = await createNodeDevice({ backend });
  const about = {
    ...{ shape, precision, limits },
    commit: commit() ?? "unknown",
    date: new Date().toISOString(),
    runtime: device.capabilities.runtime,
  };
  try {
    const said = (note: string) => console.error(`  ${note}`);
    const figures = await measureCase(device, madeModelFiles(shape), precision, limits, said);
    return { ...about, figures, failed: null };
  } catch (error) {
    const failed = (error as Error).message;
    console.error(`  failed: ${failed}`);
    return { ...about, figures: null, failed };
  } finally {
    await device.dispose();
  }
}

function read(out: string, shape: ModelShape, precision: Precision): TableCase[] {
  const file = join(out, `${shape}.${precision}.json`);
  return existsSync(file) ? [JSON.parse(readFileSync(file, "utf8")) as TableCase] : [];
}

const list = <T extends string>(name: string, text: string, known: readonly T[]): T[] =>
  text.split(",").map((one) => choiceOption(name, one.trim(), known));

await runCommand(main, USAGE);
