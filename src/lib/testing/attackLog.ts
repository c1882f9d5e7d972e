/** @file What an attack came to, as a line of the file that `npm run tool -- attacks` adds up (docs/security.md). */

import { appendFileSync } from "node:fs";

/** The classes of docs/security.md, in its order. */
export const ATTACK_CLASSES = [
  "text files",
  "web pages",
  "Markdown",
  "books and documents",
  "model folders",
  "tokenizers and templates",
  "the Hub",
  "notebooks",
  "archives",
  "runs and predictions",
  "storage",
  "the cache",
  "workers",
  "exports",
  "the server",
  "killed tabs",
] as const;
export type AttackClass = (typeof ATTACK_CLASSES)[number];

export interface AttackRecord {
  readonly kind: AttackClass;
  readonly name: string;
  /** What happened before it was mended, where it was a fault. */
  readonly fault?: string;
  readonly milliseconds: number;
  /** Stored facts that it was aimed at, and how many of them were gone afterwards. */
  readonly facts: number;
  readonly lost: number;
  /** Most memory of page and workers together, in bytes, where a browser was asked. */
  readonly bytes?: number;
}

/** The file of the records: `PALIMPSEST_ATTACKS`; undefined in an ordinary test run. */
const file = (): string | undefined => process.env["PALIMPSEST_ATTACKS"];

/** Keeps the record where a count is wanted. */
export function logAttack(record: AttackRecord): void {
  const path = file();
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(record)}\n`);
}
