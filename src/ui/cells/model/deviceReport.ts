/** @file The device card as text, for a bug report. */

import type { BufferLedger, DeviceCard, ModelReady } from "../../../records/model.ts";
import { bytes, count } from "../../format.ts";

/** What the self-test found; its verdict stands beside it. */
export const selfTestText = ({ summary, verdict }: DeviceCard["selfTest"]): string =>
  summary.startsWith(`${verdict}: `) ? summary.slice(verdict.length + 2) : summary;

/** Whether numbers of 16 bits can be computed with, and by what; a processor has no shaders. */
export function halfPrecisionText({ f16, backend }: Pick<DeviceCard, "f16" | "backend">): string {
  if (!f16) return "no";
  return backend === "webgpu" ? "yes (shader-f16)" : "yes";
}

/** The limits of a device by what they are; whether the page is isolated is told with the threads. */
export const limitRows = (
  limits: DeviceCard["limits"],
): readonly (readonly [term: string, value: string])[] =>
  Object.entries(limits).flatMap(([name, value]) =>
    name === "crossOriginIsolated"
      ? []
      : [[LIMITS[name] ?? name, /size|bytes|memory/i.test(name) ? bytes(value) : count(value)] as const],
  );

const LIMITS: Readonly<Record<string, string>> = {
  maxBufferSize: "Largest buffer",
  maxStorageBufferBindingSize: "Largest binding",
  memory: "Largest heap",
};

/** One fact per line; nothing in it names the user. */
export function deviceReport(
  device: DeviceCard,
  ledger: BufferLedger | null,
  decoding: ModelReady["decoding"],
): string {
  const { selfTest, webgpuMissing } = device;
  const lines = [
    `backend: ${device.backend}`,
    `adapter: ${device.description}`,
    `runtime: ${device.runtime}`,
    `self-test: ${selfTest.verdict} (${selfTestText(selfTest)})`,
    ...(decoding ? [`decoding: ${decoding}`] : []),
    `half precision: ${halfPrecisionText(device)}`,
    `threads: ${device.threads}`,
    `cross-origin isolated: ${device.crossOriginIsolated ? "yes" : "no"}`,
    ...Object.entries(device.limits).map(([name, value]) => `${name}: ${value}`),
    ...(ledger ? [`held: ${bytes(ledger.total)}, peak ${bytes(ledger.peak)}`] : []),
    ...(webgpuMissing ? [`WebGPU not used: ${webgpuMissing.reason}`] : []),
    `browser: ${navigator.userAgent}`,
  ];
  return `${lines.join("\n")}\n`;
}
