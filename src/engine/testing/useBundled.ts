/** @file Test support: the bundled model for all tests of a file. */

import { afterAll, beforeAll, expect } from "vitest";
import { nodeModelFiles } from "../../../tools/node/nodeFile.ts";
import { BUNDLED, open, type Opened } from "./models.ts";

let shared: { readonly file: string | undefined; readonly opened: Promise<Opened> } | undefined;
/** The bundled model, opened once per test file, whose last act is to dispose of it: files share a process. */
export function bundled(threads = 1): Promise<Opened> {
  const file = expect.getState().testPath;
  if (shared?.file !== file)
    shared = { file, opened: nodeModelFiles(BUNDLED).then((files) => open(files, threads)) };
  return shared!.opened;
}

/** The bundled model, opened before the first test of the file; after the last nothing of it may be left on its device. */
export function useBundled(): Opened {
  let opened: Opened;
  beforeAll(async () => {
    opened = await bundled();
  });
  afterAll(async () => {
    await opened.engine.dispose();
    expect(opened.device.ledger.total).toBe(0);
    await opened.device.dispose();
  });
  return {
    get engine() {
      return opened.engine;
    },
    get device() {
      return opened.device;
    },
  };
}
