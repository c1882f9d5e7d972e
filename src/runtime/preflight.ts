/** @file Reports whether a model will fit, before anything is downloaded, with the numbers that decide it. */
import type { ModelFit } from "../records/model.ts";
import type { Capabilities, Purpose } from "./device.ts";

export interface Need {
  readonly bytes: Readonly<Partial<Record<Purpose, number>>>;
  /** The largest single tensor; on WebGPU it must fit into one buffer. */
  readonly largestTensor: number;
}

/** "unknown": no limit is exceeded, but this backend does not report how much memory there is. */
export function fits(
  { bytes, largestTensor }: Need,
  { backend, limits }: Capabilities,
): Omit<ModelFit, "backend"> {
  const { maxBufferSize, memory } = limits;
  if (maxBufferSize !== undefined && largestTensor > maxBufferSize)
    return {
      verdict: "too big",
      message: `The largest tensor has ${show(largestTensor)}; a buffer on this GPU holds ${show(maxBufferSize)}.`,
    };
  const needed = Object.values(bytes).reduce((sum, one) => sum + one, 0);
  const parts = Object.entries(bytes).map(([purpose, one]) => `${purpose} ${show(one)}`);
  const wanted = `${show(needed)} needed (${parts.join(", ")})`;
  if (memory === undefined)
    return { verdict: "unknown", message: `${wanted}; ${backend} does not tell how much there is.` };
  const verdict = needed > memory ? "too big" : needed > memory * COMFORTABLE ? "tight" : "fits";
  return { verdict, message: `${wanted} of ${show(memory)}.` };
}

function show(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

/** Above this share, activations and the browser's own needs may not find room. */
const COMFORTABLE = 0.7;
