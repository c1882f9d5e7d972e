/**
 * @file A notebook that this browser saved, or is about to save, and that cannot be read as it is: each cell keeps what
 * can be read of it, and what was left out is said. A file from elsewhere is not mended but refused (file.ts).
 */

import { checked, loose, type Loose } from "../lib/check.ts";
import type { Cell, CellKind, Notebook } from "../records/notebook.ts";
import { checkIds, withKnownVersion } from "./file.ts";
import { KINDS } from "./kinds.ts";
import { cellShape, MOST_ITEMS, notebookShape } from "./shapes/cells.ts";

export interface Mended {
  readonly notebook: Notebook;
  /** Why something of a cell was left out, a sentence each. */
  readonly left: readonly string[];
}

/**
 * What can be read of `body`: an output that cannot goes and its cell stays, of a list in it what can be read; an input
 * that cannot becomes what a new cell has; a cell of no kind goes.
 * @throws where the notebook itself is none, or of a newer version
 */
export function mendNotebook(body: unknown): Mended {
  const { cells, ...head } = withKnownVersion(body);
  const mended = (Array.isArray(cells) ? (cells as unknown[]) : []).map((one, i) => mendCell(loose(one), i));
  const notebook = {
    ...checked(notebookShape, { ...head, cells: [] }, "notebook: "),
    cells: mended.flatMap(({ cell }) => cell ?? []),
  };
  checkIds(notebook);
  return { notebook, left: mended.flatMap(({ why }) => why ?? []) };
}

/** The cell with all of it that can be read; `why` is the first thing that cannot. */
function mendCell(found: Loose, index: number): { readonly cell: Cell | null; readonly why: string | null } {
  let why: string | null = null;
  for (const version of versions(found))
    try {
      return { cell: checked(cellShape, version, `cells[${index}].`), why };
    } catch (error) {
      why ??= (error as Error).message;
    }
  return { cell: null, why };
}

/** The cell as it is, and with less and less of it. */
function* versions(cell: Loose): Generator<Loose> {
  yield cell;
  const short = { ...cell, input: shortened(loose(cell["input"])) };
  yield short;
  yield { ...short, output: readableItems(short) };
  yield { ...short, output: null };
  const first = Object.hasOwn(KINDS, String(cell["kind"])) ? KINDS[cell["kind"] as CellKind].first : null;
  yield { ...cell, input: first, output: null };
}

/** Lists of an output that grow with every run, each item by itself. */
const GROWING = ["history", "certificates", "reencodings", "runs"];

/** The output of `cell` with the items of its lists that can be read, the newest where they are too many. */
function readableItems(cell: Loose): Loose {
  const output = loose(cell["output"]);
  const lists = GROWING.filter((name) => Array.isArray(output[name]));
  const none = Object.fromEntries(lists.map((name) => [name, []]));
  const readable = (name: string) => (item: unknown) =>
    isCell({ ...cell, output: { ...output, ...none, [name]: [item] } });
  const kept = lists.map((name) => [
    name,
    (output[name] as unknown[]).filter(readable(name)).slice(0, MOST_ITEMS),
  ]);
  return { ...output, ...(Object.fromEntries(kept) as Loose) };
}

const shortened = (input: Loose): Loose =>
  Array.isArray(input["documents"])
    ? { ...input, documents: (input["documents"] as unknown[]).slice(0, MOST_ITEMS) }
    : input;

function isCell(cell: Loose): boolean {
  try {
    checked(cellShape, cell, "");
    return true;
  } catch {
    return false;
  }
}
