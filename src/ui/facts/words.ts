/** @file How runs and fidelities are called. */

import type { Stamp } from "../../records/notebook.ts";

/** "palimpsest-6m@0a1b2c3d on wasm"; empty where no model took part. */
export const ranOn = ({ model, backend }: Pick<Stamp, "model" | "backend">): string =>
  [model, backend && `on ${backend}`].filter(Boolean).join(" ");

/** A fidelity with two digits, never 1.00: all tokens in another order are not exact. */
export const shortOfOne = (fidelity: number): string =>
  Math.min(0.99, Math.floor(fidelity * 100) / 100).toFixed(2);
