/** @file Test support: the bundled model for all test files of a process. */

import { afterAll, beforeAll, expect } from "vitest";
import { nodeModelFiles } from "../../../tools/node/nodeFile.ts";
import { BUNDLED, open, type Opened } from "./models.ts";

let shared: Promise<Opened> | undefined;
/** The bundled model, opened once per process: nobody disposes of it, and each file calls {@link leavesNothing} at its end. */
export const bundled = (): Promise<Opened> =>
  (shared ??= nodeModelFiles(BUNDLED).then((files) => open(files)));

/** What the files before left, so that a fault is reported of one file and not of all that follow. */
let left = { vectors: 0, cache: 0, activation: 0 };
/** What a test file put on the device is gone: the model has its weights and the inputs of its sessions alone. */
export function leavesNothing({ device }: Pick<Opened, "device">): void {
  const { vectors, cache, activation } = device.ledger.bytes;
  const before = left;
  left = { vectors, cache, activation };
  expect(left).toEqual(before);
}

/** The bundled model, opened before the first test of the file; after the last nothing of the file may be left on its device. */
export function useBundled(): Opened {
  let opened: Opened;
  beforeAll(async () => {
    opened = await bundled();
  });
  afterAll(() => leavesNothing(opened));
  return {
    get engine() {
      return opened.engine;
    },
    get device() {
      return opened.device;
    },
  };
}
