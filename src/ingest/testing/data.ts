/**
 * @file Real text for tests: data/ of this repository; in the thorough stage the larger set of the project's workplace,
 * if that is next to the checkout (the same layout, whole novels).
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { THOROUGH } from "../../lib/testing/thorough.ts";

/** Where data is looked for; what comes first is the fuller. */
const FOLDERS = [...(THOROUGH ? ["../../../../shared/data/"] : []), "../../../data/"]
  .map((folder) => new URL(folder, import.meta.url))
  .filter((folder) => existsSync(folder));

export interface BabiSample {
  readonly task: string;
  readonly id: number;
  readonly facts: readonly string[];
  readonly question: string;
  readonly answer: string;
  readonly support: readonly string[];
}

/** Names for {@link book}. */
export function bookNames(): string[] {
  const files = FOLDERS.flatMap((folder) => readdirSync(new URL("books/", folder)));
  return [
    ...new Set(files.filter((file) => file.endsWith(".txt.gz")).map((file) => file.replace(".txt.gz", ""))),
  ];
}

/** A novel, or the chapters of it that are here. */
export function book(name: string): string {
  return unzipped(`books/${name}.txt.gz`);
}

/** The bAbI test questions of a task ("qa1" to "qa5"), each with its story. */
export function babi(task: string): BabiSample[] {
  return unzipped(`babi/samples_${task}_test.jsonl.gz`)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as BabiSample);
}

function unzipped(path: string): string {
  const file = FOLDERS.map((folder) => new URL(path, folder)).find((url) => existsSync(url));
  if (!file)
    throw new Error(`test data: ${path} is not in ${FOLDERS.map(({ pathname }) => pathname).join(" or ")}`);
  return gunzipSync(readFileSync(file)).toString("utf8");
}
