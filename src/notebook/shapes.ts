/** @file What a notebook file must look like, record by record (records/notebook.ts). */

import type {
  Answer,
  CertifiedRead,
  Competitor,
  DeletionCertificate,
  GatedRead,
  Reconstruction,
  Route,
  RoutedAnchor,
} from "../records/answer.ts";
import type { Budget, LayerPlan } from "../records/plan.ts";
import type { ModelIdentity, SourceInfo } from "../records/memory.ts";
import type { BufferLedger, DeviceCard, ModelFile, ModelReady, ModelSource } from "../records/model.ts";
import type {
  Cell,
  MemorizeSummary,
  Notebook,
  ReadSettings,
  Reencoding,
  SourceEntry,
  Stamp,
  Stamped,
} from "../records/notebook.ts";
import { NOTEBOOK_VERSION } from "../records/notebook.ts";
import {
  savedParams,
  savedQuestionChanges,
  savedQuestionParams,
  type MethodParams,
} from "../records/params.ts";
import {
  boolean,
  dictionary,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  tagged,
  text,
} from "./schema.ts";
import type { Check } from "./schema.ts";
import type { ExtractionCounts } from "../records/trace.ts";

const stamp: Check<Stamp> = object<Stamp>({
  at: text(),
  milliseconds: number(),
  backend: text(),
  model: text(),
  app: text(),
  inputs: text(),
});

/** An output and its stamp. */
const stamped =
  <T>(check: Check<T>): Check<Stamped<T>> =>
  (value, path) => ({
    ...check(value, path),
    stamp: object<{ readonly stamp: Stamp }>({ stamp })(value, path).stamp,
  });

const params: Check<MethodParams> = (value, path) => savedParams(value, `notebook: ${path}`);
const settings: Check<ReadSettings> = (value, path) => savedQuestionChanges(value, `notebook: ${path}`);

const modelSource: Check<ModelSource> = tagged<ModelSource, "kind">("kind", {
  bundled: object<Extract<ModelSource, { kind: "bundled" }>>({ kind: oneOf("bundled") }),
  hub: object<Extract<ModelSource, { kind: "hub" }>>({ kind: oneOf("hub"), repo: text(), revision: text() }),
  files: object<Extract<ModelSource, { kind: "files" }>>({ kind: oneOf("files"), name: text() }),
});

const identity: Check<ModelIdentity> = object<ModelIdentity>({
  name: text(),
  architecture: text(),
  sha256: text(),
  layers: number(),
  dModel: number(),
  dFf: number(),
  vocabulary: number(),
  window: number(),
});

const device: Check<DeviceCard> = object<DeviceCard>({
  backend: oneOf("cpu", "wasm", "webgpu"),
  description: text(),
  runtime: text(),
  f16: boolean,
  threads: number(),
  limits: dictionary(number()),
  crossOriginIsolated: boolean,
  webgpuMissing: nullable(object<NonNullable<DeviceCard["webgpuMissing"]>>({ reason: text(), next: text() })),
  selfTest: object<DeviceCard["selfTest"]>({
    verdict: oneOf("pass", "degraded", "wrong"),
    summary: text(),
    milliseconds: number(),
  }),
});

const modelReady: Check<ModelReady> = object<ModelReady>({
  identity,
  source: modelSource,
  files: list(object<ModelFile>({ name: text(), bytes: number(), cached: number() })),
  device,
  ledger: object<BufferLedger>({ bytes: dictionary(number()), total: number(), peak: number() }),
  embedder: text(),
  milliseconds: number(),
});

const sourceEntry: Check<SourceEntry> = object<SourceEntry>({
  id: text(),
  title: text(),
  format: text(),
  encoding: nullable(text()),
  characters: number(),
  pages: nullable(number()),
  notes: list(text()),
  kept: boolean,
});

const sourceInfo: Check<SourceInfo> = object<SourceInfo>({
  id: text(),
  title: text(),
  characters: number(),
  sentences: number(),
  candidates: number(),
  memorizedAt: text(),
});

const budget: Check<Budget> = object<Budget>({
  facts: number(),
  anchors: number(),
  depth: number(),
  layers: number(),
  capacity: number(),
  stored: optional(number()),
  bound: oneOf("information", "capacity"),
  perAnchor: number(),
});

const reencoding: Check<Reencoding> = object<Reencoding>({
  id: text(),
  key: text(),
  before: object<Reencoding["before"]>({ value: text(), layer: number() }),
  after: object<Reencoding["after"]>({
    value: text(),
    layer: number(),
    exact: boolean,
    fidelity: number(),
    steps: number(),
  }),
});

const layerPlan: Check<LayerPlan> = object<LayerPlan>({
  layers: list(number()),
  choices: list(
    object<LayerPlan["choices"][number]>({
      layer: number(),
      exactRate: number(),
      fidelity: number(),
      cost: number(),
      rank: number(),
      chosen: boolean,
      why: text(),
    }),
  ),
});

const extractionCounts: Check<ExtractionCounts> = object<ExtractionCounts>({
  id: text(),
  title: text(),
  characters: number(),
  parts: list(
    object<ExtractionCounts["parts"][number]>({
      sentences: number(),
      candidates: number(),
      byModel: number(),
      byRule: number(),
    }),
  ),
  filter: list(
    object<ExtractionCounts["filter"][number]>({
      verdict: oneOf("kept", "dropped"),
      why: text(),
      sentences: number(),
    }),
  ),
  anchors: list(
    object<ExtractionCounts["anchors"][number]>({
      outcome: oneOf("model", "rule", "rejected"),
      why: nullable(text()),
      anchors: number(),
    }),
  ),
});

