/** The decoder families against numbers from another implementation, as `npm run parity` does in Node. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { THOROUGH } from "../src/lib/testing/thorough.ts";
import { expect, test, type Backend } from "./support/test.ts";
import type { DeviceChecks } from "./workers/device.worker.ts";

const GOLDEN = process.env["PALIMPSEST_GOLDEN"] ?? "golden";

/** What catalog.webgpu.spec.ts compiles of Qwen3 alone is computed here of Phi-3. */
const DEFAULT: Readonly<Record<Backend, readonly string[]>> = {
  wasm: ["qwen3", "llama", "phi3"],
  webgpu: ["phi3"],
};

for (const family of ["qwen3", "llama", "phi3", "qwen2", "mistral", "phi4"])
  test(`${family}: logits, gradients, the Adam trajectory, greedy tokens and the gated read`, async ({
    backend,
    worker,
  }) => {
    test.skip(
      !THOROUGH && !DEFAULT[backend].includes(family),
      "in `npm test -- thorough`: the others have little that these lack, and a software GPU compiles for long",
    );
    test.slow();
    const folder = join(GOLDEN, family);
    const files = Object.fromEntries(
      readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString("base64")]),
    );
    const check = await worker<DeviceChecks>("device");
    const rows = await check("parity", { backend, name: family, files });
    expect(rows.length).toBeGreaterThan(10);
    expect(
      rows.filter((row) => !row.ok),
      JSON.stringify(rows, null, 1),
    ).toEqual([]);
  });
