/** @file The part of an address that opens a fact: "#fact=<id>". */

import type { FactId } from "../../../records/ids.ts";

const NAME = "#fact=";

export const factHash = (id: FactId): string => `${NAME}${encodeURIComponent(id)}`;

export const isFactHash = (hash: string): boolean => hash.startsWith(NAME);

/** The fact id in a hash; null for other hashes. */
export function factOfHash(hash: string): FactId | null {
  if (!isFactHash(hash)) return null;
  try {
    const id = decodeURIComponent(hash.slice(NAME.length));
    return /^[^:]+:\d+$/.test(id) ? (id as FactId) : null;
  } catch {
    return null; // a broken escape
  }
}
