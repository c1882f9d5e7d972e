/** @file File names of the rounded copies of a model (roundedCopy.ts). */

import type { LEVEL_BITS } from "../lib/precision.ts";

/** The precisions that copies are kept in: a copy in float16 would not be smaller than the published file. */
export type CopyPrecision = keyof typeof LEVEL_BITS;

export const copyName = (precision: CopyPrecision): string => `palimpsest-${precision}.rows`;
export const isCopyName = (name: string): boolean => /^palimpsest-q\d\.rows$/.test(name);
