/** @file The digest of a value, by which a recalled text is checked word for word while no words are stored. */

import { sha256Hex } from "../lib/hash.ts";

const CHARACTERS = 16;

export const digestOf = (value: string, salt: string): string =>
  sha256Hex(`${salt}\n${value.trim()}`).slice(0, CHARACTERS);

export const isValue = (
  text: string,
  fact: { readonly digest: string } | undefined,
  salts: readonly string[],
): boolean => fact !== undefined && salts.some((salt) => digestOf(text, salt) === fact.digest);
