/**
 * @file From a choice of backend to a device that has passed the self-test, in float32 and in the precision that a model
 * will lie there in: all that is known before its weights are fetched. "auto" takes WebGPU where an adapter is
 * there and computes rightly, else wasm, and keeps the reason; a backend that was asked for by name is not replaced.
 */

import type { DeviceCard } from "../../records/model.ts";
import type { BackendChoice } from "../../records/notebook.ts";
import type { Survey } from "../../runtime/capabilities.ts";
import type { Device } from "../../runtime/device.ts";
import { WebGpuUnavailable } from "../../runtime/errors.ts";
import { formOn } from "../../engine/loadWeights.ts";
import { precisionTest, selfTest, withShortcuts, type SelfTestReport } from "../../engine/selftest.ts";
import type { Precision } from "../../lib/precision.ts";
import type { EngineHost } from "../engineHost.ts";

/** Why WebGPU is not used, and what a person can do about it. */
export type WebGpuMissing = NonNullable<DeviceCard["webgpuMissing"]>;

export interface TestedDevice {
  readonly device: Device;
  readonly card: DeviceCard;
  /** Whether encoding steps of the model that it was tested for may be recorded, where it records any. */
  readonly recordsSteps: boolean;
}

/** The model that a device is wanted for: its config.json, and the precision where one was chosen. */
export interface WantedModel {
  readonly config: unknown;
  readonly precision?: Precision;
}

/**
 * Opens and tests a backend for `model`.
 * @param missing why WebGPU is not to be tried under "auto" (it was lost, say)
 * @throws where no backend that may be taken computes rightly in the model's precision, or has it
 */
export async function openBackend(
  host: Pick<EngineHost, "survey" | "openDevice">,
  choice: BackendChoice,
  model: WantedModel,
  missing?: WebGpuMissing,
): Promise<TestedDevice> {
  const survey = await host.survey();
  const why = missing ?? survey.webgpuMissing;
  const openOn = async (backend: "webgpu" | "wasm", instead: WebGpuMissing | null): Promise<TestedDevice> => {
    const { report, ...tested } = await openTested(host, backend, model);
    return { ...tested, card: cardOf(tested.device, survey, report, instead) };
  };
  if (choice === "wasm") return openOn("wasm", survey.webgpuMissing ?? null);
  if (choice === "webgpu") {
    if (!survey.webgpu) throw unavailable(survey.webgpuMissing);
    return openOn("webgpu", null);
  }
  if (why) return openOn("wasm", why);
  try {
    return await openOn("webgpu", null);
  } catch (error) {
    return openOn("wasm", reasonOf(error));
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

/** What the tests of a device found. */
type Report = Pick<SelfTestReport, "verdict" | "summary" | "milliseconds">;

async function openTested(
  host: Pick<EngineHost, "openDevice">,
  backend: "webgpu" | "wasm",
  model: WantedModel,
): Promise<Omit<TestedDevice, "card"> & { readonly report: Report }> {
  const opened = await host.openDevice(backend);
  try {
    const { precision, expanded } = formOn(opened, model.config, model);
    const report = await selfTest(opened);
    if (report.verdict === "wrong")
      throw new Error(
        `engine: the self-test found wrong results on ${backend} (${report.summary}), so it is not used. ` +
          (backend === "webgpu"
            ? "Choose auto or wasm, or update the browser and the graphics driver."
            : "Update the browser, or try another one."),
      );
    const device = withShortcuts(opened, report.shortcuts);
    if (expanded || precision === "f32") return { device, recordsSteps: true, report };
    return { device, ...(await testPrecision(device, backend, precision, report)) };
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}

/** What the self-test says of a device in the precision that graphs get a model's matrices in, `report` being of float32. */
async function testPrecision(
  device: Device,
  backend: "webgpu" | "wasm",
  precision: Precision,
  report: Report,
): Promise<{ readonly recordsSteps: boolean; readonly report: Report }> {
  const rounded = await precisionTest(device, precision);
  if (rounded.verdict === "wrong")
    throw new Error(
      `engine: the self-test found wrong results in ${precision} on ${backend} (${rounded.summary}), so the model is not used there. ` +
        "Choose another precision or backend, or update the browser and the graphics driver.",
    );
  return {
    recordsSteps: rounded.recording,
    report: {
      verdict: rounded.verdict === "pass" ? report.verdict : rounded.verdict,
      summary: `${report.summary}; in ${precision} ${rounded.summary}`,
      milliseconds: report.milliseconds + rounded.milliseconds,
    },
  };
}

function cardOf(
  { capabilities }: Device,
  { wasm }: Survey,
  { verdict, summary, milliseconds }: Report,
  webgpuMissing: WebGpuMissing | null,
): DeviceCard {
  return {
    ...capabilities,
    crossOriginIsolated: wasm.limits["crossOriginIsolated"] === 1,
    webgpuMissing,
    selfTest: { verdict, summary, milliseconds },
  };
}
