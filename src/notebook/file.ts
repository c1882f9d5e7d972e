/** @file A notebook as one readable JSON file, and a notebook from text that came from anywhere. */

import { assert } from "../lib/assert.ts";
import { NOTEBOOK_VERSION, type Notebook } from "../records/notebook.ts";
import { CELL_KINDS } from "./create.ts";

/** The text of a notebook file. */
export const writeNotebookFile = (notebook: Notebook): string => `${JSON.stringify(notebook, null, 2)}\n`;

/** Reads the text of a notebook file. Throws a sentence that names what is wrong; nothing of it is used then. */
export function readNotebookFile(text: string): Notebook {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new Error(
      `notebook: this file is not JSON (${(error as Error).message}); choose a file that Palimpsest exported`,
      { cause: error },
    );
  }
  return readNotebook(body);
}

/** Checks `body` and brings an older version up to date. Throws like {@link readNotebookFile}. */
export function readNotebook(body: unknown): Notebook {
  const file = body as Partial<Notebook> | null;
  assert(
    file?.format === "palimpsest-notebook",
    () => `notebook: this is not a notebook file (format ${JSON.stringify(file?.format)})`,
  );
  assert(
    file.version === NOTEBOOK_VERSION,
    () =>
      `notebook: the file has version ${String(file.version)}; this app reads ${NOTEBOOK_VERSION}. Update the app.`,
  );
  for (const cell of file.cells ?? [])
    assert(
      (CELL_KINDS as readonly string[]).includes(cell.kind),
      () =>
        `notebook: there is no cell kind ${JSON.stringify(cell.kind)}; there are ${CELL_KINDS.join(", ")}`,
    );
  return file as Notebook;
}
