/**
 * Models in 8 and in 4 bits, with the operators of wasm and of WebGPU: as near to their float32 as on the processor. The
 * head of Qwen3 is its embedding, in the same levels; that of Llama is a matrix of its own.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { THOROUGH } from "../src/lib/testing/thorough.ts";
import { expect, test } from "./support/test.ts";
import type { DeviceChecks } from "./workers/device.worker.ts";

/** What onnxruntime-node gives (deviation.test.ts, npm run parity), which other orders of adding change in later digits. */
const EXPECTED = {
  qwen3: { q8: { logits: 0.0158, gradient: 0.0159 }, q4: { logits: 0.2802, gradient: 0.3638 } },
  llama: { q8: { logits: 0.0163, gradient: 0.0238 }, q4: { logits: 0.2449, gradient: 0.3292 } },
} as const;

for (const name of ["qwen3", "llama"] as const)
  test(`logits and gradients of ${name} in 8 and 4 bits`, async ({ backend, worker }) => {
    test.skip(
      !THOROUGH && (backend === "webgpu" || name === "llama"),
      "in `npm test -- thorough`: a software GPU compiles for long, and wasm has the same graphs",
    );
    test.slow();
    const folder = `golden/${name}`;
    const files = Object.fromEntries(
      readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString("base64")]),
    );
    const check = await worker<DeviceChecks>("device");
    for (const found of await check("precision", { backend, name, files })) {
      const expected = EXPECTED[name][found.precision as keyof (typeof EXPECTED)[typeof name]];
      expect(found.logits).toBeCloseTo(expected.logits, 3);
      expect(found.gradient).toBeCloseTo(expected.gradient, 3);
    }
  });
