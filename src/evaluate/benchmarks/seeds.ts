/** @file Seeds that follow from names: what is drawn for one case does not depend on which others are run. */

import { sha256Hex } from "../../lib/hash.ts";
import { seeded } from "../../lib/rng.ts";

/** Numbers in [0, 1) for `seed` and whatever names the draw. */
export const drawing = (seed: number, ...names: readonly (string | number)[]): (() => number) =>
  seeded(Number.parseInt(sha256Hex(JSON.stringify([seed, ...names])).slice(0, 8), 16));

/** A whole number from 0 to below `count`. */
export const pick = (random: () => number, count: number): number => Math.floor(random() * count);
