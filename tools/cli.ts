/** @file What the commands share: reading options, opening a model in Node, telling the user how far things are. */

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { openEngine } from "../src/engine/localEngine.ts";
import type { Engine } from "../src/engine/engine.ts";
import { decodeText, makeDocument } from "../src/ingest/text.ts";
import type { Progress } from "../src/flow/context.ts";
import type { Document } from "../src/records/source.ts";
import type { Device } from "../src/runtime/device.ts";
import { createNodeDevice } from "../src/runtime/node.ts";
import { nodeModelFiles } from "../src/weights/nodeFile.ts";

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
  const fits = text.trim() !== "" && value >= min && value <= max && (!whole || Number.isInteger(value));
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

/** Opens a model folder on a device in Node. The caller disposes of both. */
export async function openModel(
  directory: string,
  backend: "cpu" | "webgpu",
): Promise<{ engine: Engine; device: Device }> {
  const device = await createNodeDevice({ backend });
  try {
    return { engine: await openEngine(device, await nodeModelFiles(directory)), device };
  } catch (error) {
    await device.dispose();
    throw error;
  }
}

/** Reads a text file as a document. */
export async function readDocument(path: string): Promise<Document> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--text ${path}: ${error.code === "ENOENT" ? "there is no such file" : error.message}`,
    );
  });
  const { text, notes } = decodeText(bytes, basename(path));
  for (const note of notes) console.error(note);
  return makeDocument(basename(path), text);
}

/** Progress on stderr: one line per stage, rewritten in place on a terminal, ends only where it is not one. */
export function progressPrinter(): (progress: Progress) => void {
  const tty = process.stderr.isTTY;
  return ({ stage, done, total, note }) => {
    const line = `${stage.padEnd(9)} ${done}${total === null ? "" : ` / ${total}`}${note ? `   ${note}` : ""}`;
    if (tty) process.stderr.write(`\r\x1b[K${line}${done === total ? "\n" : ""}`);
    else if (done === total || stage === "read" || stage === "layers") process.stderr.write(`${line}\n`);
  };
}

/** Runs a command; wrong usage and expected failures end with a message and a non-zero exit code. */
export async function runCommand(main: () => Promise<void>, usage: string): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS")) {
      console.error(`${(error as Error).message}\n\n${usage}`);
      process.exitCode = 2;
      return;
    }
    console.error(process.env["DEBUG"] ? error : `error: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
