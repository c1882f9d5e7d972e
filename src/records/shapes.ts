/** @file What a stored memory's records must look like (memory.ts), wherever they are read from. */

import * as v from "valibot";
import { anyNumber, count, readBy, record, text, type Shape } from "../lib/check.ts";
import type { LayerIndex } from "./ids.ts";
import type { EncodingReport, Memory, ModelIdentity, SourceInfo } from "./memory.ts";
import { savedParams } from "./params.ts";

export const params = readBy(savedParams);

export const identity = record<ModelIdentity>({
  name: text(),
  architecture: text(),
  sha256: text(),
  layers: count(),
  dModel: count(),
  dFf: count(),
  vocabulary: count(),
  window: count(),
});

export const sourceInfo = record<SourceInfo>({
  id: text(),
  title: text(),
  characters: count(),
  sentences: count(),
  candidates: count(),
  memorizedAt: text(),
});

export const encodingReport = record<EncodingReport>({
  steps: count(),
  exact: v.boolean(),
  fidelity: anyNumber,
  // Memories written before the field existed lack it.
  recalled: v.optional(v.nullable(v.string()), null),
  deltaNorm: anyNumber,
  losses: v.array(anyNumber),
});

/** All of a memory but entries and routing documents. */
export const memoryHead: Shape<Omit<Memory, "entries" | "routing">> = record<
  Omit<Memory, "entries" | "routing">
>({
  model: identity,
  params,
  embedder: text(),
  layers: v.array(count<LayerIndex>()),
  sources: v.array(sourceInfo),
});
