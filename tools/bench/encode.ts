/**
 * @file `npm run bench:encode`: encoding by a naive recipe, by ours, and by a batched loop in PyTorch (if it is installed), on
 * the same facts, weights and processor, and recall of one fact and of 24. See docs/benchmarks/README.md for method and columns.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { metered } from "./encode/meter.ts";
import { openPeer } from "./encode/peer.ts";
import type { BenchRecord, Circumstances } from "./encode/record.ts";
import { runBench } from "./encode/run.ts";
import { MADE_SENTENCES, pickSentences, type Picked, type Source } from "./encode/sentences.ts";
import { summary } from "./encode/summarize.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openEngine } from "../../src/engine/localEngine.ts";
import { assignAnchors } from "../../src/extract/anchors.ts";
import { makeFacts } from "../../src/extract/facts.ts";
import { candidates } from "../../src/ingest/candidates.ts";
import { sentences } from "../../src/ingest/sentences.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { candidateLayers, recordedOf } from "../../src/flow/layerProbe.ts";
import { assignLayers, chooseLayers } from "../../src/plan/layers.ts";
import type { Anchor, Fact } from "../../src/records/fact.ts";
import type { LayerIndex } from "../../src/records/ids.ts";
import { SHARP, type MethodParams } from "../../src/records/params.ts";
import { openNodeDevice } from "../node/webGpuDevice.ts";
import { nodeModelFiles } from "../node/nodeFile.ts";
import { spread } from "../../src/lib/stats.ts";
import { commit } from "../commit.ts";
import {
  BUNDLED_MODEL,
  choiceOption,
  numberOption,
  PRECISION_OPTION,
  PRECISION_USAGE,
  precisionOption,
  runCommand,
} from "../cli.ts";
import type { Precision } from "../../src/lib/precision.ts";
import { METHOD_OPTIONS, methodHelp, methodParams } from "../methodOptions.ts";
import { parseLayers } from "../layerList.ts";

const USAGE = `Usage: npm run bench:encode -- [options]
  --model DIR      default public/models/palimpsest-7m
  --facts N        facts to encode (default 60; 32 made ones)
  --source babi|made|both|prose   sentences of the bAbI test samples (default where DATA has them), made ones that ship
                   with the benchmark, or half of each; or sentences of a novel of all lengths, which ours stores in
                   parts and naive in one vector
  --layers A,B,…   storage layers (default: those that the model's probe chose, or all); facts are spread over them by Eq. 2
  --preset sharp|paper   parameters of the method (default sharp)
  --steps N        guided steps, all of which naive takes: --set steps=N
  --batch N        facts per encoding batch of ours: --set encodeBatch=N
  --passes N       turns that the two methods take (default 5)
  --backend cpu|webgpu   default cpu
${PRECISION_USAGE}
  --data DIR       folder with babi/samples_qaN_test.jsonl.gz (default data)
  --json           print the record as one JSON document, nothing else
  --out FILE       write the record to FILE
${methodHelp()}`;

const OPTIONS = {
  model: { type: "string", default: BUNDLED_MODEL },
  facts: { type: "string" },
  source: { type: "string" },
  layers: { type: "string" },
  ...METHOD_OPTIONS,
  steps: { type: "string" },
  batch: { type: "string" },
  passes: { type: "string", default: "5" },
  backend: { type: "string", default: "cpu" },
  ...PRECISION_OPTION,
  data: { type: "string", default: "data" },
  json: { type: "boolean", default: false },
  out: { type: "string" },
} as const;

/** A command line that was understood. */
export interface BenchCommand {
  readonly model: string;
  readonly backend: "cpu" | "webgpu";
  readonly precision?: Precision;
  readonly source: Source | "prose" | undefined;
  readonly facts: number | undefined;
  readonly layers: string | undefined;
  readonly passes: number;
  readonly data: string;
  readonly json: boolean;
  readonly out: string | undefined;
  readonly params: MethodParams;
}

/** @throws UsageError, and what parseArgs throws on an unknown option */
export function parseCommand(args: readonly string[]): BenchCommand {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const whole = (name: "facts" | "passes") => numberOption(name, values[name], { min: 1, whole: true });
  return {
    model: values.model,
    backend: choiceOption("backend", values.backend, ["cpu", "webgpu"]),
    ...precisionOption(values),
    source: values.source === undefined ? undefined : choiceOption("source", values.source, SOURCES),
    facts: whole("facts"),
    layers: values.layers,
    passes: whole("passes")!,
    data: values.data,
    json: values.json,
    out: values.out,
    params: methodParams(values, { steps: "steps", batch: "encodeBatch" }, SHARP),
  };
}

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2));
  const record = await bench(command);
  if (command.out) writeFileSync(command.out, `${JSON.stringify(record, null, 1)}\n`);
  console.log(command.json ? JSON.stringify(record) : summary(record));
}

