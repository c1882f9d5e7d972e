/**
 * @file `npm run bench -- large`: makes a model in the shape of a real one, opens it in a separate process, encodes and recalls
 * some facts, opens it again from its rounded copy, and prints times and memory as JSON. The made files are deleted.
 */

import { spawn } from "node:child_process";
import { mkdtemp, open as openFile, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MADE_SENTENCES } from "./encode/sentences.ts";
import { openEngine, type LocalEngine } from "../../src/engine/localEngine.ts";
import { present } from "../../src/lib/assert.ts";
import { levelBits, PRECISIONS, type Precision } from "../../src/lib/precision.ts";
import { encodeFacts } from "../../src/memory/encode.ts";
import { openReader } from "../../src/memory/read.ts";
import type { PlannedFact } from "../../src/records/fact.ts";
import { charOffset, documentId, factId, layerIndex } from "../../src/records/ids.ts";
import { byFact, type MemoryEntry } from "../../src/records/memory.ts";
import type { CopyReport } from "../../src/records/model.ts";
import { SHARP } from "../../src/records/params.ts";
import { createNodeDevice } from "../node/nodeDevice.ts";
import type { Beside } from "../../src/weights/modelFiles.ts";
import { nodeFileSource, nodeModelFiles } from "../node/nodeFile.ts";
import { choiceOption, numberOption, runCommand } from "../cli.ts";
import { makeModel } from "../makeModel.ts";
import { MODEL_SHAPES, type ModelShape } from "../modelShapes.ts";

const USAGE = `usage: npm run bench -- large [options]
  --shape NAME       ${Object.keys(MODEL_SHAPES).join(", ")} (qwen3-0.6b)
  --precision ${PRECISIONS.join("|")}   (q8)
  --facts N          facts to encode and recall (8)
  --steps N          guided steps at most (30)
  --dir DIR          an existing model folder instead of a made one; it stays`;

const OPTIONS = {
  shape: { type: "string", default: "qwen3-0.6b" },
  precision: { type: "string", default: "q8" },
  facts: { type: "string", default: "8" },
  steps: { type: "string", default: "30" },
  dir: { type: "string" },
  measure: { type: "boolean", default: false },
  "open-only": { type: "boolean", default: false },
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const precision = choiceOption("precision", values.precision, PRECISIONS);
  const whole = (name: "facts" | "steps") => numberOption(name, values[name], { min: 1, whole: true })!;
  if (values["open-only"] && values.dir) {
    console.log(JSON.stringify(await opening(values.dir, precision)));
    return;
  }
  if (values.measure && values.dir) {
    console.log(
      JSON.stringify(await measure(values.dir, precision, whole("facts"), whole("steps")), null, 1),
    );
    return;
  }
  const shape = choiceOption("shape", values.shape, Object.keys(MODEL_SHAPES) as ModelShape[]);
  const directory = values.dir ?? (await mkdtemp(join(tmpdir(), "palimpsest-large-")));
  try {
    if (values.dir === undefined)
      console.error(`${shape}: ${await makeModel(directory, shape)} bytes of made weights`);
    const same = ["--dir", directory, "--precision", precision];
    const run = await inOwnProcess(["--measure", ...same, "--facts", values.facts, "--steps", values.steps]);
    // A copy is made only in a folder that is deleted: what a person keeps is not added to.
    const starts =
      values.dir === undefined && levelBits(precision) ? await twoStarts(["--open-only", ...same]) : {};
    console.log(JSON.stringify({ ...(JSON.parse(run) as Large), ...starts }, null, 1));
  } finally {
    if (values.dir === undefined) await rm(directory, { recursive: true });
  }
}

/** Opens the model twice with a rounded copy: the first start makes the copy, the second reads it. */
async function twoStarts(args: readonly string[]): Promise<{ readonly starts: readonly Opening[] }> {
  const starts: Opening[] = [];
  for (let i = 0; i < 2; i++) starts.push(JSON.parse(await inOwnProcess(args)) as Opening);
  return { starts };
}

/** Output of a child process, so that memory is that of a fresh process. */
function inOwnProcess(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ["--expose-gc", "--import", "tsx", import.meta.filename, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0
        ? resolve(said)
        : reject(new Error(`bench:large: the measuring process ended with ${String(code)}`)),
    );
  });
}

/** A start with a rounded copy. */
interface Opening {
  readonly from: CopyReport["from"];
  readonly seconds: number;
  /** Bytes of weights that were read. */
  readonly read: number;
  /** Resident bytes beyond the start, at most. */
  readonly open: number;
}

