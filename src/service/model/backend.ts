/**
 * @file Chooses and tests a backend, before any weights are fetched: the self-test in float32, and in the model's
 * precision. "auto" takes WebGPU if it is available and computes correctly, otherwise wasm, and records the reason.
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

export interface WantedModel {
  readonly config: unknown;
  readonly precision?: Precision;
}

/**
 * @param missing why "auto" does not try WebGPU @throws if no allowed backend supports the precision and computes
 * correctly
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
  const why = (choice === "auto" ? missing : undefined) ?? survey.webgpuMissing;
  const open = (backend: Backend, instead: WebGpuMissing | null): Promise<TestedDevice> =>
    openTested(host, backend, model, survey, instead);
  if (choice === "webgpu" && !survey.webgpu) {
    const { reason = "no adapter", next = "" } = why ?? {};
    throw new Error(`engine: WebGPU is not available (${reason}). ${next}`.trim());
  }
  const tested =
    choice === "wasm" || (choice === "auto" && why)
      ? await open("wasm", why ?? null)
      : await open("webgpu", null).catch((error: unknown) => {
          if (choice === "webgpu") throw error;
          return open("wasm", reasonOf(error));
        });
  onProgress?.({ stage: "self-test", done: 1, total: 1 });
  return tested;
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
    const plain = await selfTest(opened);
    assertRight(
      plain,
      `on ${backend}`,
      backend === "webgpu"
        ? "so it is not used. Choose auto or wasm, or update the browser and the graphics driver."
        : "so it is not used. Update the browser, or try another one.",
    );
    const device = withShortcuts(opened, plain.shortcuts);
    // The precision in which graphs read the model's matrices.
    const rounded = expanded || precision === "f32" ? null : await precisionTest(device, precision);
    const other =
      "so the model is not used there. Choose another precision or backend, or update the browser and the graphics driver.";
    if (rounded) assertRight(rounded, `in ${precision} on ${backend}`, other);
    const card: DeviceCard = {
      ...device.capabilities,
      crossOriginIsolated: wasm.limits["crossOriginIsolated"] === 1,
      webgpuMissing,
      selfTest: {
        verdict: rounded && rounded.verdict !== "pass" ? rounded.verdict : plain.verdict,
        summary: rounded ? `${plain.summary}; in ${precision} ${rounded.summary}` : plain.summary,
        milliseconds: plain.milliseconds + (rounded?.milliseconds ?? 0),
      },
    };
    return { device, card, recordsSteps: rounded?.recording ?? true };
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}

function assertRight(
  { verdict, summary }: Pick<SelfTestReport, "verdict" | "summary">,
  where: string,
  next: string,
): void {
  if (verdict === "wrong")
    throw new Error(`engine: the self-test found wrong results ${where} (${summary}), ${next}`);
}
