/** @file The device card as text, for a bug report. */

import type { BufferLedger, DeviceCard } from "../../../records/model.ts";
import { bytes } from "../../format.ts";

/** One fact per line; nothing in it names the user. */
export function deviceReport(device: DeviceCard, ledger: BufferLedger | null): string {
  const { selfTest, webgpuMissing } = device;
  const lines = [
    `backend: ${device.backend}`,
    `adapter: ${device.description}`,
    `runtime: ${device.runtime}`,
    `self-test: ${selfTest.verdict} (${selfTest.summary})`,
    `shader-f16: ${device.f16 ? "yes" : "no"}`,
    `threads: ${device.threads}`,
    `cross-origin isolated: ${device.crossOriginIsolated ? "yes" : "no"}`,
    ...Object.entries(device.limits).map(([name, value]) => `${name}: ${value}`),
    ...(ledger ? [`held: ${bytes(ledger.total)}, peak ${bytes(ledger.peak)}`] : []),
    ...(webgpuMissing ? [`WebGPU not used: ${webgpuMissing.reason}`] : []),
    `browser: ${navigator.userAgent}`,
  ];
  return `${lines.join("\n")}\n`;
}
