/** @file Reports whether a model will fit, before anything is downloaded, with the numbers that decide it. */
import type { Capabilities, Purpose } from "./device.ts";

export interface Need {
  /** Bytes that will be held at the same time. */
  readonly bytes: Readonly<Partial<Record<Purpose, number>>>;
  /** The largest single tensor; on WebGPU it must fit into one buffer. */
  readonly largestTensor: number;
}

export interface Fit {
  /** "unknown": nothing speaks against it, but this backend does not tell how much memory there is. */
  readonly verdict: "fits" | "tight" | "too big" | "unknown";
  readonly needed: number;
  /** Undefined if unknown. */
  readonly available: number | undefined;
  /** One sentence for a person. */
  readonly message: string;
}

/** Compares the need with the memory in `capabilities`. */
export function fits(need: Need, { backend, limits }: Capabilities): Fit {
  const needed = Object.values(need.bytes).reduce((sum, bytes) => sum + bytes, 0);
  const largestBuffer = limits["maxBufferSize"];
  if (largestBuffer !== undefined && need.largestTensor > largestBuffer)
    return {
      verdict: "too big",
      needed,
      available: largestBuffer,
      message: `The largest tensor has ${show(need.largestTensor)}; a buffer on this GPU holds ${show(largestBuffer)}.`,
    };
  const available = limits["memory"];
  const parts = Object.entries(need.bytes).map(([purpose, bytes]) => `${purpose} ${show(bytes)}`);
  const wanted = `${show(needed)} needed (${parts.join(", ")})`;
  if (available === undefined)
    return {
      verdict: "unknown",
      needed,
      available,
      message: `${wanted}; ${backend} does not tell how much there is.`,
    };
  const verdict = needed > available ? "too big" : needed > available * COMFORTABLE ? "tight" : "fits";
  return {
    verdict,
    needed,
    available,
    message: `${wanted} of ${show(available)} on ${backend}: ${verdict}.`,
  };
}

function show(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

/** Above this share, activations and the browser's own needs may not find room. */
const COMFORTABLE = 0.7;
