/** @file The notebook: typed cells, each with an input and the stamped output of its last run; saved as plain JSON. */

import * as v from "valibot";
import {
  dictionary,
  list,
  listUpTo,
  number,
  object,
  oneOf,
  readBy,
  text,
  type Infer,
  type Shape,
} from "../lib/check.ts";
import { PRECISIONS } from "../lib/precision.ts";
import { answer, certificate } from "./answer.ts";
import { memoryBytesShape } from "./bytes.ts";
import { embedderChoice } from "./embedder.ts";
import { choiceFields, selection } from "./evaluation.ts";
import type { DocumentId, FactId, LayerIndex } from "./ids.ts";
import { attribution } from "./judge.ts";
import {
  sourceInfo,
  type AdamStart,
  type EncodingReport,
  type EntryMeta,
  type ReadVerdict,
  type WholeReport,
} from "./memory.ts";
import { modelReady, modelSource } from "./model.ts";
import { methodParams, savedQuestionChanges } from "./params.ts";
import { budget, layerPlan, skippedFact } from "./plan.ts";
import { STUDY_NAMES, studySettings } from "./studies.ts";
import { extractionCounts } from "./trace.ts";

export const NOTEBOOK_VERSION = 1;
export const MOST_CELLS = 500;
export const MOST_ITEMS = 5000;

const items = <T>(shape: Shape<T>): Shape<readonly T[]> => listUpTo(shape, MOST_ITEMS);

export type Stamp = Infer<typeof stampShape>;
const stampShape = object({
  at: text(),
  milliseconds: number(),
  backend: text(),
  model: text(),
  app: text(),
  /** Fingerprint of its inputs. The cell is stale if that of its current inputs differs (notebook/kinds.ts). */
  inputs: text(),
});

type Stamped<Output> = Output & { readonly stamp: Stamp };
const stamped = <T>(shape: Shape<T>): Shape<Stamped<T>> =>
  v.intersect([shape, object({ stamp: stampShape })]) as unknown as Shape<Stamped<T>>;

function cell<const K extends string, I, O>(kind: K, input: Shape<I>, output: Shape<O>) {
  return object({
    id: text(),
    kind: v.literal(kind),
    title: text(),
    /** Its body is not drawn. */
    collapsed: v.optional(v.boolean()),
    input,
    output,
  });
}
const noOutput = v.null("null: this kind of cell has no output");

const noteCell = cell("note", object({ text: text() }), noOutput);

const modelCell = cell(
  "model",
  object({
    source: modelSource,
    backend: v.picklist(["auto", "webgpu", "wasm"]),
    precision: v.optional(v.picklist(PRECISIONS)),
  }),
  v.nullable(stamped(modelReady)),
);
export type BackendChoice = ModelCell["input"]["backend"];

export type SourceEntry = Infer<typeof sourceEntry>;
const sourceEntry = object({
  id: text<DocumentId>(),
  title: text(),
  format: text(),
  encoding: v.nullable(text()),
  characters: number(),
  pages: v.nullable(number()),
  notes: list(text()),
  kept: v.boolean(),
});
const sourceCell = cell("source", object({ documents: items(sourceEntry), forget: v.boolean() }), noOutput);

export type MemorizeSummary = Infer<typeof memorizeSummary>;
const memorizeSummary = object({
  sources: list(sourceInfo),
  known: list(text()),
  budget,
  layers: list(number<LayerIndex>()),
  layerPlan: v.nullable(layerPlan),
  extracted: number(),
  extraction: list(extractionCounts),
  retained: number(),
  resumed: number(),
  skipped: list(skippedFact),
  evicted: v.optional(number()),
  cached: v.optional(number()),
  milliseconds: dictionary(number()),
  expected: v.optional(number()),
  encoded: number(),
  exact: number(),
  fidelity: number(),
  steps: number(),
  givenUp: v.optional(number()),
  bytes: number(),
  kept: memoryBytesShape,
  total: number(),
});
const memorizeCell = cell(
  "memorize",
  object({
    params: methodParams,
    layers: v.optional(list(number<LayerIndex>())),
    embedder: v.optional(embedderChoice),
  }),
  v.nullable(stamped(memorizeSummary)),
);

/** A fact encoded again, before and after; without a value if it was not read back or the words were cleared. The better vector is kept. */
export type Reencoding = Infer<typeof reencoding>;
const reencodedFrom = { value: v.nullable(text()), layer: number<LayerIndex>() };
const reencoding = object({
  id: text<FactId>(),
  key: text(),
  before: object(reencodedFrom),
  after: object({ ...reencodedFrom, exact: v.boolean(), fidelity: number(), steps: number() }),
});

export type FactFilters = StoreCell["input"]["filters"];

const storeCell = cell(
  "store",
  object({
    search: text(),
    sort: v.nullable(object({ column: text(), descending: v.boolean() })),
    filters: object({
      anchor: v.optional(text()),
      layers: v.optional(list(v.number())),
      documents: v.optional(list(text())),
      fidelity: v.optional(v.undefinedable(v.picklist(["exact", "inexact"]))),
    }),
  }),
  v.nullable(
    stamped(
      object({
        certificates: items(stamped(object({ certificate }))),
        reencodings: v.optional(items(stamped(reencoding))),
      }),
    ),
  ),
);

