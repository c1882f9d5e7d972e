/** @file When and on what the output of a cell was made, as its margin says it. */

import type { Cell, Notebook, Stamp } from "../records/notebook.ts";
import { stampOf } from "./kinds.ts";

/** A stamp, and what was done then; nothing where the cell does one thing alone. */
export interface NamedStamp {
  readonly name: string;
  readonly stamp: Stamp;
}

/**
 * The stamps of a cell. What a memory cell shows is made by others: when it was last memorised stands first, and beside
 * it the last deletion and the last fact that was encoded again.
 */
export function stampsOf({ cells }: Pick<Notebook, "cells">, cell: Cell): readonly NamedStamp[] {
  if (cell.kind !== "store") return named("", stampOf(cell));
  const memorised = cells.flatMap((one) => (one.kind === "memorize" && one.output ? [one.output.stamp] : []));
  const { certificates = [], reencodings = [] } = cell.output ?? {};
  return [
    ...named("Memorised", newest(memorised)),
    ...named("Last deletion", newest(certificates.map(({ stamp }) => stamp))),
    ...named("Last encoded again", newest(reencodings.map(({ stamp }) => stamp))),
  ];
}

const named = (name: string, stamp: Stamp | null): NamedStamp[] => (stamp ? [{ name, stamp }] : []);

const newest = (stamps: readonly Stamp[]): Stamp | null =>
  stamps.toSorted((a, b) => b.at.localeCompare(a.at))[0] ?? null;
