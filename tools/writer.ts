/** @file `npm run writer`: trains a writer for a model on texts, so that memorising with it takes one pass in place of Adam's steps. */

import { constants, existsSync } from "node:fs";
import { access, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { WRITER_FILE } from "../src/records/model.ts";
import { teachWriter, type TeachProgress } from "../src/flow/teachWriter.ts";
import { TRAINING_FILE } from "../src/engine/teaching.ts";
import { inMemoryStore } from "../src/store/inMemory.ts";
import { SHARP } from "../src/records/params.ts";
import { Cancelled } from "../src/lib/assert.ts";
import { wilson } from "../src/lib/stats.ts";
import {
  choiceOption,
  numberOption,
  openModel,
  PRECISION_OPTION,
  PRECISION_USAGE,
  precisionOption,
  readDocument,
  runCommand,
  UsageError,
} from "./cli.ts";
import { parseLayers } from "./layerList.ts";

const USAGE = `usage: npm run writer -- --model DIR --text FILE … [--minutes M]
  --text FILE            texts that the writer learns from, in the language that will be memorised; a novel is enough
  --minutes M            of training (20). Ctrl+C pauses; the same command goes on, also with more minutes
  --layers 3,4,5         storage layers (default: the best of the layer probe)
  --replace              trains a new writer although the model has one
  --backend cpu|webgpu   where the model runs
${PRECISION_USAGE}
The writer is written to DIR/${WRITER_FILE}, and used by every later run with this model. Delete the file to remove it.`;

const OPTIONS = {
  model: { type: "string" },
  text: { type: "string", multiple: true },
  minutes: { type: "string", default: "20" },
  layers: { type: "string" },
  replace: { type: "boolean", default: false },
  backend: { type: "string", default: "cpu" },
  ...PRECISION_OPTION,
} as const;

const LINE_EVERY_S = 15;

/** A line at times, and the newest one in place on a terminal. */
function printer(minutes: number): (progress: TeachProgress) => void {
  let last = { stage: "", seconds: -Infinity };
  return ({ stage, seconds, steps, right }) => {
    const lines = {
      layers: "finding layers that store facts",
      size: "finding the size of vectors that the model takes",
      steps: `step ${steps}, ${(seconds / 60).toFixed(1)} of ${minutes} minutes, ${(100 * right).toFixed(1)} % of tokens right`,
      test: "testing on sentences that it has not seen",
    };
    if (stage === last.stage && (stage !== "steps" || seconds - last.seconds < LINE_EVERY_S)) return;
    last = { stage, seconds };
    console.error(lines[stage]);
  };
}

async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.part`, bytes);
  await rename(`${path}.part`, path);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const { model, text = [] } = values;
  if (model === undefined || model.trim() === "")
    throw new UsageError("--model is missing: the folder of a model");
  if (text.length === 0) throw new UsageError("--text is missing: a text that the writer learns from");
  const minutes = numberOption("minutes", values.minutes, { min: 0.1 })!;
  const backend = choiceOption("backend", values.backend, ["cpu", "webgpu"]);
  const [file, training] = [join(model, WRITER_FILE), join(model, TRAINING_FILE)];
  if (existsSync(file) && !values.replace)
    throw new UsageError(`${file} exists: this model has a writer; --replace trains a new one`);
  const documents = await Promise.all(text.map(readDocument));
  const kept = existsSync(training) ? new Uint8Array(await readFile(training)) : undefined;
  const { engine, device } = await openModel(model, backend, undefined, precisionOption(values));
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  try {
    const layers =
      values.layers === undefined ? undefined : parseLayers(values.layers, engine.model.layers - 1);
    await access(model, constants.W_OK).catch(() => {
      throw new UsageError(
        `${model} cannot be written to, and keeps the writer: change its rights, or copy it`,
      );
    });
    const done = await teachWriter(
      {
        ...{ engine, openTeaching: engine.openTeaching, store: inMemoryStore(), params: SHARP },
        now: () => performance.now(),
        date: () => new Date().toISOString(),
        signal: stop.signal,
        onProgress: printer(minutes),
        onKept: (bytes) => replaceFile(training, bytes),
      },
      documents,
      { minutes, layers, kept },
    );
    await replaceFile(file, done.file);
    await rm(training, { force: true });
    const { exact, of } = done.tested;
    const [low, high] = wilson(exact, of).map((share) => (100 * share).toFixed(0));
    console.log(
      `${done.steps} steps in ${(done.seconds / 60).toFixed(1)} minutes. Of ${of} parts of sentences that it has not seen it ` +
        `writes ${exact} exactly (${low} to ${high} %), at layers ${done.layers.join(", ")}.\n` +
        `Written to ${file} (${(done.file.length / 2 ** 20).toFixed(1)} MB).`,
    );
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    console.error(
      existsSync(training)
        ? `paused; ${training} keeps the training, and the same command goes on`
        : "stopped before the first step, so nothing is kept",
    );
    process.exitCode = 130;
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

await runCommand(main, USAGE);
