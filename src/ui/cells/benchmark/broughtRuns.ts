/** @file Imported files with runs or predictions: plain, packed, or several in an archive. */

import type { UserFile } from "../../../evaluate/benchmarks/benchmark.ts";
import { imported } from "../../../evaluate/exchange/imports.ts";
import { MOST_RUN_BYTES, readRun } from "../../../evaluate/runs/file.ts";
import { merged } from "../../../evaluate/runs/merge.ts";
import { unpackedText } from "../../../lib/gzip.ts";
import { readZip } from "../../../lib/zip.ts";
import { RUN_FORMAT, type Evaluation } from "../../../records/evaluation.ts";

export interface BroughtRun {
  /** Whether it is added to the run of the cell; otherwise it replaces it. */
  readonly beside: boolean;
  readonly run: Evaluation;
  readonly name: string;
}

/**
 * Reads files that belong together: parts of one run, or predictions, whose method gets the name of the first file.
 * @param run the run that predictions are added to; null without one
 * @throws if a file is neither, empty or too large
 */
export async function readBrought(files: readonly File[], run: Evaluation | null): Promise<BroughtRun> {
  const texts = (await Promise.all(files.map(textsOf))).flat();
  const name = files.map((file) => file.name).join(", ");
  const runs = texts.filter(({ text }) => isRun(text));
  if (runs.length > 0) {
    const other = texts.find(({ text }) => !isRun(text));
    if (other)
      throw new Error(
        `${other.name} is not a run file, unlike the others. Import runs and predictions separately.`,
      );
    return { beside: false, run: merged(runs.map(partOf), name), name };
  }
  if (!run)
    throw new Error(`${name} is not a run file. Predictions need a run: run this cell first, or import one.`);
  const as = files[0]!.name.replace(/(?:\.\w+)+$/, "");
  return {
    beside: true,
    run: merged(
      texts.map((file) => imported(file, as, run.header)),
      name,
    ),
    name,
  };
}

const isRun = (text: string): boolean => text.slice(0, 400).includes(`"${RUN_FORMAT}"`);

function partOf({ name, text }: UserFile): Evaluation {
  const read = readRun(text, name);
  if (!read || read.samples.length === 0) throw new Error(`${name} has no sample; it ends after its header.`);
  return read;
}

async function textsOf(file: File): Promise<readonly UserFile[]> {
  if (file.size > MOST_RUN_BYTES)
    throw new Error(
      `${file.name} has ${file.size} bytes, at most ${MOST_RUN_BYTES} are read. Give it in parts.`,
    );
  if (/\.zip$/i.test(file.name)) return archived(file);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = await unpackedText(
    bytes,
    MOST_RUN_BYTES,
    () => `${file.name} has more than ${MOST_RUN_BYTES} bytes unpacked. Give it in parts.`,
  );
  return [{ name: file.name.replace(/\.gz$/, ""), text }];
}

/** Limits of an archive. JSON compresses well, and each task of a run is a file. */
const LIMITS = { maxBytes: MOST_RUN_BYTES, maxRatio: 2000, maxEntries: 2000 };

async function archived(file: File): Promise<readonly UserFile[]> {
  const entries = [...(await readZip(file, file.name, LIMITS)).values()];
  const records = entries.filter(({ name }) => /\.(?:jsonl|csv)$/i.test(name));
  if (records.length === 0)
    throw new Error(
      `${file.name} holds no .jsonl and no .csv, but ${entries.map(({ name }) => name).join(", ") || "nothing"}. Choose an archive of a run, or of lm-evaluation-harness’s samples.`,
    );
  const texts: UserFile[] = [];
  for (const { name, read } of records)
    texts.push({ name: name.split("/").at(-1)!, text: new TextDecoder().decode(await read()) });
  return texts;
}
