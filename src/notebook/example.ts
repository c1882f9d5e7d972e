/** @file The worked example. tools/scripts/example.ts runs it for real and records public/samples/example.json. */

import type { FactId } from "../records/ids.ts";
import type { FactRow, Notebook } from "../records/notebook.ts";

/** A fixed id, so that its memory is found after a reload and there is only one example. */
export const EXAMPLE_ID = "the-lamp-at-harrow-point";

export const SAMPLE = {
  name: "the-lamp-at-harrow-point.txt",
  path: "samples/the-lamp-at-harrow-point.txt",
} as const;

export const EXAMPLE_PATH = "samples/example.json";

export interface ExampleFile {
  readonly format: "palimpsest-example";
  readonly notebook: Notebook;
  readonly facts: readonly FactRow[];
  readonly said: Readonly<Record<FactId, string>>;
}
