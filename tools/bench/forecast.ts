/**
 * @file `npm run bench -- forecast`: compares the estimate before a run, and after its first tenth, with the time that it took.
 * Ten memorise runs of different kinds; rates are kept from run to run, as the page keeps them.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { estimateRun, ruleFacts } from "../../src/flow/estimateRun.ts";
import { memorize } from "../../src/flow/memorize.ts";
import { ratesFor } from "../../src/flow/observeRun.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { totalSeconds, updated } from "../../src/plan/estimate.ts";
import type { StageRates } from "../../src/records/cost.ts";
import { layerIndex } from "../../src/records/ids.ts";
import { PRESETS, type MethodParams } from "../../src/records/params.ts";
import type { Progress } from "../../src/records/progress.ts";
import { inMemoryStore } from "../../src/store/inMemory.ts";
import { BUNDLED_MODEL, openModel, runCommand, UsageError } from "../cli.ts";
import { commit } from "../commit.ts";

const USAGE = `usage: npm run bench -- forecast [--model DIR] [--runs 1,4] [--out FILE]
  Prints the estimates and the time of ten runs, and how many estimates were within a factor of two, before the run and
  after its first tenth.`;

const BOOKS = "data/books";
const DORIAN = `${BOOKS}/wilde_the_picture_of_dorian_gray.txt.gz`;
const EMMA = `${BOOKS}/austen_emma.txt.gz`;
const SAMPLE = "public/samples/the-lamp-at-harrow-point.txt";

/** A run: the file, the first character read, how many characters, and the parameters. */
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

/** Figures of one run. Times are in seconds. */
export interface ForecastRow {
  readonly name: string;
  readonly facts: number;
  readonly parts: number;
  readonly exact: number;
  /** Estimate before the run. */
  readonly forecast: number;
  readonly truth: number;
  /** Estimates of the whole run during it: smallest and largest after its first tenth. */
  readonly during: readonly [least: number, most: number];
  readonly stages: Readonly<Record<string, readonly [forecast: number, truth: number]>>;
}

const now = (): number => performance.now();

async function run(kind: Kind, model: string, known: StageRates): Promise<[ForecastRow, StageRates]> {
  const params: MethodParams = { ...PRESETS[kind.preset ?? "sharp"], ...kind.set };
  const { engine, device } = await openModel(model, "cpu");
  try {
    const document = makeDocument(kind.name, textOf(kind));
    const context = {
      ...{ engine, params, now, store: inMemoryStore() },
      date: () => new Date().toISOString(),
      ...(kind.layers ? { layers: kind.layers.map(layerIndex) } : {}),
    };
    const { rates } = ratesFor(engine, known);
    const estimate = await estimateRun(context, await ruleFacts([document], params), null, rates);
    const started = now();
    const seen: { readonly passed: number; readonly whole: number }[] = [];
    const onProgress = ({ run: share }: Progress): void => {
      const passed = (now() - started) / 1000;
      if (share && share.secondsLeft !== null) seen.push({ passed, whole: passed + share.secondsLeft });
    };
    const given = { seconds: estimate.seconds, rates: known };
    const report = await memorize({ ...context, estimate: given, onProgress }, [document]);
    const truth = (now() - started) / 1000;
    const later = seen.filter(({ passed }) => passed >= truth / 10).map(({ whole }) => whole);
    const stages = Object.entries(report.milliseconds).map(([stage, time]) => [
      stage,
      [estimate.seconds[stage as keyof typeof estimate.seconds] ?? 0, time / 1000],
    ]);
    const { entries } = report.memory;
    const lost = new Set(entries.filter((entry) => !entry.report.exact).map(({ id }) => id)).size;
    const row: ForecastRow = {
      name: kind.name,
      facts: report.plan.planned.length,
      parts: entries.length,
      exact: report.plan.planned.length - lost,
      forecast: totalSeconds(estimate.seconds, estimate.work) ?? 0,
      truth,
      during: [Math.min(...later), Math.max(...later)],
      stages: Object.fromEntries(stages),
    };
    return [row, report.rates];
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

const isTwofold = (estimate: number, truth: number): boolean =>
  truth / estimate <= 2 && estimate / truth <= 2;

/** How many estimates were within a factor of two: before the run, and at every moment after its first tenth. */
export const within = (
  rows: readonly ForecastRow[],
): { readonly before: number; readonly during: number } => ({
  before: rows.filter(({ forecast, truth }) => isTwofold(forecast, truth)).length,
  during: rows.filter(({ during, truth }) => during.every((estimate) => isTwofold(estimate, truth))).length,
});

function line(row: ForecastRow): string {
  const numbers = [row.facts, row.parts, row.exact].map((n) => String(n).padStart(6)).join("");
  const times = [row.forecast, row.truth, ...row.during].map((s) => s.toFixed(1).padStart(9)).join("");
  const stages = Object.entries(row.stages)
    .filter(([, [forecast, truth]]) => Math.max(forecast, truth) >= 0.5)
    .map(([stage, [forecast, truth]]) => `${stage} ${forecast.toFixed(1)} ${truth.toFixed(1)}`);
  return `${row.name.padEnd(42)}${numbers}${times}   ${stages.join(", ")}`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      model: { type: "string", default: BUNDLED_MODEL },
      runs: { type: "string" },
      out: { type: "string" },
    },
  });
  const wanted = values.runs?.split(",").map(Number) ?? KINDS.map((_, i) => i + 1);
  if (!wanted.every((n) => KINDS[n - 1]))
    throw new UsageError(
      `--runs is "${values.runs}", expected numbers from 1 to ${KINDS.length} with commas`,
    );
  console.log(`${"run".padEnd(42)} facts parts exact forecast    truth    least     most`);
  let known: StageRates = {};
  const rows: ForecastRow[] = [];
  for (const n of wanted) {
    const [row, rates] = await run(KINDS[n - 1]!, values.model, known);
    known = updated(known, rates);
    rows.push(row);
    console.log(line(row));
  }
  const { before, during } = within(rows);
  console.log(
    `within a factor of two: ${before} of ${rows.length} before the run, ${during} after its first tenth`,
  );
  if (!values.out) return;
  const machine = {
    processor: `${cpus()[0]?.model.trim() ?? "unknown"} x ${cpus().length}`,
    load: loadavg()[0],
  };
  const record = {
    format: "palimpsest bench:forecast 2",
    commit: commit(),
    date: new Date().toISOString(),
    machine,
    before,
    during,
    rows,
  };
  writeFileSync(values.out, `${JSON.stringify(record, null, 1)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main, USAGE);
