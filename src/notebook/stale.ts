/** @file Fingerprints of the inputs of an output, as a list of parts ("model:9f2c01ab sources:…"), and their changes in words. */

import { sha256Hex } from "../lib/hash.ts";
import { sortedJson } from "../lib/sortedJson.ts";
import type { Cell, Notebook, Stamp } from "../records/notebook.ts";
import { partsOf, stampOf, type Part } from "./kinds.ts";

const CHANGED: Readonly<Record<Part, string>> = {
  model: "another model or backend is set",
  sources: "the sources changed",
  parameters: "the parameters changed",
  embedder: "another text embedder is set",
  memory: "the memory changed",
  settings: "the settings changed",
  questions: "the questions changed",
};

export function fingerprint(notebook: Notebook, cellId: string): string {
  const cell = notebook.cells.find(({ id }) => id === cellId);
  if (!cell) return "";
  return Object.entries(partsOf(cell, notebook))
    .map(([name, value]) => `${name}:${digest(value)}`)
    .join(" ");
}

/** Why the saved output is stale, as phrases; empty if it is current or nothing was saved. */
export function staleReasons(notebook: Notebook, cell: Cell): readonly string[] {
  const stamp = stampOf(cell);
  if (!stamp || stamp.inputs === "") return [];
  const partsIn = (inputs: string): Map<string, string> =>
    new Map(inputs.split(" ").map((part) => part.split(":") as [string, string]));
  const then = partsIn(stamp.inputs);
  return [...partsIn(fingerprint(notebook, cell.id))].flatMap(([name, value]) =>
    then.get(name) === value ? [] : [CHANGED[name as Part] ?? `${name} changed`],
  );
}

const digest = (value: unknown): string => sha256Hex(sortedJson(value)).slice(0, 8);

/** A stamp and the name of its event; "" if the cell has only one. */
interface NamedStamp {
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
