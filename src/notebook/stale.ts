/**
 * @file What an output depended on, as a short text that is saved in its stamp, and what has changed since, in words.
 * A fingerprint is a list of parts ("model:9f2c01ab sources:…"), so that a difference can be named.
 */

import { createSha256 } from "../lib/hash.ts";
import type { Cell, Notebook, Stamp } from "../records/notebook.ts";

type Part = "model" | "sources" | "parameters" | "memory" | "settings";

const CHANGED: Readonly<Record<Part, string>> = {
  model: "another model or backend is set",
  sources: "the sources changed",
  parameters: "the parameters changed",
  memory: "the memory changed",
  settings: "the settings changed",
};

/** The model cell whose model `cell` uses: the nearest above it, else the first of the notebook. */
export function modelCellFor(notebook: Notebook, cellId: string): Extract<Cell, { kind: "model" }> | null {
  const models = ofKind(notebook.cells, "model");
  return ofKind(above(notebook, cellId), "model").at(-1) ?? models[0] ?? null;
}

/** The source cells whose documents a memorize cell takes: those above it, down from the memorize cell before. */
export function sourceCellsFor(notebook: Notebook, cellId: string): Extract<Cell, { kind: "source" }>[] {
  return ofKind(above(notebook, cellId), "source");
}

/** What the output of `cellId` depends on, were it run now. */
export function fingerprint(notebook: Notebook, cellId: string): string {
  const cell = notebook.cells.find(({ id }) => id === cellId);
  if (!cell) return "";
  return Object.entries(parts(notebook, cell))
    .map(([name, value]) => `${name}:${digest(value)}`)
    .join(" ");
}

/** Why the saved output no longer belongs to its inputs, as phrases; none when it does, or nothing was saved. */
export function staleReasons(notebook: Notebook, cell: Cell): readonly string[] {
  const stamp = stampOf(cell);
  if (!stamp || stamp.inputs === "") return [];
  const then = new Map(stamp.inputs.split(" ").map((part) => part.split(":") as [string, string]));
  const now = new Map(
    fingerprint(notebook, cell.id)
      .split(" ")
      .map((part) => part.split(":") as [string, string]),
  );
  return [...now].flatMap(([name, value]) =>
    then.get(name) === value ? [] : [CHANGED[name as Part] ?? `${name} changed`],
  );
}

/** The stamp of a cell's newest output. */
export function stampOf(cell: Cell): Stamp | null {
  if (cell.kind === "ask") return cell.output?.history[0]?.stamp ?? null;
  return cell.output?.stamp ?? null;
}

function parts(notebook: Notebook, cell: Cell): Partial<Record<Part, unknown>> {
  const model = modelCellFor(notebook, cell.id)?.input ?? null;
  switch (cell.kind) {
    case "note":
    case "source":
    case "store":
      return {};
    case "model":
      return { model: cell.input };
    case "memorize":
      return {
        model,
        sources: sourceCellsFor(notebook, cell.id).flatMap(({ input }) =>
          input.documents.map(({ id }) => id),
        ),
        parameters: cell.input.layers ? [cell.input.params, cell.input.layers] : cell.input.params,
      };
    case "ask":
      // Not the question: each answer stands under its own.
      return {
        model,
        memory: memoryOf(notebook),
        settings: cell.input.params,
      };
    case "probe":
      return { model, parameters: cell.input.params, settings: cell.input.layers };
    case "experiment":
      return { model, memory: memoryOf(notebook), settings: { ...cell.input, compareWith: null } };
    default:
      return cell satisfies never;
  }
}

/** What changed the notebook's memory so far: its memorize runs and its deletions. */
function memoryOf(notebook: Notebook): readonly string[] {
  return notebook.cells.flatMap((cell) => {
    if (cell.kind === "memorize") return cell.output ? [cell.output.stamp.at] : [];
    if (cell.kind === "store") return cell.output?.certificates.map(({ stamp }) => stamp.at) ?? [];
    return [];
  });
}

function above(notebook: Notebook, cellId: string): readonly Cell[] {
  return notebook.cells.slice(
    0,
    notebook.cells.findIndex(({ id }) => id === cellId),
  );
}

function ofKind<K extends Cell["kind"]>(cells: readonly Cell[], kind: K): Extract<Cell, { kind: K }>[] {
  return cells.filter((cell): cell is Extract<Cell, { kind: K }> => cell.kind === kind);
}

function digest(value: unknown): string {
  const hasher = createSha256();
  hasher.update(utf8(JSON.stringify(value, sorted)));
  return hasher.hex().slice(0, 8);
}

/** Objects with their keys in order: the same settings, however they were put together. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

// The pure folders compile without the DOM library; every host has this global.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
