/** @file What records of memories (memory.ts), and settings of studies, must look like, wherever they are read from. */

import * as v from "valibot";
import { anyNumber, count, countUpTo, readBy, record, text, type Shape } from "../lib/check.ts";
import { PRECISIONS } from "../lib/precision.ts";
import type { LayerIndex } from "./ids.ts";
import type { EncodingReport, KeyCentre, Memory, ModelIdentity, ReadVerdict, SourceInfo } from "./memory.ts";
import type { StudyName } from "./notebook.ts";
import { savedParams } from "./params.ts";
import type { Setting, StudySettings } from "./run.ts";
import { STUDY_NAMES } from "./studies.ts";

export const params = readBy(savedParams);

/**
 * More than any model has of these, by far. Of a model that has more, a single vector would take what all of a memory may:
 * what an archive holds in 8 bits takes four times its bytes once it is read.
 */
const WIDEST = 2 ** 22;

export const identity = record<ModelIdentity>({
  name: text(),
  architecture: text(),
  sha256: text(),
  layers: countUpTo(512),
  dModel: countUpTo(WIDEST),
  dFf: countUpTo(WIDEST),
  vocabulary: countUpTo(WIDEST),
  window: countUpTo(WIDEST),
  precision: v.optional(v.picklist(PRECISIONS)),
});

export const sourceInfo = record<SourceInfo>({
  id: text(),
  title: text(),
  characters: count(),
  bytes: v.optional(count()),
  sentences: count(),
  candidates: count(),
  memorizedAt: text(),
});

export const encodingReport = record<EncodingReport>({
  started: v.optional(v.picklist(["zero", "learned"])),
  respelt: v.optional(v.literal(true)),
  coded: v.optional(v.literal(true)),
  steps: count(),
  givenUp: v.optional(count()),
  exact: v.boolean(),
  fidelity: anyNumber,
  recalled: v.nullable(v.string()),
  soft: v.optional(
    record<ReadVerdict>({ exact: v.boolean(), fidelity: anyNumber, recalled: v.nullable(v.string()) }),
  ),
  deltaNorm: anyNumber,
  losses: v.array(anyNumber),
});

const keyCentre = record<KeyCentre>({ layer: count(), vector: v.instance(Float32Array) });

/** All of a memory but entries and routing documents. */
export const memoryHead: Shape<Omit<Memory, "entries" | "routing">> = record<
  Omit<Memory, "entries" | "routing">
>({
  model: identity,
  params,
  earlier: v.optional(v.array(params)),
  embedder: text(),
  salt: v.optional(text()),
  layers: v.array(count<LayerIndex>()),
  keyToken: v.optional(text()),
  centres: v.optional(v.array(keyCentre)),
  sources: v.array(sourceInfo),
});

export const studyName: Shape<StudyName> = v.picklist(STUDY_NAMES);

const setting: Shape<Setting> = v.union([anyNumber, v.string(), v.boolean()]);
export const studySettings: Shape<StudySettings> = v.record(v.string(), setting);
