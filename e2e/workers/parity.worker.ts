/** @file The golden comparison of `npm run parity`, run in a browser worker on files that the test hands over. */
import { deviation, type Deviation } from "../../src/engine/deviation.ts";
import { loadWeights } from "../../src/engine/loadWeights.ts";
import { parseGolden } from "../../src/engine/golden.ts";
import { parity, type ParityRow } from "../../src/engine/parity.ts";
import type { Device } from "../../src/runtime/device.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import { createWebDevice } from "../../src/runtime/web.ts";
import { blobModelFiles, readJson, type ModelFiles } from "../../src/weights/modelFiles.ts";
import { serveChecks } from "../support/serve.ts";
import type { Backend } from "../support/test.ts";

export interface GoldenFolder {
  readonly backend: Backend;
  readonly name: string;
  /** File contents in base64: what a test sends to a page must be JSON. */
  readonly files: Readonly<Record<string, string>>;
}

// One device for all families: what takes long on a software GPU is compiling kernels, once for each device.
const devices = new Map<Backend, Promise<Device>>();
function shared(backend: Backend): Promise<Device> {
  const device = devices.get(backend) ?? createWebDevice({ backend, wasmPaths: WASM_PATHS[backend] });
  devices.set(backend, device);
  return device;
}

function folderOf({ name, files }: GoldenFolder): ModelFiles {
  const blobs = Object.entries(files).map(
    ([file, base64]) => [file, new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))])] as const,
  );
  return blobModelFiles(name, new Map(blobs));
}

const checks = {
  parity: async (given: GoldenFolder): Promise<readonly ParityRow[]> => {
    const folder = folderOf(given);
    const device = await shared(given.backend);
    const { decoder, weights } = await loadWeights(device, folder);
    return parity(device, decoder, weights, parseGolden(await readJson(folder, "golden.json")));
  },
  /** How far 8 and 4 bits are from the golden numbers, with the operators of the backend. */
  precision: async (given: GoldenFolder): Promise<readonly Deviation[]> => {
    const folder = folderOf(given);
    const golden = parseGolden(await readJson(folder, "golden.json"));
    const device = await shared(given.backend);
    const found: Deviation[] = [];
    for (const precision of ["q8", "q4"] as const)
      found.push(await deviation(device, folder, golden, precision));
    return found;
  },
} as const;

export type ParityChecks = typeof checks;
serveChecks(checks);
