/** @file Checks of saved model records (records/model.ts). */

import * as v from "valibot";
import { number, record, tagged, text } from "../../lib/check.ts";
import { type EmbedderChoice } from "../../records/embedder.ts";
import { DTYPES } from "../../records/model.ts";
import type {
  BufferLedger,
  CopyReport,
  DeviceCard,
  ModelFile,
  ModelReady,
  ModelSource,
} from "../../records/model.ts";
import { identity } from "../../records/shapes.ts";

const fetched = {
  hub: record<Extract<ModelSource, { kind: "hub" }>>({
    kind: v.literal("hub"),
    repo: text(),
    revision: text(),
  }),
  files: record<Extract<ModelSource, { kind: "files" }>>({ kind: v.literal("files"), name: text() }),
};

export const modelSource = tagged<ModelSource, "kind">("kind", {
  bundled: record<Extract<ModelSource, { kind: "bundled" }>>({ kind: v.literal("bundled") }),
  ...fetched,
});

export const embedderChoice = record<EmbedderChoice>({
  from: tagged<EmbedderChoice["from"], "kind">("kind", fetched),
  dtype: v.picklist(DTYPES),
  device: v.picklist(["wasm", "webgpu"]),
});

const device = record<DeviceCard>({
  backend: v.picklist(["cpu", "wasm", "webgpu"]),
  description: text(),
  runtime: text(),
  f16: v.boolean(),
  threads: number(),
  limits: v.record(v.string(), number()),
  crossOriginIsolated: v.boolean(),
  webgpuMissing: v.nullable(
    record<NonNullable<DeviceCard["webgpuMissing"]>>({ reason: text(), next: text() }),
  ),
  selfTest: record<DeviceCard["selfTest"]>({
    verdict: v.picklist(["pass", "degraded", "wrong"]),
    summary: text(),
    milliseconds: number(),
  }),
});

export const modelReady = record<ModelReady>({
  identity,
  source: modelSource,
  files: v.array(record<ModelFile>({ name: text(), bytes: number(), cached: number() })),
  device,
  ledger: record<BufferLedger>({ bytes: v.record(v.string(), number()), total: number(), peak: number() }),
  embedder: text(),
  milliseconds: number(),
  copy: v.optional(
    v.nullable(
      record<CopyReport>({
        from: v.picklist(["copy", "files", "files, since the copy was damaged"]),
        bytes: number(),
        problem: v.nullable(text()),
      }),
    ),
  ),
  decoding: text(),
});
