/**
 * @file `npm run study -- NAME`: a named study in Node, saved case by case so that it can be stopped and resumed; the
 * file is what figures and the comparison of runs read.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as v from "valibot";
import { plannedCases, runHeader, runStudy } from "../src/bench/studies/run.ts";
import type { StudyContext } from "../src/bench/studies/study.ts";
import { checked, record } from "../src/lib/check.ts";
import { SHARP, type MethodParams } from "../src/records/params.ts";
import type { StudyName } from "../src/records/notebook.ts";
import type { CaseRecord, Run, RunHeader, Setting } from "../src/records/run.ts";
import { caseRecord, runHeader as runHeaderShape } from "../src/records/shapes.ts";
import { STUDY_INFO, STUDY_NAMES } from "../src/records/studies.ts";
import { inMemoryStore } from "../src/store/inMemory.ts";
import { commit } from "./commit.ts";
import { choiceOption, numberOption, openModel, readDocument, runCommand, UsageError } from "./cli.ts";
import { METHOD_OPTIONS, methodHelp, methodParams } from "./methodOptions.ts";

const USAGE = `Usage: npm run study -- NAME [options] [--SETTING VALUE …]
  --model DIR      default public/models/palimpsest-7m
  --backend cpu|webgpu   default cpu
  --preset sharp|paper   parameters where the study does not set them (default sharp)
  --seed N         default 1
  --text FILE      the text for studies that need one (default public/samples/the-lamp-at-harrow-point.txt)
  --out FILE       where the run is saved after every case (default out/runs/ID.json); an unfinished run of the same
                   settings, seed and model that lies there is resumed
Studies and their settings:
${STUDY_NAMES.map((name) => {
  const { asks, settings } = STUDY_INFO[name];
  const lines = Object.entries(settings).map(
    ([setting, { value, hint }]) => `      --${setting} ${JSON.stringify(value)}   ${hint}`,
  );
  return [`  ${name}: ${asks}`, ...lines].join("\n");
}).join("\n")}
${methodHelp()}`;

const OPTIONS = {
  model: { type: "string", default: "public/models/palimpsest-7m" },
  backend: { type: "string", default: "cpu" },
  ...METHOD_OPTIONS,
  seed: { type: "string", default: "1" },
  text: { type: "string", default: "public/samples/the-lamp-at-harrow-point.txt" },
  out: { type: "string" },
} as const;

/** A command line that was understood. */
export interface StudyCommand {
  readonly study: StudyName;
  readonly settings: Readonly<Record<string, Setting>>;
  readonly model: string;
  readonly backend: "cpu" | "webgpu";
  readonly params: MethodParams;
  readonly seed: number;
  readonly text: string;
  readonly out: string | undefined;
}

/** @throws UsageError, and what parseArgs throws on an unknown option */
export function parseCommand(args: readonly string[]): StudyCommand {
  const named = args[0] ?? "";
  const study = choiceOption("study", named, STUDY_NAMES);
  const infos = Object.entries(STUDY_INFO[study].settings);
  const own = Object.fromEntries(infos.map(([name]) => [name, { type: "string" as const }]));
  const { values } = parseArgs({ args: args.slice(1), options: { ...own, ...OPTIONS } });
  const given: Readonly<Record<string, unknown>> = values;
  const settings = infos.flatMap(([name, { value }]): [string, Setting][] => {
    const text = given[name];
    if (typeof text !== "string") return [];
    return [[name, typeof value === "number" ? numberOption(name, text, { min: -Infinity })! : text]];
  });
  const command = {
    study,
    settings: Object.fromEntries(settings),
    model: values.model,
    backend: choiceOption("backend", values.backend, ["cpu", "webgpu"]),
    params: methodParams({ preset: values.preset, set: values.set }, {}, SHARP),
    seed: numberOption("seed", values.seed, { min: 0, max: 2 ** 32 - 1, whole: true })!,
    text: values.text,
    out: values.out,
  };
  try {
    plannedCases(study, command.settings);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return command;
}

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2));
  const { study, settings } = command;
  const { engine, device } = await openModel(command.model, command.backend);
  try {
    const context: StudyContext = {
      engine,
      store: inMemoryStore(),
      params: command.params,
      now: () => performance.now(),
      date: () => new Date().toISOString(),
      seed: command.seed,
      ...(STUDY_INFO[study].needsText ? { document: await readDocument(command.text) } : {}),
      onProgress: ({ done, total, note }) => console.error(`${done} / ${total}   ${note}`),
    };
    const fresh = runHeader(study, context, settings, commit() ?? "unknown");
    const file = command.out ?? `out/runs/${fresh.id}.json`;
    const run = resumed(file, fresh) ?? { header: fresh, cases: [] };
    const cases: CaseRecord[] = [...run.cases];
    const have = new Set(cases.map(({ id }) => id));
    for await (const found of runStudy(study, context, settings, have)) {
      cases.push(found);
      save(file, { header: run.header, cases });
    }
    const order = plannedCases(study, settings);
    cases.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
    save(file, { header: run.header, cases });
    console.log(table(cases));
    console.log(`\n${cases.length} cases in ${file}`);
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

/** The run in `file` if it is this one, unfinished or not. @throws when another run lies there */
function resumed(file: string, fresh: RunHeader): Run | null {
  if (!existsSync(file)) return null;
  const run = storedRun(file);
  const same = ({ study, settings, params, seed, model, backend }: RunHeader) =>
    JSON.stringify([study, settings, params, seed, model, backend]);
  if (run && same(run.header) === same(fresh)) return run;
  throw new UsageError(`--out ${file}: another run lies there; remove it or name another file`);
}

/** What lies in `file`; null where that is no run. */
function storedRun(file: string): Run | null {
  try {
    return checked(RUN, JSON.parse(readFileSync(file, "utf8")), `${file}: `);
  } catch {
    return null;
  }
}

const RUN = record<Run>({ header: runHeaderShape, cases: v.array(caseRecord) });

/** Whole or not at all: a run that was stopped while it was written must still be readable. */
function save(file: string, run: Run): void {
  const partial = `${file}.part`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(partial, `${JSON.stringify(run, null, 1)}\n`);
  renameSync(partial, file);
}

function table(cases: readonly CaseRecord[]): string {
  const short = (value: number | null) => (value === null ? "" : String(Number(value.toPrecision(4))));
  return cases
    .map(({ id, measures }) => {
      const cells = Object.entries(measures).map(([name, value]) => `${name} ${short(value)}`);
      return `${id.padEnd(36)} ${cells.join("  ")}`;
    })
    .join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main, USAGE);
