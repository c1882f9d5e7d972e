/** @file The project's shared data (../shared/data beside the repository), for tests that read real books and bAbI. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const DATA = new URL("../../../../shared/data/", import.meta.url);

export const HAS_SHARED_DATA = existsSync(DATA);
/** Appended to the names of tests that are skipped without the data. */
export const NEEDS_DATA = HAS_SHARED_DATA ? "" : " (skipped: ../shared/data is not here)";

export interface BabiSample {
  readonly task: string;
  readonly id: number;
  readonly facts: readonly string[];
  readonly question: string;
  readonly answer: string;
  readonly support: readonly string[];
}

export function bookNames(): string[] {
  return readdirSync(new URL("books/", DATA))
    .filter((file) => file.endsWith(".txt.gz"))
    .map((file) => file.replace(".txt.gz", ""));
}

export function book(name: string): string {
  return gunzipSync(readFileSync(new URL(`books/${name}.txt.gz`, DATA))).toString("utf8");
}

export function babi(task: string): BabiSample[] {
  const lines = gunzipSync(readFileSync(new URL(`babi/samples_${task}_test.jsonl.gz`, DATA))).toString(
    "utf8",
  );
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as BabiSample);
}
