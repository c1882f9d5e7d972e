/** @file Reference numbers of a model from another implementation, as golden.json has them (golden/README.md). */

import { present } from "../../src/lib/assert.ts";

/** A row-major float32 array. */
export interface GoldenArray {
  readonly shape: readonly number[];
  readonly float32_base64: string;
}

/** The parts of golden.json that are checked. */
export interface Golden {
  readonly input_ids: readonly (readonly number[])[];
  readonly logits: GoldenArray;
  readonly down_proj_input: Readonly<Record<string, GoldenArray>>;
  readonly injection: {
    readonly layer: number;
    readonly position: readonly number[];
    readonly first_value_position: number;
    readonly value_length: readonly number[];
    readonly delta: GoldenArray;
    readonly loss_per_row: readonly number[];
    readonly gradient: GoldenArray;
  };
  readonly adam: {
    readonly lr: number;
    readonly beta1: number;
    readonly beta2: number;
    readonly eps: number;
    readonly loss_per_step_per_row: readonly (readonly number[])[];
    readonly delta: GoldenArray;
  };
  readonly greedy: {
    readonly prompt_length: number;
    readonly plain: readonly (readonly number[])[];
    readonly with_delta: readonly (readonly number[])[];
  };
  readonly gated_read: {
    readonly layer: number;
    readonly beta: number;
    readonly theta: number;
    readonly keys: GoldenArray;
    readonly residuals: GoldenArray;
    readonly similarity: GoldenArray;
    readonly weights: GoldenArray;
    readonly gate_open: readonly (readonly number[])[];
    readonly injected: GoldenArray;
    readonly logits: GoldenArray;
  };
}

/** Reads golden.json. Throws naming the first missing key. */
export function parseGolden(json: unknown): Golden {
  const golden = json as Golden;
  for (const key of [
    "input_ids",
    "logits",
    "down_proj_input",
    "injection",
    "adam",
    "greedy",
    "gated_read",
  ] as const)
    present(golden[key], () => `parity: golden.json has no "${key}"`);
  return golden;
}

/** The numbers of an array. Throws when their number differs from the product of its shape. */
export function decode({ shape, float32_base64 }: GoldenArray): Float32Array {
  const bytes = Uint8Array.from(atob(float32_base64), (c) => c.charCodeAt(0));
  const data = new Float32Array(bytes.buffer);
  const count = shape.reduce((n, d) => n * d, 1);
  if (data.length !== count)
    throw new Error(`parity: golden array [${shape.join(", ")}] holds ${data.length} values`);
  return data;
}
