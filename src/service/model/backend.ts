/**
 * @file From a choice of backend to a device that has passed the self-test. "auto" takes WebGPU where an adapter is
 * there and computes rightly, else wasm, and keeps the reason; a backend that was asked for by name is not replaced.
 */

import type { DeviceCard } from "../../records/model.ts";
import type { BackendChoice } from "../../records/notebook.ts";
import type { Survey } from "../../runtime/capabilities.ts";
import type { Device } from "../../runtime/device.ts";
import { WebGpuUnavailable } from "../../runtime/errors.ts";
import { selfTest, withShortcuts, type SelfTestReport } from "../../engine/selftest.ts";
import type { EngineHost } from "../engineHost.ts";

/** Why WebGPU is not used, and what a person can do about it. */
export type WebGpuMissing = NonNullable<DeviceCard["webgpuMissing"]>;

export interface TestedDevice {
  readonly device: Device;
  readonly card: DeviceCard;
}

/** Opens and tests a backend. @param missing why WebGPU is not to be tried under "auto" (it was lost, say) */
export async function openBackend(
  host: Pick<EngineHost, "survey" | "openDevice">,
  choice: BackendChoice,
  missing?: WebGpuMissing,
): Promise<TestedDevice> {
  const survey = await host.survey();
  const why = missing ?? survey.webgpuMissing;
  if (choice === "wasm") return openTested(host, survey, "wasm", survey.webgpuMissing ?? null);
  if (choice === "webgpu") {
    if (!survey.webgpu) throw unavailable(survey.webgpuMissing);
    return openTested(host, survey, "webgpu", null);
  }
  if (why) return openTested(host, survey, "wasm", why);
  try {
    return await openTested(host, survey, "webgpu", null);
  } catch (error) {
    return openTested(host, survey, "wasm", reasonOf(error));
  }
}

function unavailable(missing: Survey["webgpuMissing"]): Error {
  const { reason = "no adapter", next = "" } = missing ?? {};
  return new Error(`engine: WebGPU was asked for, but there is none (${reason}). ${next}`.trim());
}

function reasonOf(error: unknown): WebGpuMissing {
  if (error instanceof WebGpuUnavailable) return { reason: error.reason, next: error.next };
  const reason = error instanceof Error ? error.message : String(error);
  return { reason, next: "Update the browser and the graphics driver; until then wasm does the work." };
}

async function openTested(
  host: Pick<EngineHost, "openDevice">,
  survey: Survey,
  backend: "webgpu" | "wasm",
  missing: WebGpuMissing | null,
): Promise<TestedDevice> {
  const device = await host.openDevice(backend);
  try {
    const report = await selfTest(device);
    if (report.verdict === "wrong")
      throw new Error(
        `engine: the self-test found wrong results on ${backend} (${report.summary}), so it is not used. ` +
          (backend === "webgpu"
            ? "Choose auto or wasm, or update the browser and the graphics driver."
            : "Update the browser, or try another one."),
      );
    return { device: withShortcuts(device, report.shortcuts), card: cardOf(device, survey, report, missing) };
  } catch (error) {
    await device.dispose();
    throw error;
  }
}

function cardOf(
  { capabilities }: Device,
  { wasm }: Survey,
  { verdict, summary, milliseconds }: SelfTestReport,
  webgpuMissing: WebGpuMissing | null,
): DeviceCard {
  return {
    ...capabilities,
    crossOriginIsolated: wasm.limits["crossOriginIsolated"] === 1,
    webgpuMissing,
    selfTest: { verdict, summary, milliseconds },
  };
}
