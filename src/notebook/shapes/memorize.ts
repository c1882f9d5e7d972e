/** @file Checks of a saved memorise summary: budget, layers, and how the texts were read. */

import * as v from "valibot";
import { number, record, text } from "../../lib/check.ts";
import type { LayerIndex } from "../../records/ids.ts";
import type { MemorizeSummary, SourceEntry } from "../../records/notebook.ts";
import type { MemoryBytes } from "../../records/bytes.ts";
import { layerProbeFields, partPlan } from "../../records/probeShapes.ts";
import type { Budget, LayerChoice, LayerPlan, SkippedFact } from "../../records/plan.ts";
import { sourceInfo } from "../../records/shapes.ts";
import type { ExtractionCounts } from "../../records/trace.ts";

export const sourceEntry = record<SourceEntry>({
  id: text(),
  title: text(),
  format: text(),
  encoding: v.nullable(text()),
  characters: number(),
  pages: v.nullable(number()),
  notes: v.array(text()),
  kept: v.boolean(),
});

const budget = record<Budget>({
  facts: number(),
  anchors: number(),
  depth: number(),
  layers: number(),
  capacity: number(),
  stored: v.optional(number()),
  vectorsPerFact: v.optional(number()),
  bound: v.picklist(["information", "capacity"]),
  perAnchor: number(),
  spareRoom: v.optional(v.boolean()),
});

export const layerPlan = record<LayerPlan>({
  layers: v.array(number<LayerIndex>()),
  choices: v.array(
    record<LayerChoice>({
      ...layerProbeFields,
      rank: number(),
      chosen: v.boolean(),
      why: text(),
    }),
  ),
  parts: v.optional(partPlan),
});

const extractionCounts = record<ExtractionCounts>({
  id: text(),
  title: text(),
  characters: number(),
  parts: v.array(
    record<ExtractionCounts["parts"][number]>({
      sentences: number(),
      candidates: number(),
      byModel: number(),
      byRule: number(),
    }),
  ),
  filter: v.array(
    record<ExtractionCounts["filter"][number]>({
      verdict: v.picklist(["kept", "dropped"]),
      why: text(),
      sentences: number(),
    }),
  ),
  anchors: v.array(
    record<ExtractionCounts["anchors"][number]>({
      outcome: v.picklist(["model", "rule", "rejected"]),
      why: v.nullable(text()),
      anchors: number(),
    }),
  ),
});

export const summary = record<MemorizeSummary>({
  sources: v.array(sourceInfo),
  known: v.array(text()),
  budget,
  layers: v.array(number<LayerIndex>()),
  layerPlan: v.nullable(layerPlan),
  extracted: number(),
  extraction: v.array(extractionCounts),
  retained: number(),
  resumed: number(),
  skipped: v.array(record<SkippedFact>({ value: text(), why: text() })),
  evicted: v.optional(number()),
  cached: v.optional(number()),
  milliseconds: v.record(v.string(), number()),
  expected: v.optional(number()),
  encoded: number(),
  exact: number(),
  fidelity: number(),
  steps: number(),
  givenUp: v.optional(number()),
  bytes: number(),
  kept: record<MemoryBytes>({
    text: number(),
    vectors: number(),
    index: number(),
    words: number(),
    dense: number(),
    perFact: number(),
  }),
  total: number(),
});
