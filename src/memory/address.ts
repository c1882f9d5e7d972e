/** @file Addresses of a layer: activations, minus the centre c(ℓ) of the layer if it has one, as comparable keys. */

import type { Engine, LayerMemory } from "../engine/engine.ts";
import { assert } from "../lib/assert.ts";
import { norm, unit } from "../lib/vector.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { Memory } from "../records/memory.ts";
import type { EntryVectors } from "../records/vectors.ts";

export interface StoredVectors extends Pick<Memory, "entries"> {
  readonly centres?: Memory["centres"] | undefined;
}

/** c(ℓ) [dFf]; undefined if keys of the layer are compared as they are. */
export const centreOf = (centres: StoredVectors["centres"], layer: LayerIndex): Float32Array | undefined =>
  centres?.find((one) => one.layer === layer)?.vector;

/** k̂ = (a - c) / |a - c|. @throws if a = c, with the `name` of the fact: the similarity to every key would be 0 */
export function addressOf(
  activation: Float32Array,
  centre: Float32Array | undefined,
  name: string,
): Float32Array {
  const apart = apartFrom(activation, centre);
  assert(norm(apart) > 0, () => `memory: the key activation of ${name} is ${centre ? "the centre" : "zero"}`);
  return unit(apart);
}

export const apartFrom = (activation: Float32Array, centre: Float32Array | undefined): Float32Array =>
  centre ? activation.map((x, i) => x - centre[i]!) : activation;

export function openVectors(
  engine: Pick<Engine, "openLayer">,
  entries: readonly EntryVectors[],
  centres: StoredVectors["centres"],
): LayerMemory {
  const { layer } = entries[0]!;
  return engine.openLayer(
    layer,
    rows(entries, "key"),
    () => rows(entries, "residual"),
    centreOf(centres, layer),
  );
}

function rows(entries: readonly EntryVectors[], field: "key" | "residual"): Float32Array {
  const width = entries[0]![field].length;
  const matrix = new Float32Array(entries.length * width);
  for (const [i, entry] of entries.entries()) matrix.set(entry[field], i * width);
  return matrix;
}
