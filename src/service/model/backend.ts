/**
 * @file Chooses and tests a backend, before any weights are fetched: the self-test in float32, and in the model's
 * precision. "auto" takes WebGPU if an adapter is available and computes correctly, otherwise wasm, and records the
 * reason. A backend that was named is not replaced.
 */

import { formOn } from "../../engine/loadWeights.ts";
import { precisionTest, selfTest, withShortcuts, type SelfTestReport } from "../../engine/selftest.ts";
import { messageOf } from "../../lib/assert.ts";
import type { Precision } from "../../lib/precision.ts";
import type { DeviceCard } from "../../records/model.ts";
import type { BackendChoice } from "../../records/notebook.ts";
import type { Survey } from "../../runtime/capabilities.ts";
import type { Device } from "../../runtime/device.ts";
import { WebGpuUnavailable } from "../../runtime/gpu.ts";
import type { EngineHost, LoadCall } from "../types.ts";

type Backend = "webgpu" | "wasm";

/** Why WebGPU is not used, and what the user can do about it. */
export type WebGpuMissing = NonNullable<DeviceCard["webgpuMissing"]>;

export interface TestedDevice {
  readonly device: Device;
  readonly card: DeviceCard;
  /** Whether encoding steps of the tested model may be recorded, if the device records any. */
  readonly recordsSteps: boolean;
}

/** The model to be opened: its config.json, and the precision if one was chosen. */
export interface WantedModel {
  readonly config: unknown;
  readonly precision?: Precision;
}

/**
 * Opens and tests a backend for `model`.
 * @param missing why WebGPU is not tried under "auto", for example because it was lost
 * @throws if no allowed backend computes correctly in the model's precision, or supports it
 */
export async function openBackend(
  host: Pick<EngineHost, "survey" | "openDevice">,
  choice: BackendChoice,
  model: WantedModel,
  { onProgress }: LoadCall = {},
  missing?: WebGpuMissing,
): Promise<TestedDevice> {
  onProgress?.({ stage: "self-test", done: 0, total: 1 });
  const survey = await host.survey();
  const open = (backend: Backend, instead: WebGpuMissing | null): Promise<TestedDevice> =>
    openTested(host, backend, model, survey, instead);
  const choose = async (): Promise<TestedDevice> => {
    if (choice === "wasm") return open("wasm", survey.webgpuMissing ?? null);
    if (choice === "webgpu") {
      if (!survey.webgpu) throw unavailable(survey.webgpuMissing);
      return open("webgpu", null);
    }
    const why = missing ?? survey.webgpuMissing;
    return why
      ? open("wasm", why)
      : open("webgpu", null).catch((error: unknown) => open("wasm", reasonOf(error)));
  };
  const tested = await choose();
  onProgress?.({ stage: "self-test", done: 1, total: 1 });
  return tested;
}

function unavailable(missing: Survey["webgpuMissing"]): Error {
  const { reason = "no adapter", next = "" } = missing ?? {};
  return new Error(`engine: WebGPU is not available (${reason}). ${next}`.trim());
}

function reasonOf(error: unknown): WebGpuMissing {
  if (error instanceof WebGpuUnavailable) return { reason: error.reason, next: error.next };
  return {
    reason: messageOf(error),
    next: "Update the browser and the graphics driver; until then wasm is used.",
  };
}

async function openTested(
  host: Pick<EngineHost, "openDevice">,
  backend: Backend,
  model: WantedModel,
  { wasm }: Survey,
  webgpuMissing: WebGpuMissing | null,
): Promise<TestedDevice> {
  const opened = await host.openDevice(backend);
  try {
    const { precision, expanded } = formOn(opened, model.config, model);
    const plain = await testFloat32(opened, backend);
    const device = withShortcuts(opened, plain.shortcuts);
    const { report, recordsSteps } =
      expanded || precision === "f32"
        ? { report: plain, recordsSteps: true }
        : await testPrecision(device, backend, precision, plain);
    const { verdict, summary, milliseconds } = report;
    const card: DeviceCard = {
      ...device.capabilities,
      crossOriginIsolated: wasm.limits["crossOriginIsolated"] === 1,
      webgpuMissing,
      selfTest: { verdict, summary, milliseconds },
    };
    return { device, card, recordsSteps };
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}

async function testFloat32(device: Device, backend: Backend): Promise<SelfTestReport> {
  const report = await selfTest(device);
  if (report.verdict === "wrong")
    throw new Error(
      `engine: the self-test found wrong results on ${backend} (${report.summary}), so it is not used. ` +
        (backend === "webgpu"
          ? "Choose auto or wasm, or update the browser and the graphics driver."
          : "Update the browser, or try another one."),
    );
  return report;
}

/** Tests the precision in which graphs read the model's matrices; the result adds to `plain`, the float32 report. */
async function testPrecision(
  device: Device,
  backend: Backend,
  precision: Precision,
  plain: SelfTestReport,
): Promise<{
  readonly recordsSteps: boolean;
  readonly report: Pick<SelfTestReport, "verdict" | "summary" | "milliseconds">;
}> {
  const rounded = await precisionTest(device, precision);
  if (rounded.verdict === "wrong")
    throw new Error(
      `engine: the self-test found wrong results in ${precision} on ${backend} (${rounded.summary}), so the model is not used there. ` +
        "Choose another precision or backend, or update the browser and the graphics driver.",
    );
  return {
    recordsSteps: rounded.recording,
    report: {
      verdict: rounded.verdict === "pass" ? plain.verdict : rounded.verdict,
      summary: `${plain.summary}; in ${precision} ${rounded.summary}`,
      milliseconds: plain.milliseconds + rounded.milliseconds,
    },
  };
}
