/** @file Test support: the bundled model for all tests of a file. */

import { afterAll, beforeAll, expect } from "vitest";
import { bundled, type Opened } from "./models.ts";

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
