/** @file The settings of one encoding step as columns: one number a row, those of empty rows such that nothing moves. */

import type { EncoderOptions, StepRow } from "./engine.ts";

/** By the input of the step (graph/programs/train.ts), [batch, 1] each. */
export type Settings = Readonly<Record<"rate" | "correction1" | "correction2" | "stop", Float32Array>>;

/** The settings of `rows` in a program of `batch`. */
export function settingsOf(
  rows: readonly StepRow[],
  batch: number,
  { beta1, beta2 }: Pick<EncoderOptions, "beta1" | "beta2">,
): Settings {
  const column = (of: (row: StepRow) => number, idle: number) =>
    Float32Array.from({ length: batch }, (_, i) => (rows[i] ? of(rows[i]) : idle));
  return {
    rate: column((row) => row.rate, 0),
    correction1: column((row) => 1 / (1 - beta1 ** row.step), 1),
    correction2: column((row) => 1 / (1 - beta2 ** row.step), 1),
    stop: column((row) => (row.stop ? 1 : 0), 1),
  };
}
