/** @file Repairs a notebook of this browser that fails the checks. A file from elsewhere is refused instead (file.ts). */

import { cellShape, MOST_ITEMS, notebookShape, type Cell, type CellKind } from "../records/notebook.ts";
import { checked, loose, type Loose } from "../lib/check.ts";
import { checkIds, withKnownVersion } from "./file.ts";
import { KINDS } from "./kinds.ts";

/** Drops what is unreadable and resets unreadable inputs. @throws if it is not a notebook, or of another version */
export function mendNotebook(body: unknown) {
  const { cells, ...head } = withKnownVersion(body);
  const mended = (Array.isArray(cells) ? (cells as unknown[]) : []).map((one, i) => mendCell(loose(one), i));
  const notebook = {
    ...checked(notebookShape, { ...head, cells: [] }, "notebook: "),
    cells: mended.flatMap(({ cell }) => cell ?? []),
  };
  checkIds(notebook);
  return { notebook, left: mended.flatMap(({ why }) => why ?? []) };
}

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

/** The output of `cell` with the readable items of its lists; the newest if there are too many. */
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
