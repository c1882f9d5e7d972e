/** @file The stamps in the margin of a cell: when and on which device its output was made. */

import type { Cell, Notebook, Stamp } from "../records/notebook.ts";
import { stampOf } from "./kinds.ts";

/** A stamp and the name of its event; "" if the cell has only one. */
export interface NamedStamp {
  readonly name: string;
  readonly stamp: Stamp;
}

/** For a memory cell: the last memorise run, the last deletion, and the last fact encoded again. */
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
