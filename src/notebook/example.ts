/** @file The worked example. Its outputs are those of a real run: tools/example.ts records public/samples/example.json. */

import type { Cell, FactRow, Notebook, SourceEntry } from "../records/notebook.ts";
import { newCell, newNotebook } from "./create.ts";

/** A fixed id, so that its memory is found after a reload and there is only one example. */
export const EXAMPLE_ID = "the-lamp-at-harrow-point";

export const SAMPLE = {
  name: "the-lamp-at-harrow-point.txt",
  path: "samples/the-lamp-at-harrow-point.txt",
} as const;

export const EXAMPLE_PATH = "samples/example.json";

/** The questions of the recorded run; the last one is in the cell. */
export const EXAMPLE_QUESTIONS = [
  "What is the code of Project Beacon?",
  "Where is Sandra?",
  "Where is Mary?",
] as const;

export interface ExampleFile {
  readonly format: "palimpsest-example";
  readonly notebook: Notebook;
  readonly facts: readonly FactRow[];
}

/** tools/example.ts adds the machine after these words of the opening note. */
export const SAVED_BY = "was saved by a real run";

const OPENING = `A palimpsest is a page whose text was scraped off and can still be read. This notebook reads a short story, stores its facts as small vectors **δ** that steer a frozen language model, throws the story away, and makes the model say the facts again, word for word.

This example ${SAVED_BY}: every output shows its date and its device. Press **Run all** and the same happens in this tab: no download, no account, and nothing leaves your machine.`;

const CLOSING = `Now it is your turn: delete a fact from the memory and ask again, change θ, or drop another text on the source cell. Press \`?\` for the keys.`;

export function exampleCells(entry: SourceEntry): Cell[] {
  return [
    newCell("note", "example-opening", { text: OPENING }),
    newCell("model", "example-model"),
    newCell("source", "example-source", { documents: [entry], forget: true }),
    newCell("memorize", "example-memorize"),
    newCell("store", "example-store"),
    newCell("ask", "example-ask", { question: EXAMPLE_QUESTIONS.at(-1)!, params: null }),
    newCell("note", "example-closing", { text: CLOSING }),
  ];
}

export const exampleNotebook = (entry: SourceEntry, now: string): Notebook =>
  newNotebook(EXAMPLE_ID, "The lamp at Harrow Point", exampleCells(entry), now);
