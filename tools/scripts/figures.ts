/**
 * @file `npm run tool -- figures`: memorises the sample text and one sentence too long for the bundled model, and keeps
 * what the figures of the gallery are drawn from in docs/runs/gallery.json. Numbers are rounded, nothing else is changed.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { TOO_LONG } from "../bench/encode/sentences.ts";
import type { Gallery } from "../../src/figures/testing/gallery.ts";
import { layerGeometry, mapSet, vectorMaps } from "../../src/figures/map.ts";
import type { FlowContext } from "../../src/flow/context.ts";
import { lensFact, traceFact } from "../../src/flow/inspect.ts";
import { traceExtraction } from "../../src/flow/readTexts.ts";
import { memorize } from "../../src/flow/memorize.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { keyText } from "../../src/records/fact.ts";
import type { LayerIndex } from "../../src/records/ids.ts";
import type { FactRow } from "../../src/records/notebook.ts";
import { rowOf } from "../../src/records/factRow.ts";
import { byFact, modelTag, type Memory } from "../../src/records/memory.ts";
import { SHARP } from "../../src/records/params.ts";
import { keptMemory } from "../../src/records/vectors.ts";
import { inMemoryStore } from "../../src/store/inMemory.ts";
import { commit } from "../commit.ts";
import { BUNDLED_MODEL, openModel, progressPrinter, readDocument, runCommand } from "../cli.ts";

const USAGE = `Usage: npm run tool -- figures [options]
  --model DIR      default public/models/palimpsest-7m
  --text FILE      default public/samples/the-lamp-at-harrow-point.txt
  --out FILE       default docs/runs/gallery.json`;

const OPTIONS = {
  model: { type: "string", default: BUNDLED_MODEL },
  text: { type: "string", default: "public/samples/the-lamp-at-harrow-point.txt" },
  out: { type: "string", default: "docs/runs/gallery.json" },
} as const;

const MATRIX_KEYS = 48;
const SEED = 1;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const { engine, device } = await openModel(values.model, "cpu");
  try {
    const gallery = await record(engine, values.text);
    mkdirSync(dirname(values.out), { recursive: true });
    const text = JSON.stringify(gallery, rounded);
    writeFileSync(values.out, `${text}\n`);
    console.log(`${values.out}: ${Math.round(text.length / 1024)} KB, ${gallery.facts.length} facts`);
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

async function record(engine: Engine, path: string): Promise<Gallery> {
  const started = performance.now();
  const context: FlowContext = {
    engine,
    store: inMemoryStore(),
    params: SHARP,
    now: () => performance.now(),
    date: () => new Date().toISOString(),
    onProgress: progressPrinter(),
  };
  const document = await readDocument(path);
  const { plan } = await memorize(context, [document]);
  // In one vector: a fact that does not come back has other figures.
  await memorize({ ...context, params: { ...SHARP, partTokens: null } }, [
    makeDocument("A sentence too long", TOO_LONG),
  ]);
  const memory = (await context.store.load())!;
  const kept = keptMemory(memory);
  const layer = fullest(memory);
  const ofLayer = memory.entries.filter((entry) => entry.layer === layer);
  const shown = ofLayer.find(({ report }) => report.exact) ?? ofLayer[0]!;
  const inexact = memory.entries.find(({ report }) => !report.exact);
  const map = async (of: "key" | "residual", method: "pca" | "umap") => {
    const request = { of, method, layer: of === "key" ? layer : null, limit: 500, seed: SEED };
    const set = await mapSet(memory.entries, request, 1, async (shown) => shown.map((entry) => entry[of]));
    return (await vectorMaps([set], request))[0]!;
  };
  return {
    source: {
      at: context.date(),
      backend: engine.capabilities.backend,
      model: modelTag(engine.model),
      app: commit() ?? "unknown",
      run: `memorised “${document.title}” and a sentence too long (${Math.round((performance.now() - started) / 1000)} s)`,
    },
    params: memory.params,
    budget: plan.budget,
    layers: memory.layers,
    plan: plan.layerPlan!,
    facts: factRows(memory),
    orders: memory.routing.map(({ anchor, order }) => ({ anchor, order })),
    curves: memory.entries.map((entry) => ({
      id: entry.id,
      key: keyText(entry),
      tokens: entry.tokens,
      losses: entry.report.losses,
    })),
    extraction: await traceExtraction(context, document),
    trace: await traceFact(engine, kept, shown.id, SHARP),
    lens: await lensFact(engine, kept, shown.id),
    failed: inexact
      ? {
          trace: await traceFact(engine, kept, inexact.id, SHARP),
          lens: await lensFact(engine, kept, inexact.id),
        }
      : null,
    layer,
    geometry: layerGeometry(memory.entries, layer, { matrix: MATRIX_KEYS, margins: 500 }),
    maps: [await map("key", "pca"), await map("residual", "pca"), await map("residual", "umap")],
  };
}

/** The layer with the most facts. */
function fullest({ entries, layers }: Memory): LayerIndex {
  const count = (layer: LayerIndex) => entries.filter((entry) => entry.layer === layer).length;
  return layers.toSorted((a, b) => count(b) - count(a))[0]!;
}

function factRows({ entries, sources }: Memory): FactRow[] {
  const dates = new Map(sources.map(({ id, memorizedAt }) => [id, memorizedAt]));
  return byFact(entries).map((parts) => ({
    ...rowOf(parts),
    digest: "",
    memorizedAt: dates.get(parts[0]!.documentId) ?? "",
  }));
}

/** Typed arrays as lists, six significant digits. */
function rounded(_: string, value: unknown): unknown {
  if (value instanceof Float32Array) return Array.from(value);
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}

await runCommand(main, USAGE);
