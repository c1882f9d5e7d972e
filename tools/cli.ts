/** @file Shared by the commands: options, opening a model in Node, progress. */

import { readFile as readBytes } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Embedder } from "../src/engine/embed.ts";
import { openEngine, type EngineOptions, type LocalEngine } from "../src/engine/localEngine.ts";
import { type TransformersSource, transformersEmbedder } from "../src/engine/transformersFiles.ts";
import { describeModel, precisionSizes } from "../src/engine/describe.ts";
import { defaultPrecision, PRECISIONS, type Precision } from "../src/lib/precision.ts";
import { readFile } from "../src/ingest/readers/readFile.ts";
import { DTYPES, preflightLine, type EmbedderDtype } from "../src/records/model.ts";
import type { Progress, MemorizeStage, RunShare } from "../src/records/progress.ts";
import type { Document } from "../src/records/source.ts";
import type { Device } from "../src/runtime/device.ts";
import type { NodeDeviceOptions } from "./node/nodeDevice.ts";
import { openNodeDevice } from "./node/webGpuDevice.ts";
import { readJson, type ModelFiles } from "../src/weights/modelFiles.ts";
import { nodeModelFiles } from "./node/nodeFile.ts";

/** Opened if no other model is named. */
export const BUNDLED_MODEL = "public/models/palimpsest-7m";

/** A wrong command line: the message is shown without a stack. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A numeric option within bounds; undefined when it was not given. */
export function numberOption(
  name: string,
  text: string | undefined,
  { min, max = Infinity, whole = false }: { min: number; max?: number; whole?: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  const inRange = Number.isFinite(value) && value >= min && value <= max;
  const fits = text.trim() !== "" && inRange && (!whole || Number.isInteger(value));
  if (!fits)
    throw new UsageError(
      `--${name} is "${text}", expected a ${whole ? "whole " : ""}number from ${min}${max === Infinity ? "" : ` to ${max}`}`,
    );
  return value;
}

/** One of a few words. */
export function choiceOption<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw new UsageError(`--${name} is "${text}", expected one of: ${choices.join(", ")}`);
  return found;
}

/** The option of commands that open a model in a precision of the user's choice. */
export const PRECISION_OPTION = { precision: { type: "string" } } as const;

export const PRECISION_USAGE = `  --precision ${PRECISIONS.join("|")}   of the model's matrices (default: q8 for 0.3 billion weights or more, otherwise f32)`;

/** The value of {@link PRECISION_OPTION}; by default the model's size decides. */
export const precisionOption = (values: {
  readonly precision?: string | undefined;
}): { readonly precision?: Precision } =>
  values.precision === undefined
    ? {}
    : { precision: choiceOption("precision", values.precision, PRECISIONS) };

/** Opens a model folder on a device in Node, with its own text embedder or another one. The caller disposes of both. */
export async function openModel(
  directory: string,
  backend: "cpu" | "webgpu",
  embedder?: EmbedderOption,
  { threads, ...options }: Pick<EngineOptions, "precision"> & Pick<NodeDeviceOptions, "threads"> = {},
): Promise<{ engine: LocalEngine; device: Device }> {
  const files = await modelFiles(directory);
  const configured = embedder === undefined ? {} : { embedder: await openEmbedder(embedder) };
  const device = await openNodeDevice(backend, threads === undefined ? {} : { threads });
  await sayWhatItTakes(files, device);
  try {
    const reader = await modelFiles(BUNDLED_MODEL);
    return { engine: await openEngine(device, files, { reader, ...configured, ...options }), device };
  } catch (error) {
    await device.dispose();
    throw error;
  }
}

/** Of a model that has a choice of precisions worth knowing of: what each takes, before anything is read. */
async function sayWhatItTakes(files: ModelFiles, { capabilities }: Device): Promise<void> {
  const config = await readJson(files, "config.json").catch(() => undefined);
  if (config === undefined) return; // openEngine reports the problem
  const described = describeModel(config);
  if (defaultPrecision(described.parameters) === "f32") return;
  console.error(preflightLine(basename(files.name), precisionSizes(described, [capabilities])));
}

/** An embedding model as a command line names it. */
export interface EmbedderOption {
  /** A folder, or "hub:OWNER/NAME". */
  readonly from: string;
  readonly dtype: EmbedderDtype;
}

/** Options of commands that take another embedder. */
export const EMBEDDER_OPTIONS = {
  embedder: { type: "string" },
  "embedder-dtype": { type: "string", default: "fp32" },
} as const;

