/** @file The size of packed rows. */

import type { Rows } from "../vectorForms.ts";

export const bytesOfRows = (rows: Rows): number =>
  rows instanceof Float32Array
    ? rows.byteLength
    : "bits" in rows
      ? rows.bits.byteLength
      : rows.levels.byteLength + rows.scales.byteLength;
