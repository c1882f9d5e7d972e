/**
 * @file `npm run bench:keys`: what smaller forms of stored keys change. Keys of real facts, sentences of novels by their
 * rule-made anchors, compete at each layer as they were read, as float16 and as levels of 8 bits; asked with the
 * activation as it is, and in the form of the key. Prints a table; stores nothing.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import type { Engine } from "../src/engine/engine.ts";
import { openEngine } from "../src/engine/localEngine.ts";
import { ruleAnchor } from "../src/extract/span.ts";
import { sentences } from "../src/ingest/sentences.ts";
import { makeDocument } from "../src/ingest/text.ts";
import { unit } from "../src/lib/vector.ts";
import { toFloat16, toLevels } from "../src/lib/vectorForms.ts";
import { recallPrompt } from "../src/memory/prompt.ts";
import { keyText, type FactKey } from "../src/records/fact.ts";
import { SHARP } from "../src/records/params.ts";
import { createNodeDevice } from "../src/runtime/node.ts";
import { nodeModelFiles } from "../src/weights/nodeFile.ts";
import { commit } from "./commit.ts";
import { numberOption, runCommand } from "./cli.ts";
import { parseLayers } from "./layerList.ts";

const USAGE = `usage: npm run bench:keys -- --data DIR [options]
  --data DIR     where the novels lie (books/NAME.txt.gz)
  --model DIR    model folder (public/models/palimpsest-7m)
  --keys N       stored keys of a layer (4096)
  --others N     keys that are asked for, but not stored (512)
  --layers A,B   layers (all but the last)`;

const OPTIONS = {
  data: { type: "string" },
  model: { type: "string", default: "public/models/palimpsest-7m" },
  keys: { type: "string", default: "4096" },
  others: { type: "string", default: "512" },
  layers: { type: "string" },
} as const;

/** A part of a novel's sentence has about so many characters. */
const PART_CHARACTERS = 55;
/** Two keys closer than this are told apart by their entry (read.ts). */
const SAME_SIMILARITY = 1e-6;

/** How keys and queries are rounded before they are compared. */
const FORMS: readonly (readonly [name: string, key: Rounding, query: Rounding])[] = [
  ["float32", asItIs, asItIs],
  ["float16, query as it is", toFloat16, asItIs],
  ["float16, query too", toFloat16, toFloat16],
  ["8 bits, query as it is", toLevels, asItIs],
  ["8 bits, query too", toLevels, toLevels],
];
type Rounding = (vector: Float32Array) => Float32Array;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.data === undefined) throw new Error("bench:keys: --data is missing; say where the novels lie");
  const count = numberOption("keys", values.keys, { min: 2, whole: true })!;
  const others = numberOption("others", values.others, { min: 1, whole: true })!;
  const device = await createNodeDevice({ backend: "cpu" });
  const engine = await openEngine(device, await nodeModelFiles(values.model));
  const all = Array.from({ length: engine.model.layers - 1 }, (_, i) => i).join();
  const layers = parseLayers(values.layers ?? all, engine.model.layers);
  const keys = await factKeys(values.data, count + others);
  console.log(`commit ${commit() ?? "unknown"}, ${engine.model.name}, ${count} keys, ${others} others\n`);
  console.log(
    "| layer | form | another wins | least lead | own, least | 1st of others another | gate of others another |\n|---|---|---|---|---|---|---|",
  );
  const prompts = keys.map((key) => recallPrompt(engine, key));
  // Twice, in batches of other company: what an address is read as later differs in its last bits.
  const made = await engine.readKeys(prompts, layers);
  const asked = (await engine.readKeys(prompts.toReversed(), layers)).toReversed();
  for (const [at, layer] of layers.entries()) {
    const of = (readings: typeof made) => readings.map((reading) => unit(reading[at]!.activation));
    await compare(engine, layer, of(made).slice(0, count), of(asked));
  }
  await engine.dispose();
  await device.dispose();
}

/** A row of the table for each form of `stored`, asked by `queries`: those of the stored keys first, then others. */
async function compare(
  engine: Engine,
  layer: number,
  stored: readonly Float32Array[],
  queries: readonly Float32Array[],
): Promise<void> {
  let plain: readonly Winner[] = [];
  for (const [name, key, query] of FORMS) {
    const found = await winners(engine, layer, stored.map(key), queries.map(query));
    if (plain.length === 0) plain = found;
    const own = found.slice(0, stored.length);
    const lost = own.filter(({ own, best }) => own < best - SAME_SIMILARITY).length;
    const leads = own.map(({ own, second }) => own - second);
    const least = (numbers: readonly number[]): string => Math.min(...numbers).toExponential(2);
    const others = found.slice(stored.length).map((one, i) => [one, plain[stored.length + i]!] as const);
    const another = others.filter(([one, before]) => one.place !== before.place).length;
    const gate = others.filter(
      ([one, before]) => one.best > SHARP.theta !== before.best > SHARP.theta,
    ).length;
    const columns = [layer, name, lost, least(leads), least(own.map(({ own }) => own)), another, gate];
    console.log(`| ${columns.join(" | ")} |`);
  }
}

interface Winner {
  /** Of the nearest key. */
  readonly place: number;
  readonly best: number;
  /** Of the query's own key (NaN for others), and of the nearest one of the others. */
  readonly own: number;
  readonly second: number;
}

async function winners(
  engine: Engine,
  layer: number,
  keys: readonly Float32Array[],
  queries: readonly Float32Array[],
): Promise<Winner[]> {
  const width = keys[0]!.length;
  const matrix = new Float32Array(keys.length * width);
  for (const [i, key] of keys.entries()) matrix.set(key, i * width);
  const memory = engine.openLayer(layer, matrix, () => new Float32Array());
  try {
    return (await memory.similarity(queries)).map((row, i): Winner => {
      let [place, second] = [0, -Infinity];
      for (const [at, cosine] of row.entries()) {
        if (cosine > row[place]!) place = at;
        if (at !== i && cosine > second) second = cosine;
      }
      return { place, best: row[place]!, own: row[i] ?? NaN, second };
    });
  } finally {
    memory.dispose();
  }
}

/** Keys κ of the sentences of novels, in the order of the text: anchor, rank among those of it, and part. */
async function factKeys(data: string, count: number): Promise<FactKey[]> {
  /** By their words: one key of two books would be one address. */
  const keys = new Map<string, FactKey>();
  const folder = join(data, "books");
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".txt.gz"))) {
    const ranks = new Map<string, number>();
    const text = gunzipSync(await readFile(join(folder, file))).toString("utf8");
    for (const sentence of sentences(makeDocument(file, text.slice(20_000, 80_000)))) {
      const anchor = ruleAnchor(sentence.text, { compound: true });
      const index = (ranks.get(anchor) ?? 0) + 1;
      ranks.set(anchor, index);
      const parts = Math.ceil(sentence.text.length / PART_CHARACTERS);
      for (let part = 1; part <= parts; part++) {
        const key = { anchor, index, part };
        keys.set(keyText(key), key);
      }
    }
    if (keys.size >= count) break;
  }
  if (keys.size < count)
    throw new Error(`bench:keys: ${folder} gives ${keys.size} keys, ${count} are asked for; ask for fewer`);
  return [...keys.values()].slice(0, count);
}

function asItIs(vector: Float32Array): Float32Array {
  return vector;
}

await runCommand(main, USAGE);
