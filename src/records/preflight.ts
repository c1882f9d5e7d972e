/** @file The line about a model's size that is shown before a download, on the page and in the terminal. */

import type { ModelFit, PrecisionSize } from "./model.ts";

/** "Qwen3-4B: 16.1 GB as f32, 2.5 GB as q4; this device: wasm holds q4, WebGPU does not say how much it holds". */
export function preflightLine(name: string, sizes: readonly PrecisionSize[]): string {
  const each = sizes.map(({ precision, bytes }) => `${gigabytes(bytes)} as ${precision}`).join(", ");
  const backends = sizes[0]?.fit.map(({ backend }) => backend) ?? [];
  return `${name}: ${each}; this device: ${backends.map((backend) => holds(backend, sizes)).join(", ")}`;
}

function holds(backend: ModelFit["backend"], sizes: readonly PrecisionSize[]): string {
  const verdicts = sizes.flatMap(({ precision, fit }) =>
    fit.flatMap((one) => (one.backend === backend ? [{ precision, verdict: one.verdict }] : [])),
  );
  const name = NAMES[backend];
  const held = verdicts.filter(({ verdict }) => verdict !== "too big");
  if (held.length === 0) return `${name} holds it in no precision`;
  if (held.every(({ verdict }) => verdict === "unknown")) return `${name} does not say how much it holds`;
  const list = held.map(({ precision, verdict }) =>
    verdict === "tight" ? `${precision} (tight)` : precision,
  );
  return `${name} holds ${list.join(", ")}`;
}

const NAMES = { webgpu: "WebGPU", wasm: "wasm", cpu: "the processor" } as const;

/** With one digit; in megabytes below 0.1 GB. */
const gigabytes = (bytes: number): string =>
  bytes < 0.1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
