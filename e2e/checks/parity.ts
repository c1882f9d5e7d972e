/** @file The golden comparison of `npm run parity`, run in a browser worker on files that the test hands over. */
import { deviation, type Deviation } from "../../tools/checks/deviation.ts";
import { loadWeights } from "../../src/engine/loadWeights.ts";
import { parseGolden } from "../../tools/checks/golden.ts";
import { parity, type ParityRow } from "../../tools/checks/parity.ts";
import { blobModelFiles, readJson, type ModelFiles } from "../../src/weights/modelFiles.ts";
import { on } from "../support/devices.ts";
import type { Backend } from "../support/test.ts";

export interface GoldenFolder {
  readonly backend: Backend;
  readonly name: string;
  /** File contents in base64: what a test sends to a page must be JSON. */
  readonly files: Readonly<Record<string, string>>;
}

function folderOf({ name, files }: GoldenFolder): ModelFiles {
  const blobs = Object.entries(files).map(
    ([file, base64]) => [file, new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))])] as const,
  );
  return blobModelFiles(name, new Map(blobs));
}

export const parityChecks = {
  parity: async (given: GoldenFolder): Promise<readonly ParityRow[]> => {
    const folder = folderOf(given);
    const golden = parseGolden(await readJson(folder, "golden.json"));
    return on(given.backend, async (device) => {
      const { decoder, weights } = await loadWeights(device, folder);
      return parity(device, decoder, weights, golden);
    });
  },
  /** How far 8 and 4 bits are from the golden numbers, with the operators of the backend. */
  precision: async (given: GoldenFolder): Promise<readonly Deviation[]> => {
    const folder = folderOf(given);
    const golden = parseGolden(await readJson(folder, "golden.json"));
    return on(given.backend, async (device) => [
      await deviation(device, folder, golden, "q8"),
      await deviation(device, folder, golden, "q4"),
    ]);
  },
} as const;
