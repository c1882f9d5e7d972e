/** @file Fingerprints of the inputs of an output, as a list of parts ("model:9f2c01ab sources:…"), and their changes in words. */

import { sha256Hex } from "../lib/hash.ts";
import type { Cell, Notebook } from "../records/notebook.ts";
import { partsOf, stampOf, type Part } from "./kinds.ts";

const CHANGED: Readonly<Record<Part, string>> = {
  model: "another model or backend is set",
  sources: "the sources changed",
  parameters: "the parameters changed",
  embedder: "another text embedder is set",
  memory: "the memory changed",
  settings: "the settings changed",
  questions: "the questions changed",
};

export function fingerprint(notebook: Notebook, cellId: string): string {
  const cell = notebook.cells.find(({ id }) => id === cellId);
  if (!cell) return "";
  return Object.entries(partsOf(cell, notebook))
    .map(([name, value]) => `${name}:${digest(value)}`)
    .join(" ");
}

/** Why the saved output is stale, as phrases; empty if it is current or nothing was saved. */
export function staleReasons(notebook: Notebook, cell: Cell): readonly string[] {
  const stamp = stampOf(cell);
  if (!stamp || stamp.inputs === "") return [];
  const partsIn = (inputs: string): Map<string, string> =>
    new Map(inputs.split(" ").map((part) => part.split(":") as [string, string]));
  const then = partsIn(stamp.inputs);
  return [...partsIn(fingerprint(notebook, cell.id))].flatMap(([name, value]) =>
    then.get(name) === value ? [] : [CHANGED[name as Part] ?? `${name} changed`],
  );
}

const digest = (value: unknown): string => sha256Hex(JSON.stringify(value, sorted) ?? "").slice(0, 8);

/** Objects with sorted keys, so that equal settings have equal text. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