const summary: Check<MemorizeSummary> = object<MemorizeSummary>({
  sources: list(sourceInfo),
  known: list(text()),
  budget,
  layers: list(number()),
  layerPlan: nullable(layerPlan),
  extracted: number(),
  extraction: optional(list(extractionCounts)),
  retained: number(),
  resumed: number(),
  skipped: list(object<MemorizeSummary["skipped"][number]>({ value: text(), why: text() })),
  milliseconds: dictionary(number()),
  encoded: number(),
  exact: number(),
  fidelity: number(),
  steps: number(),
  bytes: number(),
  total: number(),
});

const answer: Check<Answer> = object<Answer>({
  question: text(),
  settings: (value, path) => savedQuestionParams(value, `notebook: ${path}`),
  route: object<Route>({
    question: text(),
    anchors: list(
      object<RoutedAnchor>({
        anchor: text(),
        denseRank: nullable(number()),
        denseScore: nullable(number()),
        lexicalRank: nullable(number()),
        lexicalScore: nullable(number()),
        fused: number(),
        kept: boolean,
        why: text<RoutedAnchor["why"]>(),
      }),
    ),
    facts: list(text()),
  }),
  recalled: list(
    object<Reconstruction>({
      id: text(),
      key: text(),
      anchor: text(),
      index: number(),
      layer: number(),
      offset: number(),
      tokens: list(number()),
      text: text(),
      read: object<GatedRead>({
        similarity: number(),
        gateOpen: boolean,
        winner: nullable(text()),
        competitors: list(object<Competitor>({ id: text(), similarity: number(), weight: number() })),
        openPositions: list(number()),
      }),
    }),
  ),
  text: text(),
  cited: list(text()),
  notInMemory: boolean,
  milliseconds: object<Answer["milliseconds"]>({ route: number(), recall: number(), answer: number() }),
});

const certifiedRead: Check<CertifiedRead> = object<CertifiedRead>({
  similarity: number(),
  gateOpen: boolean,
  nearest: nullable(text()),
  own: boolean,
});

const deleted = { key: text(), text: text(), read: optional(certifiedRead) };
const certificate: Check<DeletionCertificate> = object<DeletionCertificate>({
  keys: list(text()),
  before: list(object<DeletionCertificate["before"][number]>(deleted)),
  after: list(object<DeletionCertificate["after"][number]>({ ...deleted, gateOpen: boolean })),
  compared: number(),
  changed: number(),
});

type Of<K extends Cell["kind"]> = Extract<Cell, { kind: K }>;
type OutputOf<K extends Cell["kind"]> = NonNullable<Of<K>["output"]>;

function cell<K extends Cell["kind"]>(
  kind: K,
  input: Check<Of<K>["input"]>,
  output: Check<Of<K>["output"]>,
): Check<Of<K>> {
  const fields = { id: text(), kind: oneOf(kind), title: text(), input, output };
  return object<Record<keyof typeof fields, unknown>>(fields) as Check<Of<K>>;
}

/** Kinds that have no output. */
const nothing: Check<null> = (value, path) => {
  if (value !== null) throw new Error(`notebook: ${path} must be null: this kind of cell has no output`);
  return null;
};

/** A cell of any kind. */
export const cellShape: Check<Cell> = tagged<Cell, "kind">("kind", {
  note: cell("note", object<Of<"note">["input"]>({ text: text() }), nothing),
  model: cell(
    "model",
    object<Of<"model">["input"]>({ source: modelSource, backend: oneOf("auto", "webgpu", "wasm") }),
    nullable(stamped(modelReady)),
  ),
  source: cell(
    "source",
    object<Of<"source">["input"]>({ documents: list(sourceEntry), forget: boolean }),
    nothing,
  ),
  memorize: cell(
    "memorize",
    object<Of<"memorize">["input"]>({ params, layers: optional(list(number())) }),
    nullable(stamped(summary)),
  ),
  store: cell(
    "store",
    object<Of<"store">["input"]>({
      search: text(),
      sort: nullable(
        object<NonNullable<Of<"store">["input"]["sort"]>>({ column: text(), descending: boolean }),
      ),
      filters: dictionary(text()),
    }),
    nullable(
      stamped(
        object<Omit<OutputOf<"store">, "stamp">>({
          certificates: list(stamped(object<{ readonly certificate: DeletionCertificate }>({ certificate }))),
          reencodings: optional(list(stamped(reencoding))),
        }),
      ),
    ),
  ),
  ask: cell(
    "ask",
    object<Of<"ask">["input"]>({ question: text(), params: nullable(settings) }),
    nullable(
      stamped(
        object<Omit<OutputOf<"ask">, "stamp">>({
          history: list(stamped(object<{ readonly answer: Answer }>({ answer }))),
        }),
      ),
    ),
  ),
  probe: cell(
    "probe",
    object<Of<"probe">["input"]>({ params, layers: nullable(list(number())) }),
    nullable(stamped(layerPlan)),
  ),
  experiment: cell(
    "experiment",
    object<Of<"experiment">["input"]>({
      study: oneOf("capacity", "deletion", "gates", "steps", "layers", "depth"),
      settings: dictionary<number | string | boolean>((value, path) =>
        typeof value === "boolean"
          ? value
          : typeof value === "number"
            ? number()(value, path)
            : text()(value, path),
      ),
      compareWith: nullable(text()),
    }),
    nullable(
      stamped(
        object<Omit<OutputOf<"experiment">, "stamp">>({
          runId: text(),
          cases: number(),
          planned: optional(number()),
        }),
      ),
    ),
  ),
});

/** A notebook of the version that this app writes. */
export const notebookShape: Check<Notebook> = object<Notebook>({
  format: oneOf("palimpsest-notebook"),
  version: oneOf(NOTEBOOK_VERSION),
  id: text(),
  title: text(),
  created: text(),
  updated: text(),
  cells: list(cellShape),
});
