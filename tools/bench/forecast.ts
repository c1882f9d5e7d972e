/**
 * @file `npm run bench -- forecast`: ten memorise runs of different kinds, each forecast before it as the page does, in a
 * model opened anew; what the run then took stands beside the first forecast. Costs are learnt from run to run.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { foresee } from "../../src/flow/foresee.ts";
import { ruleFacts } from "../../src/flow/forecast.ts";
import { memorize } from "../../src/flow/memorize.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { totalOf } from "../../src/plan/cost.ts";
import type { CostModel } from "../../src/records/cost.ts";
import { layerIndex } from "../../src/records/ids.ts";
import { PRESETS, type MethodParams } from "../../src/records/params.ts";
import { createCosts } from "../../src/service/cost/costs.ts";
import { inMemoryStore } from "../../src/store/inMemory.ts";
import { openModel, runCommand, UsageError } from "../cli.ts";
import { commit } from "../commit.ts";

const USAGE = `usage: npm run bench -- forecast [--model DIR] [--runs 1,4] [--out FILE]
  Prints the first forecast and the truth of ten runs, and how many ended within 30 % and within a factor of two.`;

const BOOKS = "data/books";
const DORIAN = `${BOOKS}/wilde_the_picture_of_dorian_gray.txt.gz`;
const EMMA = `${BOOKS}/austen_emma.txt.gz`;
const SAMPLE = "public/samples/the-lamp-at-harrow-point.txt";

/** A run: what is read, from which character, how many of them, and with what. */
interface Kind {
  readonly name: string;
  readonly file: string;
  readonly from?: number;
  readonly characters: number;
  readonly preset?: "paper";
  readonly set?: Partial<MethodParams>;
  readonly layers?: readonly number[];
}

const RULES = { anchors: "rules" } as const;
const KINDS: readonly Kind[] = [
  { name: "a novel, rule anchors", file: DORIAN, from: 4000, characters: 6000, set: RULES },
  { name: "the sample", file: SAMPLE, characters: 20_000 },
  { name: "bAbI QA1", file: "data/babi/samples_qa1_test.jsonl.gz", characters: 2400, set: RULES },
  { name: "a novel's long sentences, model anchors", file: EMMA, from: 10_000, characters: 5000 },
  { name: "a novel, short", file: DORIAN, from: 30_000, characters: 2500, set: RULES },
  { name: "bAbI QA5, model anchors", file: "data/babi/samples_qa5_test.jsonl.gz", characters: 3000 },
  {
    name: "the paper's preset, bAbI QA2",
    file: "data/babi/samples_qa2_test.jsonl.gz",
    characters: 900,
    preset: "paper",
    set: RULES,
  },
  {
    name: "a novel, two given layers",
    file: EMMA,
    from: 60_000,
    characters: 5000,
    set: RULES,
    layers: [2, 3],
  },
  {
    name: "a novel, one vector a value",
    file: DORIAN,
    from: 50_000,
    characters: 4000,
    set: { ...RULES, partTokens: null },
  },
  { name: "a novel, longer", file: EMMA, from: 100_000, characters: 9000, set: RULES },
];

/** One run's figures. */
export interface ForecastRow {
  readonly name: string;
  readonly facts: number;
  readonly parts: number;
  readonly exact: number;
  /** Facts that were expected not to come back whole. */
  readonly inexact: number;
  /** Seconds that making the forecast took, trial and all. */
  readonly trial: number;
  /** Seconds: the first forecast, and the truth. */
  readonly forecast: number;
  readonly truth: number;
  readonly stages: Readonly<Record<string, readonly [forecast: number, truth: number]>>;
}

const now = (): number => performance.now();

