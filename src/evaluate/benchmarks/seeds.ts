/**
 * @file What cases follow from: seeds by names, so that what is drawn for one case does not depend on which others are
 * run, and a print of the texts that all of them are made from.
 */

import { sha256Hex } from "../../lib/hash.ts";
import { seeded } from "../../lib/rng.ts";

/** Numbers in [0, 1) for `seed` and whatever names the draw. */
export const drawing = (seed: number, ...names: readonly (string | number)[]): (() => number) =>
  seeded(Number.parseInt(sha256Hex(JSON.stringify([seed, ...names])).slice(0, 8), 16));

/** A whole number from 0 to below `count`. */
export const pick = (random: () => number, count: number): number => Math.floor(random() * count);

/** Texts as a setting: how many, and a hash over what they are called and say. */
export const printOf = (texts: readonly { readonly name: string; readonly text: string }[]): string =>
  `${texts.length}, SHA-256 ${sha256Hex(JSON.stringify(texts.map(({ name, text }) => [name, text]))).slice(0, 16)}`;