async function opening(directory: string, precision: Precision): Promise<Opening> {
  globalThis.gc?.();
  const before = await resident("VmRSS");
  const device = await createNodeDevice({ backend: "cpu" });
  const files = { ...(await nodeModelFiles(directory)), beside: besideOnDisk(directory) };
  let read = 0;
  const onProgress = ({ done }: { readonly done: number }): void => void (read = done);
  const { value: engine, seconds } = await timed(() => openEngine(device, files, { precision, onProgress }));
  const open = (await resident("VmHWM")) - before;
  const { from } = present(engine.copy, () => `bench:large: no copy is kept in ${precision}; take q8 or q4`);
  await engine.dispose();
  await device.dispose();
  return { from, seconds, read, open };
}

/** Storage for the copy in the folder of the model. */
function besideOnDisk(directory: string): Beside {
  return {
    content: directory,
    open: (name) => nodeFileSource(join(directory, name)).catch(() => undefined),
    writer: async (name) => {
      const handle = await openFile(join(directory, name), "w");
      return { write: (bytes) => handle.writeFile(bytes), close: () => handle.close() };
    },
    remove: (name) => rm(join(directory, name), { force: true }),
    room: () => Promise.resolve(null),
  };
}

interface Large {
  readonly model: string;
  readonly precision: Precision;
  readonly seconds: { readonly open: number; readonly encode: number; readonly recall: number };
  /** Resident bytes beyond the start: the most while the model was opened, and in all. */
  readonly bytes: { readonly weights: number; readonly open: number; readonly run: number };
  readonly facts: number;
  /** Reported exact, and of these those whose recall through the gate is what was stored. */
  readonly exact: number;
  readonly recalled: number;
}

async function measure(
  directory: string,
  precision: Precision,
  count: number,
  steps: number,
): Promise<Large> {
  globalThis.gc?.();
  const before = await resident("VmRSS");
  const device = await createNodeDevice({ backend: "cpu" });
  const opened = await timed(async () => openEngine(device, await nodeModelFiles(directory), { precision }));
  const engine = opened.value;
  const open = (await resident("VmHWM")) - before;
  console.error(`open in ${opened.seconds.toFixed(1)} s, ${(open / 1e9).toFixed(2)} GB beyond the start`);
  const planned = facts(engine, count);
  const encoded = await timed(() => encodeAll(engine, planned, steps));
  const told = await timed(() => recallAll(engine, encoded.value));
  const exact = byFact(encoded.value).filter((parts) => parts.every(({ report }) => report.exact));
  const values = new Map(planned.map(({ fact }) => [fact.id, fact.value]));
  const result: Large = {
    model: engine.model.architecture,
    precision,
    seconds: { open: opened.seconds, encode: encoded.seconds, recall: told.seconds },
    bytes: { weights: device.ledger.bytes.weights, open, run: (await resident("VmHWM")) - before },
    facts: planned.length,
    exact: exact.length,
    recalled: exact.filter(([part]) => told.value.get(part!.id)?.trim() === values.get(part!.id)).length,
  };
  await engine.dispose();
  await device.dispose();
  return result;
}

/**
 * Facts of one word: made weights were never taught to be steered. Late layers are cheap, since a step computes only the layers above.
 */
function facts({ model }: LocalEngine, count: number): PlannedFact[] {
  const document = documentId("0123456789abcdef");
  return MADE_SENTENCES.slice(0, count).map((sentence, i) => {
    const value = sentence.split(" ").at(-1)!;
    const offset = charOffset(i * 100);
    const fact = {
      id: factId(document, offset),
      documentId: document,
      anchor: `note ${i + 1}`,
      anchorOrder: i,
      index: 1,
      value,
      offset,
    };
    return { fact, layer: layerIndex(model.layers - 3) };
  });
}

async function encodeAll(
  engine: LocalEngine,
  planned: readonly PlannedFact[],
  steps: number,
): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  for await (const group of encodeFacts(engine, planned, { ...SHARP, steps, partTokens: null })) {
    entries.push(...group);
    console.error(`${entries.length} vectors, ${entries.filter(({ report }) => report.exact).length} exact`);
  }
  return entries;
}

/** The recalled text of every fact, by id. */
async function recallAll(
  engine: LocalEngine,
  entries: readonly MemoryEntry[],
): Promise<ReadonlyMap<string, string>> {
  const reader = openReader(engine, { entries }, SHARP);
  const groups = byFact(entries);
  const said = await reader.recall(groups);
  reader.dispose();
  return new Map(groups.map(([part], i) => [part!.id, engine.decode(said[i]!.tokens)]));
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const started = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - started) / 1000 };
}

/** Bytes resident now, or the most there were, as the kernel counts. */
async function resident(which: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8");
  return Number(new RegExp(`${which}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) * 1024;
}

await runCommand(main, USAGE);