async function run(kind: Kind, model: string, kept: Map<string, CostModel>): Promise<ForecastRow> {
  const params: MethodParams = { ...PRESETS[kind.preset ?? "sharp"], ...kind.set };
  const { engine, device } = await openModel(model, "cpu");
  const costs = createCosts({
    readCost: async (key) => kept.get(key) ?? null,
    writeCost: async (key, cost) => void kept.set(key, cost),
  });
  try {
    const document = makeDocument(kind.name, textOf(kind));
    const given = kind.layers ? { layers: kind.layers.map(layerIndex) } : {};
    const context = {
      engine,
      params,
      now,
      date: () => new Date().toISOString(),
      store: inMemoryStore(),
      ...given,
    };
    const began = now();
    const found = await ruleFacts([document], params, now);
    const expected = await foresee(context, found, null, await costs.known(engine, params));
    const trial = (now() - began) / 1000;
    const started = now();
    const report = await memorize({ ...context, probed: expected.probed, forecast: expected }, [document]);
    const truth = (now() - started) / 1000;
    await costs.learn(engine, params, report.cost);
    const stages = Object.entries(report.milliseconds).map(([stage, time]) => [
      stage,
      [expected.seconds[stage as keyof typeof expected.seconds] ?? 0, time / 1000],
    ]);
    const { entries } = report.memory;
    const lost = new Set(entries.filter((entry) => !entry.report.exact).map(({ id }) => id)).size;
    return {
      name: kind.name,
      facts: report.plan.planned.length,
      parts: entries.length,
      exact: report.plan.planned.length - lost,
      inexact: expected.inexact,
      trial,
      forecast: totalOf(expected.seconds),
      truth,
      stages: Object.fromEntries(stages),
    };
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

/** The characters of a kind; of bAbI samples their facts, each once. */
function textOf({ file, from = 0, characters }: Kind): string {
  const bytes = readFileSync(file);
  const raw = file.endsWith(".gz") ? gunzipSync(bytes).toString("utf8") : bytes.toString("utf8");
  if (!file.includes(".jsonl")) return raw.slice(from, from + characters);
  const facts = raw
    .trim()
    .split("\n")
    .flatMap((line) => (JSON.parse(line) as { facts: string[] }).facts);
  return [...new Set(facts)].join(" ").slice(from, from + characters);
}

const ratio = ({ forecast, truth }: ForecastRow): number => truth / forecast;

/** How many of the runs ended within 30 % of the first forecast, and within a factor of two. */
export const within = (
  rows: readonly ForecastRow[],
): { readonly near: number; readonly twofold: number } => ({
  near: rows.filter((row) => Math.abs(ratio(row) - 1) <= 0.3).length,
  twofold: rows.filter((row) => ratio(row) <= 2 && ratio(row) >= 0.5).length,
});

function line(row: ForecastRow): string {
  const numbers = [row.facts, row.parts, row.exact, row.inexact].map((n) => String(n).padStart(6)).join("");
  const times = [row.trial, row.forecast, row.truth].map((s) => s.toFixed(1).padStart(8)).join("");
  const stages = Object.entries(row.stages)
    .filter(([, [forecast, truth]]) => Math.max(forecast, truth) >= 0.5)
    .map(([stage, [forecast, truth]]) => `${stage} ${forecast.toFixed(1)} ${truth.toFixed(1)}`);
  return `${row.name.padEnd(42)}${numbers}${times}${ratio(row).toFixed(2).padStart(7)}   ${stages.join(", ")}`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      model: { type: "string", default: "public/models/palimpsest-7m" },
      runs: { type: "string" },
      out: { type: "string" },
    },
  });
  const wanted = values.runs?.split(",").map(Number) ?? KINDS.map((_, i) => i + 1);
  if (!wanted.every((n) => KINDS[n - 1]))
    throw new UsageError(
      `--runs is "${values.runs}", expected numbers from 1 to ${KINDS.length} with commas`,
    );
  console.log(`${"run".padEnd(42)} facts parts exact  lost?   trial forecast  truth  ratio`);
  const kept = new Map<string, CostModel>();
  const rows: ForecastRow[] = [];
  for (const n of wanted) {
    const row = await run(KINDS[n - 1]!, values.model, kept);
    rows.push(row);
    console.log(line(row));
  }
  const { near, twofold } = within(rows);
  console.log(`within 30 %: ${near} of ${rows.length}; within a factor of two: ${twofold} of ${rows.length}`);
  if (!values.out) return;
  const machine = {
    processor: `${cpus()[0]?.model.trim() ?? "unknown"} x ${cpus().length}`,
    load: loadavg()[0],
  };
  const record = {
    format: "palimpsest bench:forecast 1",
    commit: commit(),
    date: new Date().toISOString(),
    machine,
    near,
    twofold,
    rows,
  };
  writeFileSync(values.out, `${JSON.stringify(record, null, 1)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main, USAGE);
