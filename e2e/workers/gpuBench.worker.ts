/** @file A case of `npm run bench:gpu` in a browser. */
import { measureCase } from "../../tools/bench/gpu/cases.ts";
import type { CaseName } from "../../tools/bench/gpu/table.ts";
import type { Limits } from "../../tools/bench/gpu/limits.ts";
import { createWebDevice } from "../../src/runtime/web.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import { urlModelFiles } from "../../src/weights/modelFiles.ts";
import { madeFiles } from "../../tools/madeWeights.ts";
import type { ModelShape } from "../../tools/modelShapes.ts";
import { serveChecks } from "../support/serve.ts";

interface CaseArgument {
  readonly name: CaseName & { readonly shape: ModelShape };
  readonly given: Partial<Limits>;
  /** Address of the folder whose tokenizer the made model uses. */
  readonly tokenizer: string;
}

const checks = {
  measure: async ({ name: { shape, precision }, given, tokenizer }: CaseArgument) => {
    const device = await createWebDevice({ backend: "webgpu", wasmPaths: WASM_PATHS.webgpu });
    try {
      const files = madeFiles(shape, urlModelFiles(tokenizer));
      return await measureCase(device, files, precision, given, (note) => console.info(note));
    } finally {
      await device.dispose();
    }
  },
} as const;

export type GpuBenchChecks = typeof checks;
serveChecks(checks);
