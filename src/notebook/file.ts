/** @file A notebook as one readable JSON file, and a notebook from text that came from anywhere. */

import { grouped, many } from "../lib/format.ts";
import { assert } from "../lib/assert.ts";
import { isDeeper } from "../lib/deepJson.ts";
import { NOTEBOOK_VERSION, notebookShape, type Notebook, type FactRow } from "../records/notebook.ts";
import { checked, loose, type Loose } from "../lib/check.ts";
import type { FactId } from "../records/ids.ts";

/** More characters than any notebook has; longer files would freeze the page. */
const LONGEST = 20_000_000;
/** A certificate in a cell is nested about ten deep. */
const DEEPEST = 50;

export async function notebookText(file: {
  readonly size: number;
  text(): Promise<string>;
}): Promise<string> {
  assert(file.size <= 2 * LONGEST, () => tooLong(file.size, "bytes"));
  return file.text();
}

const tooLong = (size: number, unit: string): string =>
  `notebook: this file has ${grouped(size)} ${unit}; a notebook has ${many(LONGEST, "character")} at most. Choose a file that Palimpsest exported`;

export const writeNotebookFile = (notebook: Notebook): string => `${JSON.stringify(notebook, null, 2)}\n`;

/** @throws a sentence that names the place and the reason */
export function readNotebookFile(file: string, name = "this file"): Notebook {
  assert(file.length <= LONGEST, () => tooLong(file.length, "characters"));
  assert(
    !isDeeper(file, DEEPEST),
    () =>
      `notebook: this file nests its values more than ${DEEPEST} deep, which no notebook does; choose another`,
  );
  let body: unknown;
  try {
    body = JSON.parse(file);
  } catch (error) {
    throw new Error(
      `notebook: ${name} is not JSON, so it is not a notebook; choose a .palimpsest or .palimpsest.json file that Palimpsest exported. To memorise a text, add it to a Source cell`,
      { cause: error },
    );
  }
  return readNotebook(body);
}

export function readNotebook(body: unknown): Notebook {
  const notebook = checked(notebookShape, withKnownVersion(body), "notebook: ");
  checkIds(notebook);
  return notebook;
}

/** Checks the format and the version of `body`, but none of its other fields. Throws like {@link readNotebookFile}. */
export function withKnownVersion(body: unknown): Loose {
  const head = loose(body);
  const { format, version } = head;
  assert(
    format === "palimpsest-notebook",
    () =>
      `notebook: this is not a notebook: its format is ${JSON.stringify(format) ?? "missing"}, expected "palimpsest-notebook"`,
  );
  assert(
    typeof version === "number" && Number.isInteger(version) && version >= 1,
    () =>
      `notebook: the version must be a whole number from 1; the file has ${JSON.stringify(version) ?? "none"}`,
  );
  assert(
    version === NOTEBOOK_VERSION,
    () =>
      `notebook: the file has version ${version}, this app reads version ${NOTEBOOK_VERSION}. ` +
      "It was made by a newer Palimpsest: close every tab of Palimpsest, open it again to update, then import the file once more.",
  );
  return head;
}

export function checkIds(notebook: Notebook): void {
  const ids = new Set(notebook.cells.map(({ id }) => id));
  assert(
    ids.size === notebook.cells.length,
    () => "notebook: two cells have the same id; export the notebook again where it came from",
  );
  for (const id of [notebook.id, ...ids])
    assert(
      isId(id),
      () =>
        `notebook: invalid id ${JSON.stringify(id.slice(0, 60))}; expected up to 100 letters, digits or dashes`,
    );
}

/** An id must not be a property of every object, such as "constructor" or "__proto__". */
const isId = (id: string): boolean => /^[\w.:-]{1,100}$/.test(id) && !(id in {});

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
