/** Every graph the engine makes runs on WebGPU alone: none has a node that would fall back to the CPU.
 * (Llama differs from Qwen3 by what it leaves out; parity.spec.ts runs it in `npm test -- thorough`, and on wasm. It
 * runs Phi-3 on WebGPU, whose graphs are compiled alone in `npm test -- thorough`.) */
import { rounds } from "../src/lib/testing/thorough.ts";
import { expect, test } from "./support/test.ts";
import type { DeviceChecks } from "./workers/device.worker.ts";

for (const architecture of rounds(["Qwen3ForCausalLM"], ["Qwen3ForCausalLM", "Phi3ForCausalLM"]))
  test(`every graph of ${architecture} is accepted`, async ({ worker }) => {
    const check = await worker<DeviceChecks>("device");
    const { refused, count } = await check("catalog", architecture);
    expect(refused).toEqual([]);
    expect(count).toBeGreaterThan(15);
  });