export type ReadSettings = Infer<typeof readSettings>;
const readSettings = readBy(savedQuestionChanges);

const askCell = cell(
  "ask",
  object({ question: text(), params: v.nullable(readSettings) }),
  v.nullable(stamped(object({ history: items(stamped(object({ answer }))) }))),
);

export type SetQuestion = Pick<AskedQuestion, "ask" | "answers" | "needs">;

export type AskedQuestion = Infer<typeof askedQuestion>;
const askedQuestion = object({
  ask: text(),
  /** Right answers. Null: none given, so nothing is judged. Empty: the texts contain no answer. */
  answers: v.nullable(list(text())),
  needs: v.optional(list(text())),
  said: list(text()),
  cited: list(text()),
  judged: v.nullable(attribution),
  milliseconds: number(),
});

const questionsCell = cell(
  "questions",
  object({
    text: text(),
    params: v.nullable(readSettings),
  }),
  v.nullable(
    stamped(
      object({
        runs: list(
          stamped(
            object({ questions: list(askedQuestion), settings: v.nullable(readSettings), facts: number() }),
          ),
        ),
      }),
    ),
  ),
);

const probeCell = cell(
  "probe",
  object({ params: methodParams, layers: v.nullable(list(number<LayerIndex>())) }),
  v.nullable(stamped(layerPlan)),
);

const experimentCell = cell(
  "experiment",
  object({
    study: v.picklist(STUDY_NAMES),
    settings: studySettings,
    compareWith: v.nullable(text()),
  }),
  v.nullable(
    stamped(
      object({
        runId: text(),
        cases: number(),
        planned: v.optional(number()),
      }),
    ),
  ),
);

export type BenchmarkParams = (typeof BENCHMARK_PARAMS)[number];
export const BENCHMARK_PARAMS = ["sharp", "paper", "memory"] as const;

const benchmarkInput = object({
  ...choiceFields,
  params: v.picklist(BENCHMARK_PARAMS),
  /** Names of the files that cases are taken from; the files themselves belong to the tab that they were dropped on. */
  files: items(text()),
  paper: v.nullable(text()),
  helpers: v.optional(
    object({ reranker: v.optional(embedderChoice), compressor: v.optional(embedderChoice) }),
  ),
});

const benchmarkCell = cell(
  "benchmark",
  benchmarkInput,
  v.nullable(
    stamped(
      object({
        runId: text(),
        /** The requested tasks and methods; the run may contain more, from other cells. */
        ...selection,
        asked: v.optional(benchmarkInput),
        kept: number(),
        planned: number(),
      }),
    ),
  ),
);

export type Cell = Infer<typeof cellShape>;
export const cellShape = oneOf(
  "kind",
  noteCell,
  modelCell,
  sourceCell,
  memorizeCell,
  storeCell,
  askCell,
  questionsCell,
  probeCell,
  experimentCell,
  benchmarkCell,
);
export type CellKind = Cell["kind"];
type CellsByKind = { readonly [K in CellKind]: Extract<Cell, { kind: K }> };
export type CellOfKind<K extends CellKind> = CellsByKind[K];
export type ModelCell = CellOfKind<"model">;
export type SourceCell = CellOfKind<"source">;
export type MemorizeCell = CellOfKind<"memorize">;
export type StoreCell = CellOfKind<"store">;
export type AskCell = CellOfKind<"ask">;
export type QuestionsCell = CellOfKind<"questions">;
export type ExperimentCell = CellOfKind<"experiment">;
export type BenchmarkCell = CellOfKind<"benchmark">;

export type Notebook = Infer<typeof notebookShape>;
export const notebookShape = object({
  format: v.literal("palimpsest-notebook"),
  version: v.literal(NOTEBOOK_VERSION),
  id: text(),
  title: text(),
  created: text(),
  updated: text(),
  cells: listUpTo(cellShape, MOST_CELLS),
});

export const IMPORTED = "imported-";

export const isImported = ({ runId }: Pick<NonNullable<BenchmarkCell["output"]>, "runId">): boolean =>
  runId.startsWith(IMPORTED);

export interface FactRow
  extends WholeReport, Pick<EntryMeta, "id" | "documentId" | "anchor" | "index" | "layer"> {
  /** ι(e): order of its anchor, from 0; absent if the index does not list it. */
  readonly order?: number;
  readonly offset: number;
  readonly digest: string;
  readonly started?: AdamStart;
  readonly memorizedAt: string;
  readonly parts?: readonly PartRow[];
}

export type PartRow = Pick<EntryMeta, "part" | "layer" | "tokens"> &
  Pick<EncodingReport, "steps" | "started" | "deltaNorm" | "margin"> &
  Omit<ReadVerdict, "recalled">;
