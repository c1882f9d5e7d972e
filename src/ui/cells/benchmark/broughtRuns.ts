/** @file Files with runs, or with predictions of others, as a person chooses them: plain, packed, or several in an archive. */

import type { UserFile } from "../../../evaluate/benchmarks/benchmark.ts";
import { imported } from "../../../evaluate/exchange/imports.ts";
import { MOST_RUN_BYTES, readRun } from "../../../evaluate/runs/file.ts";
import { merged } from "../../../evaluate/runs/merge.ts";
import { unpackedText } from "../../../lib/gzip.ts";
import { readZip } from "../../../lib/zip.ts";
import { RUN_FORMAT, type Evaluation } from "../../../records/evaluation.ts";

export interface BroughtRun {
  /** Whether it stands beside the run of the cell; in its place otherwise. */
  readonly beside: boolean;
  readonly run: Evaluation;
  /** What the files are called together. */
  readonly name: string;
}

/**
 * Reads files that belong together: parts of one run, or predictions, which are called by the name of the first file.
 * @param run what predictions would stand beside; null where there is none
 * @throws where a file is neither, holds nothing, or is larger than a tab should read
 */
export async function readBrought(files: readonly File[], run: Evaluation | null): Promise<BroughtRun> {
  const texts = (await Promise.all(files.map(textsOf))).flat();
  const name = files.map((file) => file.name).join(", ");
  const runs = texts.filter(({ text }) => isRun(text));
  if (runs.length > 0) {
    const other = texts.find(({ text }) => !isRun(text));
    if (other)
      throw new Error(
        `${other.name} is no run file, as others of the chosen are. Import runs and predictions apart.`,
      );
    return { beside: false, run: merged(runs.map(partOf), name), name };
  }
  if (!run)
    throw new Error(
      `${name} is no run file. Others’ predictions stand beside a run: run this cell first, or import one.`,
    );
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
  if (!read || read.samples.length === 0)
    throw new Error(`${name} holds no sample; it breaks off after its header.`);
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

/** What an archive may hold: JSON deflates well, and a task of a run is a file. */
const LIMITS = { maxBytes: MOST_RUN_BYTES, maxRatio: 2000, maxEntries: 2000 };

/** The records of an archive: its lines and tables, beside which a JSON file is a summary of them. */
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
