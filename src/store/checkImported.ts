/** @file Checks of a memory from elsewhere. A bad number would harm all facts of a layer, which are compared together. */

import { norm } from "../lib/vector.ts";
import { isWhole, problemWith } from "../records/parameterText.ts";
import { PARAMETER_NAMES, rowOf } from "../records/params.ts";
import {
  byFact,
  tiledTokens,
  type EntryMeta,
  type Memory,
  type MemoryEntry,
  type RoutingDocument,
} from "../records/memory.ts";

type Head = Pick<Memory, "model" | "params" | "layers" | "centres">;

/** Checks storage layers, key centres, and parameters that are counts: no step count may be endless, no batch empty. */
export function checkHead({ params, ...head }: Head): void {
  checkLayers(head);
  const counts = PARAMETER_NAMES.filter((name) => isWhole(rowOf(name).kind));
  const [problem] = counts.flatMap((name) => problemWith(name, params[name]) ?? []);
  if (problem !== undefined) throw new Error(`manifest.json, memory.params: ${problem.replace(/\.$/, "")}`);
}

export function checkLayers({ model, layers, centres = [] }: Omit<Head, "params">): void {
  for (const layer of [...layers, ...centres.map((one) => one.layer)])
    if (layer >= model.layers)
      throw new Error(
        `a storage layer or key centre is of layer ${layer}, the model has ${model.layers} layers`,
      );
  for (const { layer, vector } of centres) {
    checkFinite(`the key centre of layer ${layer}`, vector);
    if (vector.length !== model.dFf)
      throw new Error(
        `the key centre of layer ${layer} has ${vector.length} values, but dFf of the model is ${model.dFf}`,
      );
  }
}

export function checkRouting(routing: readonly RoutingDocument[]): void {
  for (const { anchor, vector, facts } of routing)
    for (const one of [vector, ...facts.flatMap((fact) => fact.vector ?? [])])
      checkFinite(`a routing vector of "${anchor}"`, one);
}

/** Rounding to levels or to float32 changes the length of a key by far less. */
const LENGTH_ERROR = 1e-3;

/** A key with NaN would keep the gate of its layer shut; a key longer than a unit vector would win every comparison. */
export function checkEntries(entries: readonly Pick<MemoryEntry, "id" | "key" | "residual">[]): void {
  for (const { id, key, residual } of entries) {
    checkFinite(`the key of fact "${id}"`, key);
    checkFinite(`the residual of fact "${id}"`, residual);
    const length = norm(key);
    if (!(Math.abs(length - 1) <= LENGTH_ERROR))
      throw new Error(`the key of fact "${id}" has length ${length}; a unit vector is expected`);
  }
}

function checkFinite(what: string, vector: Float32Array): void {
  if (!vector.every(Number.isFinite))
    throw new Error(`${what} holds NaN or infinity; finite numbers are expected`);
}

export interface ImportedPart extends Pick<EntryMeta, "id" | "start" | "layer" | "tokens" | "params"> {
  readonly report: Pick<EntryMeta["report"], "respelt">;
}

export const partOf = ({ id, start, layer, tokens, params, report }: MemoryEntry): ImportedPart => ({
  ...{ id, start, layer, tokens, report: report.respelt ? { respelt: report.respelt } : {} },
  ...(params !== undefined && { params }),
});

export function checkFacts(
  entries: readonly ImportedPart[],
  { model, earlier = [] }: Pick<Memory, "model" | "earlier">,
): void {
  for (const { id, layer, tokens, params } of entries) {
    if (params !== undefined && params >= earlier.length)
      throw new Error(
        `fact "${id}" names earlier parameters ${params}, ${earlier.length} sets of them are there`,
      );
    if (tokens < 1 || tokens > model.window || layer >= model.layers)
      throw new Error(
        `fact "${id}" has ${tokens} tokens at layer ${layer}; 1 to ${model.window} at a layer below ${model.layers} are expected`,
      );
  }
  for (const parts of byFact(entries))
    if (tiledTokens(parts) === null)
      throw new Error(
        `the parts of fact "${parts[0]!.id}" begin at tokens ${parts.map(({ start }) => start).join(", ")}; each is expected where the one before it ends, the first at 0`,
      );
}
