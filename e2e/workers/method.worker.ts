/** @file The whole method in a browser worker: a model from files or from our own origin, then both phases. */
import { openEngine } from "../../src/engine/localEngine.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import { createWebDevice } from "../../src/runtime/web.ts";
import { blobModelFiles, urlModelFiles } from "../../src/weights/modelFiles.ts";
import { runMethod, type MethodInput, type MethodSummary } from "../support/method.ts";
import { blobs } from "../support/blobs.ts";
import { serveChecks } from "../support/serve.ts";
import type { Backend } from "../support/test.ts";

export interface MethodRun {
  readonly backend: Backend;
  /** A folder on our origin, or file contents in base64. */
  readonly model: string | Readonly<Record<string, string>>;
  readonly input: MethodInput;
}

const checks = {
  method: async ({
    backend,
    model,
    input,
  }: MethodRun): Promise<{ summary: MethodSummary; bytesLeft: number }> => {
    const device = await createWebDevice({ backend, wasmPaths: WASM_PATHS[backend] });
    const files = typeof model === "string" ? urlModelFiles(model) : blobModelFiles("model", blobs(model));
    const engine = await openEngine(device, files);
    const summary = await runMethod(engine, input);
    await engine.dispose();
    const bytesLeft = device.ledger.total;
    await device.dispose();
    return { summary, bytesLeft };
  },
} as const;

export type MethodChecks = typeof checks;
serveChecks(checks);