/** The value of {@link EMBEDDER_OPTIONS}; undefined: the model itself. */
export function embedderOption(values: {
  readonly embedder?: string | undefined;
  readonly "embedder-dtype": string;
}): EmbedderOption | undefined {
  const dtype = choiceOption("embedder-dtype", values["embedder-dtype"], DTYPES);
  return values.embedder === undefined ? undefined : { from: values.embedder, dtype };
}

export const EMBEDDER_USAGE = `  --embedder DIR         a feature-extraction model (ONNX, transformers.js layout) instead of mean-pooled hidden states;
                         hub:OWNER/NAME asks the Hub for it; pooling and prefixes of BGE, GTE and E5 are known
  --embedder-dtype T     its weights: ${DTYPES.join(", ")} (fp32)`;

const openEmbedder = async (option: EmbedderOption): Promise<Embedder> =>
  transformersEmbedder(await transformersSource("--embedder", option));

/** A local model of transformers.js, whose files tell it from another of its folder's name, or one of the Hub. */
export async function transformersSource(
  option: string,
  { from, dtype }: EmbedderOption,
): Promise<TransformersSource> {
  const [, repo] = /^hub:(.+)$/.exec(from) ?? [];
  if (repo !== undefined) return { model: repo, remote: true, dtype };
  const path = resolve(from);
  return { model: basename(path), files: await modelFiles(path, option), dtype };
}

async function modelFiles(directory: string, option = "--model"): Promise<ModelFiles> {
  return nodeModelFiles(directory).catch((error: unknown) => {
    throw new UsageError(`${option} ${directory}: ${reason(error, "folder")}`);
  });
}

/** The reason of a file system error, in words. */
function reason(error: unknown, what: "file" | "folder"): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return `there is no such ${what}`;
  if (code === "ENOTDIR") return "this is a file; a folder with config.json and *.safetensors is expected";
  if (code === "EISDIR") return "this is a folder; a text file is expected";
  if (code === "EACCES" || code === "EPERM") return `no permission to read this ${what}`;
  return message;
}

/** A file of any format that the page reads (text, Markdown, CSV, HTML, PDF, EPUB, Word) as a document; what had to be assumed is said. */
export async function readDocument(path: string): Promise<Document> {
  const bytes = await readBytes(path).catch((error: unknown) => {
    throw new UsageError(`--text ${path}: ${reason(error, "file")}`);
  });
  const { document, notes } = await readFile(bytes, basename(path));
  for (const note of notes) console.error(note);
  return document;
}

/** Interval of progress lines without a terminal. */
const LINE_EVERY_MS = 10_000;
/** Stages of which every line is shown. */
const WHOLE_STAGES: readonly MemorizeStage[] = ["read", "layers", "budget"];

/** "about 80 s left" of a run; nothing while that is not known. */
const leftText = (run: RunShare | undefined): string =>
  typeof run?.secondsLeft === "number" ? `   about ${Math.ceil(run.secondsLeft)} s left` : "";

/** Progress on stderr: one line per stage, rewritten in place on a terminal, otherwise a line from time to time. */
export function progressPrinter(): (progress: Progress) => void {
  const { isTTY: tty, columns = 80 } = process.stderr;
  let written = performance.now();
  let last = "";
  return ({ stage, done, total, note, run }) => {
    const line = `${stage.padEnd(9)} ${done}${total === null ? "" : ` / ${total}`}${note ? `   ${note}` : ""}${leftText(run)}`;
    const place = `${stage} ${done}`;
    const whole = done === total || (WHOLE_STAGES.includes(stage) && place !== last);
    last = place;
    if (tty) process.stderr.write(`\r\x1b[K${line.slice(0, columns - 1)}${whole ? "\n" : ""}`);
    else if (whole || performance.now() - written > LINE_EVERY_MS) {
      process.stderr.write(`${line}\n`);
      written = performance.now();
    }
  };
}

/** Runs a command; wrong usage and expected failures end with a message and a non-zero exit code. */
export async function runCommand(main: () => Promise<void>, usage: string): Promise<void> {
  if (process.argv.slice(2).some((arg) => arg === "--help" || arg === "-h")) {
    console.log(usage);
    return;
  }
  try {
    await main();
  } catch (error) {
    if (error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS")) {
      const [command = ""] = /npm run \S+ -- (?:\w+ )?/.exec(usage) ?? [];
      console.error(`${(error as Error).message}\nSee ${command}--help for all options.`);
      process.exitCode = 2;
      return;
    }
    // A line of progress may stand unfinished on a terminal.
    if (process.stderr.isTTY) console.error();
    console.error(process.env["DEBUG"] ? error : `error: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