async function bench({ params, passes, ...command }: BenchCommand): Promise<BenchRecord> {
  const picked = pick(command);
  const facts = await factsOf(picked.sentences, params);
  const meter = metered(await openNodeDevice(command.backend));
  const peer = command.backend === "cpu" ? await openPeer(command.model) : null;
  try {
    const engine = await openEngine(meter.device, await nodeModelFiles(command.model), {
      ...(command.precision && { precision: command.precision }),
    });
    const depth = engine.model.layers;
    const layers =
      command.layers === undefined ? probedLayers(engine, params) : parseLayers(command.layers, depth);
    const measured = await runBench(engine, assignLayers(facts, layers, params), params, {
      passes,
      parts: picked.prose !== undefined,
      recallRepeats: RECALL_REPEATS,
      sessions: meter.count,
      peer,
      onProgress: (note) => console.error(note),
    });
    return {
      format: "palimpsest bench:encode 1",
      circumstances: circumstances(),
      capabilities: engine.capabilities,
      model: engine.model,
      params,
      source: countsOf(picked),
      ...measured,
    };
  } finally {
    peer?.close();
    await meter.device.dispose();
  }
}

function pick({ data, source, facts }: Pick<BenchCommand, "data" | "source" | "facts">): Picked {
  if (source === "prose") return prose(data, facts ?? DEFAULT_FACTS.prose);
  const real = babi(data);
  const chosen = source ?? (real.length > 0 ? "babi" : "made");
  return pickSentences(real, chosen, facts ?? DEFAULT_FACTS[chosen]);
}

const SOURCES = ["babi", "made", "both", "prose"] as const satisfies readonly (Source | "prose")[];
const DEFAULT_FACTS = { babi: 60, made: MADE_SENTENCES.length, both: 60, prose: 60 } as const;
const NOVEL = "austen_emma.txt.gz";

const countsOf = ({ babi, made, prose: novel }: Picked): BenchRecord["source"] => ({
  ...{ babi, made },
  ...(novel === undefined ? {} : { prose: novel }),
});

/** `count` sentences of the novel, evenly over it, such as memorising would keep. */
function prose(data: string, count: number): Picked {
  const text = gunzipSync(readFileSync(join(data, "books", NOVEL))).toString("utf8");
  const found = sentences(makeDocument(NOVEL, text));
  const kept = [...candidates(found, SHARP.candidateFilter)].map(({ sentence }) => sentence.text);
  const picked = spread([...new Set(kept)], count);
  return { sentences: picked, babi: 0, made: 0, prose: picked.length };
}

const RECALL_REPEATS = 9;

/** The sentences of the bAbI test samples, one list per task; none where the data is not at hand. */
function babi(data: string): string[][] {
  return [1, 2, 3, 4, 5].flatMap((task) => {
    const file = join(data, "babi", `samples_qa${task}_test.jsonl.gz`);
    if (!existsSync(file)) return [];
    const lines = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
    return [lines.flatMap((line) => (JSON.parse(line) as { facts: string[] }).facts)];
  });
}

/** The sentences as facts, with rule-made anchors: neither the filter nor the model's proposals are measured here. */
export async function factsOf(texts: readonly string[], params: MethodParams): Promise<Fact[]> {
  const found = [...sentences(makeDocument("bench:encode", texts.join("\n\n")))];
  const candidates = found.map((sentence) => ({ sentence, reasons: [] }));
  const anchors: Anchor[] = [];
  for await (const anchor of assignAnchors(candidates, { ...params, anchors: "rules" }, null))
    anchors.push(anchor);
  return makeFacts(anchors, params);
}

/** The layers that a run of the app would take: by the probe recorded with the model; without one, all that can store. */
export function probedLayers(engine: Engine, params: MethodParams): readonly LayerIndex[] {
  const recorded = recordedOf(engine)?.layers;
  if (!recorded) return candidateLayers(engine.model.layers);
  return chooseLayers(recorded, Math.min(params.layers, recorded.length), params.layerShare).layers;
}

function circumstances(): Circumstances {
  return {
    commit: commit() ?? "unknown",
    date: new Date().toISOString(),
    node: process.version,
    processor: `${cpus()[0]?.model.trim() ?? "unknown"} x ${cpus().length}`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main, USAGE);
