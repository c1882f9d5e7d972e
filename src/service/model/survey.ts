/** @file What a machine offers, in the words of the protocol. */

import type { EngineService } from "../../rpc/protocol.ts";
import type { Survey } from "../../runtime/capabilities.ts";

/** The answer to `survey` of the engine service. */
export function surveyed({
  webgpu,
  webgpuMissing,
  wasm,
}: Survey): Awaited<ReturnType<EngineService["survey"]>> {
  return {
    webgpu: webgpu?.description ?? null,
    webgpuMissing: webgpuMissing ?? null,
    crossOriginIsolated: wasm.limits["crossOriginIsolated"] === 1,
    threads: wasm.threads,
  };
}
