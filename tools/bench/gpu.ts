/**
 * @file `npm run bench:gpu`: times of models in the shapes of real ones, through onnxruntime-node's WebGPU provider and in
 * Chromium. Weights are made here, without a network. Every finished case is saved; the same command continues with the
 * others, and tries failed ones again.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Limits } from "./gpu/limits.ts";
import { fileOf, FORMAT, table, type GpuCase, type Place } from "./gpu/table.ts";
import { choiceOption, numberOption, runCommand, UsageError } from "../cli.ts";
import { commit } from "../commit.ts";
import { openPlace, type OpenPlace, type ShapeCase } from "./gpu/places.ts";
import { MODEL_SHAPES, type ModelShape } from "../modelShapes.ts";

const USAGE = `usage: npm run bench:gpu -- --out DIR [options]
  --out DIR            one JSON file per case, and table.md; existing results are kept
  --minutes N          start no case after so many (9)
  --shapes A,B,…       ${Object.keys(MODEL_SHAPES).join(", ")} (all but tiny)
  --precisions A,B,…   q8, q4, f16, f32 (the first three)
  --backend A,B,…      webgpu (onnxruntime-node's), chromium (if installed), cpu (the first two)
  --software           in Chromium use the software adapter, which is refused otherwise
  --adapter NAME       name of the card, which onnxruntime-node does not report
  --gigabytes N        per second of the card's memory (measured with each case)
  --teraflops N        of float32 per second (measured with each case)
On a software adapter: VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json LD_LIBRARY_PATH=/usr/lib/chromium
npm run bench:gpu -- --out /tmp/gpu --shapes tiny --precisions q8 --software`;

const OPTIONS = {
  out: { type: "string" },
  minutes: { type: "string", default: "9" },
  shapes: { type: "string", default: "qwen3-0.6b,qwen3-1.7b,qwen3-4b,phi3.5-mini,llama3.1-8b" },
  precisions: { type: "string", default: "q8,q4,f16" },
  backend: { type: "string", default: "webgpu,chromium" },
  software: { type: "boolean", default: false },
  adapter: { type: "string" },
  gigabytes: { type: "string" },
  teraflops: { type: "string" },
} as const;

interface Wanted {
  readonly name: ShapeCase;
  readonly at: OpenPlace;
  readonly file: string;
  readonly record: GpuCase | undefined;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const { out, software, adapter } = values;
  if (!out) throw new UsageError("--out is missing: a folder for the results");
  const backends = list("backend", values.backend, ["webgpu", "chromium", "cpu"] as const);
  const shapes = list("shapes", values.shapes, Object.keys(MODEL_SHAPES) as ModelShape[]);
  const precisions = list("precisions", values.precisions, ["q8", "q4", "f16", "f32"] as const);
  const until = performance.now() + numberOption("minutes", values.minutes, { min: 0 })! * 60_000;
  const given = givenLimits(values);
  mkdirSync(out, { recursive: true });
  const places = await openPlaces(backends, { software, adapter });
  try {
    const names = shapes.flatMap((shape) => precisions.map((precision) => ({ shape, precision })));
    const all = () => names.flatMap((name) => places.map((at) => wantedCase(out, at, name)));
    const left = all().filter(({ record }) => !record?.figures);
    // Cases that were never tried come before those that failed.
    for (const one of left.toSorted((a, b) => Number(!!a.record) - Number(!!b.record))) {
      const what = `${one.name.shape} ${one.name.precision} (${one.at.place.backend})`;
      if (performance.now() > until) console.error(`${what}: no time left; run the same command to continue`);
      else {
        console.error(`${what}${one.record ? `, again: ${one.record.failed}` : ""}`);
        await runCase(one, given);
      }
    }
    const text = table(all().flatMap(({ record }) => record ?? []));
    writeFileSync(join(out, "table.md"), text);
    console.log(text);
  } finally {
    for (const { close } of places) await close();
  }
}

function givenLimits(values: { readonly gigabytes?: string; readonly teraflops?: string }): Partial<Limits> {
  const gigabytes = numberOption("gigabytes", values.gigabytes, { min: 0.1 });
  const teraflops = numberOption("teraflops", values.teraflops, { min: 0.001 });
  return {
    ...(gigabytes && { bytesPerSecond: gigabytes * 1e9 }),
    ...(teraflops && { flopsPerSecond: teraflops * 1e12 }),
  };
}

/** The places that can be opened. @throws if none can */
async function openPlaces(
  backends: readonly Place["backend"][],
  options: Parameters<typeof openPlace>[1],
): Promise<OpenPlace[]> {
  const places: OpenPlace[] = [];
  let refused: Error | undefined;
  for (const backend of backends)
    try {
      places.push(await openPlace(backend, options));
    } catch (error) {
      refused = error as Error;
      console.error(`${backend} is left out: ${refused.message}`);
    }
  if (places.length === 0 && refused) throw refused;
  return places;
}

function wantedCase(out: string, at: OpenPlace, name: ShapeCase): Wanted {
  const file = join(out, fileOf(at.place, name));
  const found = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as GpuCase) : undefined;
  return { name, at, file, record: found?.format === FORMAT ? found : undefined };
}

/** Measures a case and saves the result. A process that dies, e.g. without memory, leaves the reason in the file. */
async function runCase({ name, at, file }: Wanted, given: Partial<Limits>): Promise<void> {
  const about = {
    ...({ format: FORMAT, ...name, place: at.place } as const),
    ...{ commit: commit() ?? "unknown", date: new Date().toISOString() },
  };
  const write = (rest: Pick<GpuCase, "limits" | "figures" | "failed">): void => {
    const record: GpuCase = { ...about, ...rest };
    writeFileSync(file, JSON.stringify(record, null, 1));
  };
  write({ limits: null, figures: null, failed: "the process ended before the case did" });
  try {
    write({ ...(await at.measure(name, given, (note) => console.error(`  ${note}`))), failed: null });
  } catch (error) {
    const failed = (error as Error).message;
    console.error(`  failed: ${failed}`);
    write({ limits: null, figures: null, failed });
  }
}

const list = <T extends string>(name: string, text: string, known: readonly T[]): T[] =>
  text.split(",").map((one) => choiceOption(name, one.trim(), known));

await runCommand(main, USAGE);
