/** @file `npm run study -- NAME`: runs a named study in Node. Every case is saved, so that a stopped run can continue. */

import type { StudyName, Setting } from "../src/records/studies.ts";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { lineOf } from "../src/evaluate/runs/file.ts";
import { plannedStudy } from "../src/evaluate/runs/header.ts";
import { plannedCases, runStudy, settingsOf } from "../src/evaluate/studies/run.ts";
import type { StudyContext } from "../src/evaluate/studies/study.ts";
import { SHARP, type MethodParams } from "../src/records/params.ts";
import type { CaseRecord } from "../src/records/run.ts";
import { STUDY_INFO, STUDY_NAMES } from "../src/records/studies.ts";
import { inMemoryStore } from "../src/store/inMemory.ts";
import { commit } from "./commit.ts";
import {
  BUNDLED_MODEL,
  choiceOption,
  numberOption,
  openModel,
  readDocument,
  runCommand,
  UsageError,
} from "./cli.ts";
import { append, assertContinues, continued } from "./evaluateData.ts";
import { diskCache } from "./node/diskCache.ts";
import { METHOD_OPTIONS, methodHelp, methodParams } from "./methodOptions.ts";

const USAGE = `Usage: npm run study -- NAME [options] [--SETTING VALUE …]
  --model DIR      default public/models/palimpsest-7m
  --backend cpu|webgpu   default cpu
  --preset sharp|paper   parameters where the study does not set them (default sharp)
  --seed N         default 1
  --text FILE      the text for studies that need one; several for "forgetting" (default public/samples/the-lamp-at-harrow-point.txt)
  --out FILE       run file, extended after every case (default out/runs/ID.jsonl); an unfinished run of the same
                   settings, seed, model and build is continued
Studies and their settings:
${STUDY_NAMES.map((name) => {
  const { asks, settings } = STUDY_INFO[name];
  const lines = Object.entries(settings).map(([setting, { value, hint, choices, several }]) => {
    const known = choices && `; ${several ? "several" : "one"} of ${Object.values(choices).join(", ")}`;
    return `      --${setting} ${JSON.stringify(value)}   ${hint}${known ?? ""}`;
  });
  return [`  ${name}: ${asks}`, ...lines].join("\n");
}).join("\n")}
${methodHelp()}`;

const OPTIONS = {
  model: { type: "string", default: BUNDLED_MODEL },
  backend: { type: "string", default: "cpu" },
  ...METHOD_OPTIONS,
  seed: { type: "string", default: "1" },
  text: { type: "string", multiple: true },
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
  readonly text: readonly string[];
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
    text: values.text ?? ["public/samples/the-lamp-at-harrow-point.txt"],
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
    const needsText = STUDY_INFO[study].needsText;
    const [document, ...others] = needsText ? await Promise.all(command.text.map(readDocument)) : [];
    const context: StudyContext = {
      engine,
      store: inMemoryStore(),
      params: command.params,
      now: () => performance.now(),
      date: () => new Date().toISOString(),
      seed: command.seed,
      ...(needsText && { document: document!, others }),
      ...(study === "forgetting" && { cache: diskCache(await mkdtemp(join(tmpdir(), "palimpsest-study-"))) }),
      onProgress: ({ done, total, note }) => console.error(`${done} / ${total}   ${note}`),
    };
    const { params, seed } = command;
    const app = commit() ?? "unknown";
    const inputs = {
      study,
      settings: settingsOf(study, settings),
      params,
      seed,
      app,
      created: context.date(),
    };
    const header = plannedStudy(inputs, engine);
    const file = command.out ?? `out/runs/${header.id}.jsonl`;
    const existing = continued(file, "study");
    if (existing) assertContinues(file, existing.header, header);
    else append(file, lineOf(header));
    const cases = [...(existing?.cases ?? [])];
    for await (const found of runStudy(study, context, settings, new Set(cases.map(({ id }) => id)))) {
      cases.push(found);
      append(file, lineOf(found));
    }
    console.log(table(cases));
    console.log(`\n${cases.length} cases in ${file}`);
  } finally {
    await engine.dispose();
    await device.dispose();
  }
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
