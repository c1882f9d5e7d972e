/** @file Checks of a notebook file and its cells (records/notebook.ts). */

import * as v from "valibot";
import { listUpTo, number, readBy, record, tagged, text, type Shape } from "../../lib/check.ts";
import type { Answer, DeletionCertificate } from "../../records/answer.ts";
import type { LayerIndex } from "../../records/ids.ts";
import { PROMPT_FORMS, VARIANTS, type Variant } from "../../records/evaluation.ts";
import {
  BENCHMARK_PARAMS,
  NOTEBOOK_VERSION,
  type BenchmarkInput,
  type Cell,
  type Notebook,
  type Stamp,
  type FactFilters,
  type Stamped,
} from "../../records/notebook.ts";
import { savedQuestionChanges } from "../../records/params.ts";
import { params, studyName } from "../../records/shapes.ts";
import { answer, askedQuestion, certificate, reencoding } from "./answer.ts";
import { layerPlan, sourceEntry, summary } from "./memorize.ts";
import { PRECISIONS } from "../../lib/precision.ts";
import { embedderChoice, modelReady, modelSource } from "./model.ts";

/** Each is drawn: more would keep the page from coming. */
export const MOST_CELLS = 500;
/** Texts, questions or certificates of one cell. */
export const MOST_ITEMS = 5000;

const stamp = record<Stamp>({
  at: text(),
  milliseconds: number(),
  backend: text(),
  model: text(),
  app: text(),
  inputs: text(),
});

/** An output and its stamp. */
const stamped = <T>(shape: Shape<T>): Shape<Stamped<T>> =>
  v.intersect([shape, record<{ readonly stamp: Stamp }>({ stamp })]);

const settings = readBy(savedQuestionChanges);

type Of<K extends Cell["kind"]> = Extract<Cell, { kind: K }>;
type OutputOf<K extends Cell["kind"]> = NonNullable<Of<K>["output"]>;

function cell<K extends Cell["kind"]>(
  kind: K,
  input: Shape<Of<K>["input"]>,
  output: Shape<Of<K>["output"]>,
): Shape<Of<K>> {
  const fields = { id: text(), kind: v.literal(kind), title: text(), input, output };
  return v.object(fields) as unknown as Shape<Of<K>>;
}

const questionRun = record<Omit<OutputOf<"questions">["runs"][number], "stamp">>({
  questions: v.array(askedQuestion),
  settings: v.nullable(settings),
  facts: number(),
});

const names: Shape<readonly string[]> = listUpTo(text(), MOST_ITEMS);
const variants: Shape<readonly Variant[]> = v.array(v.picklist(VARIANTS));

type Helpers = NonNullable<BenchmarkInput["helpers"]>;
const benchmarkInput = record<BenchmarkInput>({
  ...{ benchmark: text(), tasks: names, lengths: names, methods: names, samples: number(), variants },
  prompt: v.picklist(PROMPT_FORMS),
  params: v.picklist(BENCHMARK_PARAMS),
  ...{ seed: number(), files: names, paper: v.nullable(text()) },
  helpers: v.optional(
    record<Helpers>({ reranker: v.optional(embedderChoice), compressor: v.optional(embedderChoice) }),
  ),
});

const nothing = v.null("null: this kind of cell has no output");

/** A cell of any kind. */
export const cellShape = tagged<Cell, "kind">("kind", {
  note: cell("note", record<Of<"note">["input"]>({ text: text() }), nothing),
  model: cell(
    "model",
    record<Of<"model">["input"]>({
      source: modelSource,
      backend: v.picklist(["auto", "webgpu", "wasm"]),
      precision: v.optional(v.picklist(PRECISIONS)),
    }),
    v.nullable(stamped(modelReady)),
  ),
  source: cell(
    "source",
    record<Of<"source">["input"]>({ documents: listUpTo(sourceEntry, MOST_ITEMS), forget: v.boolean() }),
    nothing,
  ),
  memorize: cell(
    "memorize",
    record<Of<"memorize">["input"]>({
      params,
      layers: v.optional(v.array(number<LayerIndex>())),
      embedder: v.optional(embedderChoice),
    }),
    v.nullable(stamped(summary)),
  ),
  store: cell(
    "store",
    record<Of<"store">["input"]>({
      search: text(),
      sort: v.nullable(
        record<NonNullable<Of<"store">["input"]["sort"]>>({ column: text(), descending: v.boolean() }),
      ),
      filters: record<FactFilters>({
        anchor: v.optional(text()),
        layers: v.optional(v.array(v.number())),
        documents: v.optional(v.array(text())),
        fidelity: v.optional(
          v.union([v.picklist(["exact", "inexact"]), v.strictTuple([v.number(), v.number()])]),
        ),
      }),
    }),
    v.nullable(
      stamped(
        record<Omit<OutputOf<"store">, "stamp">>({
          certificates: listUpTo(
            stamped(record<{ readonly certificate: DeletionCertificate }>({ certificate })),
            MOST_ITEMS,
          ),
          reencodings: v.optional(listUpTo(stamped(reencoding), MOST_ITEMS)),
        }),
      ),
    ),
  ),
  ask: cell(
    "ask",
    record<Of<"ask">["input"]>({ question: text(), params: v.nullable(settings) }),
    v.nullable(
      stamped(
        record<Omit<OutputOf<"ask">, "stamp">>({
          history: listUpTo(stamped(record<{ readonly answer: Answer }>({ answer })), MOST_ITEMS),
        }),
      ),
    ),
  ),
  questions: cell(
    "questions",
    record<Of<"questions">["input"]>({ text: text(), params: v.nullable(settings) }),
    v.nullable(
      stamped(record<Omit<OutputOf<"questions">, "stamp">>({ runs: v.array(stamped(questionRun)) })),
    ),
  ),
  probe: cell(
    "probe",
    record<Of<"probe">["input"]>({ params, layers: v.nullable(v.array(number<LayerIndex>())) }),
    v.nullable(stamped(layerPlan)),
  ),
  benchmark: cell(
    "benchmark",
    benchmarkInput,
    v.nullable(
      stamped(
        record<Omit<OutputOf<"benchmark">, "stamp">>({
          ...{ runId: text(), tasks: names, lengths: names, methods: names, variants },
          asked: v.optional(benchmarkInput),
          ...{ kept: number(), planned: number() },
        }),
      ),
    ),
  ),
  experiment: cell(
    "experiment",
    record<Of<"experiment">["input"]>({
      study: studyName,
      settings: v.record(v.string(), v.union([number(), text(), v.boolean()])),
      compareWith: v.nullable(text()),
    }),
    v.nullable(
      stamped(
        record<Omit<OutputOf<"experiment">, "stamp">>({
          runId: text(),
          cases: number(),
          planned: v.optional(number()),
        }),
      ),
    ),
  ),
});

/** A notebook of the version that this app writes. */
export const notebookShape = record<Notebook>({
  format: v.literal("palimpsest-notebook"),
  version: v.literal(NOTEBOOK_VERSION),
  id: text(),
  title: text(),
  created: text(),
  updated: text(),
  cells: listUpTo(cellShape, MOST_CELLS),
});
