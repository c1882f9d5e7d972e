/** @file The worked example as it was recorded; fetched once. */

import { EXAMPLE_PATH, type ExampleFile } from "../notebook/example.ts";
import { readNotebook } from "../notebook/file.ts";
import type { Core } from "./core.ts";

/** @throws if the file is missing or not an example */
export function loadExample(core: Core): Promise<ExampleFile> {
  if (core.tab.example) return core.tab.example;
  const loading = read(core);
  core.tab.example = loading;
  loading.catch(() => (core.tab.example = null));
  return loading;
}

async function read(core: Core): Promise<ExampleFile> {
  const response = await core.deps.fetchOwn(EXAMPLE_PATH);
  if (!response.ok) throw new Error(`state: the worked example could not be read (${response.status})`);
  const file = (await response.json()) as ExampleFile;
  if (file.format !== "palimpsest-example")
    throw new Error(`state: ${EXAMPLE_PATH} is not a worked example; make it with "npm run tool -- example"`);
  return { ...file, notebook: readNotebook(file.notebook) };
}
