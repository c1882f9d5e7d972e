/**
 * @file `npm run bench -- answers`: memorises texts, asks prepared questions, and compares every answer with the needed sentence:
 * stored, routed, recalled, shown, and whether the short answer is right.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import type { Engine } from "../../src/engine/engine.ts";
import { answer, openMemory } from "../../src/flow/answer.ts";
import { memorize } from "../../src/flow/memorize.ts";
import { sayFacts } from "../../src/flow/sayFacts.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { assert } from "../../src/lib/assert.ts";
import { shownText } from "../../src/records/answer.ts";
import {
  judge,
  failuresOf,
  SHARE_LABELS,
  sharesOf,
  type Attribution,
  type Expectation,
  type ShareName,
} from "../../src/records/judge.ts";
import { byFact, modelTag, type Memory } from "../../src/records/memory.ts";
import { SHARP, type MethodParams } from "../../src/records/params.ts";
import { inMemoryStore } from "../../src/store/inMemory.ts";
import { memoryFileStore } from "../node/memoryFile.ts";
import { BUNDLED_MODEL, openModel, progressPrinter, runCommand, UsageError } from "../cli.ts";
import { commit } from "../commit.ts";
import { METHOD_OPTIONS, methodParams } from "../methodOptions.ts";

const USAGE = `usage: npm run bench -- answers [--model DIR] [--data DIR] [--only TEXT …] [--stores DIR] [--out FILE]
  --questions FILE   texts with their questions (default data/answers/questions.json); data/answers/novels.json asks about whole novels
  --data DIR      where books/NAME.txt.gz lie (default ../shared/data); texts whose book is not there are named and left out
  --stores DIR    keeps the memories: a second run asks without memorising
  --set NAME=VALUE   a parameter of the method (anchors are rule-made by default)`;

const OPTIONS = {
  model: { type: "string", default: BUNDLED_MODEL },
  data: { type: "string", default: "../shared/data" },
  questions: { type: "string", default: "data/answers/questions.json" },
  only: { type: "string", multiple: true },
  stores: { type: "string" },
  out: { type: "string" },
  ...METHOD_OPTIONS,
} as const;

/** A text with its questions: a file of this repository, or the first words of a part of a book. */
interface BenchText {
  readonly text: string;
  readonly file?: string;
  readonly book?: string;
  readonly from?: string;
  readonly words?: number;
  readonly questions: readonly Expectation[];
  /** Questions that the text does not answer. */
  readonly unanswerable: readonly string[];
}

/** One question, what was answered, and how it is judged. */
interface Row {
  readonly text: string;
  readonly ask: string;
  readonly answerable: boolean;
  readonly shown: string;
  readonly verdicts: readonly string[];
  readonly said: readonly string[];
  readonly probability: readonly (number | null)[];
  readonly judgement: Attribution;
}

type Options = ReturnType<typeof readOptions>;

const readOptions = (args: readonly string[]) => parseArgs({ args: [...args], options: OPTIONS }).values;

/** The words of a text; null where its book is not at hand. */
function contentOf({ text, file, book, from, words }: BenchText, data: string): string | null {
  if (file !== undefined) return readFileSync(file, "utf8");
  const path = join(data, "books", `${book}.txt.gz`);
  if (!existsSync(path)) return null;
  const whole = gunzipSync(readFileSync(path)).toString();
  const start = whole.indexOf(from ?? "");
  assert(start >= 0, () => `bench: "${text}" begins with "${from}", which ${path} does not have`);
  const ends = Array.from(whole.slice(start).matchAll(/\S+/g), (word) => word.index + word[0].length);
  const cut = whole.slice(start, start + (ends[(words ?? ends.length) - 1] ?? ends.at(-1)!));
  // The last sentence is probably cut off.
  return cut.slice(0, cut.lastIndexOf(". ") + 1);
}

async function memoryOf(engine: Engine, text: BenchText, content: string, options: Options): Promise<Memory> {
  const name = text.text.toLowerCase().replace(/[^a-z]+/g, "-");
  const store = options.stores ? memoryFileStore(join(options.stores, `${name}.zip`)) : inMemoryStore();
  const kept = await store.load();
  if (kept) return kept;
  const context = {
    engine,
    store,
    params: paramsOf(options),
    now: () => performance.now(),
    date: () => new Date().toISOString(),
    onProgress: progressPrinter(),
  };
  await memorize(context, [makeDocument(text.text, content)]);
  return (await store.load())!;
}

const paramsOf = (options: Options): MethodParams =>
  methodParams(options, {}, { ...SHARP, anchors: "rules" });

async function askAll(engine: Engine, memory: Memory, text: BenchText, params: MethodParams): Promise<Row[]> {
  const open = openMemory(engine, memory, { ...memory.params, ...params });
  const stored = Array.from(await sayFacts(engine, memory.entries), ([id, value]) => ({ id, value }));
  const rows: Row[] = [];
  const questions = [...text.questions, ...text.unanswerable.map((ask) => ({ ask, answers: [] }))];
  for (const expected of questions) {
    const given = await answer(open, expected.ask, { now: () => performance.now() });
    const parts = given.asked;
    rows.push({
      text: text.text,
      ask: expected.ask,
      answerable: expected.answers.length > 0,
      shown: parts.map((part) => shownText(part, given)).join(" | "),
      verdicts: parts.map(({ verdict }) => verdict),
      said: parts.map((part) => part.text),
      probability: parts.map(({ probability }) => probability),
      judgement: judge(given, expected, stored),
    });
  }
  open.dispose();
  return rows;
}

/** The shares that are judged, over the questions of one text or of all. */
const summary = (rows: readonly Row[]) => ({
  ...sharesOf(rows),
  stages: failuresOf(rows.filter(({ answerable }) => answerable)),
});

function printSummary(title: string, found: ReturnType<typeof summary>): void {
  console.log(`\n${title}`);
  for (const [name, label] of Object.entries(SHARE_LABELS)) {
    const { n, of, interval } = found[name as ShareName];
    const [low, high] = interval.map((end) => (100 * end).toFixed(0));
    console.log(`  ${`${n} / ${of}`.padStart(9)}  ${low} to ${high} %  ${label}`);
  }
  console.log(
    `  failed at: ${Object.entries(found.stages)
      .map(([stage, n]) => `${stage} ${n}`)
      .join(", ")}`,
  );
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const all = JSON.parse(readFileSync(options.questions, "utf8")) as BenchText[];
  const texts = all.filter(({ text }) => !options.only || options.only.includes(text));
  if (texts.length === 0)
    throw new UsageError(`--only names no text; there are: ${all.map(({ text }) => text).join("; ")}`);
  const { engine, device } = await openModel(options.model, "cpu");
  try {
    const rows: Row[] = [];
    const memories = [];
    for (const text of texts) {
      const content = contentOf(text, options.data);
      if (content === null) {
        console.error(`${text.text} is left out: ${options.data}/books has no ${text.book}.txt.gz`);
        continue;
      }
      const memory = await memoryOf(engine, text, content, options);
      const found = await askAll(engine, memory, text, paramsOf(options));
      const facts = byFact(memory.entries);
      const exact = facts.filter((parts) => parts.every(({ report }) => report.exact)).length;
      memories.push({ text: text.text, characters: content.length, facts: facts.length, exact });
      printSummary(`${text.text}: ${exact} of ${facts.length} facts exact`, summary(found));
      rows.push(...found);
    }
    printSummary("All texts", summary(rows));
    const record = {
      commit: commit(),
      model: modelTag(engine.model),
      params: paramsOf(options),
      memories,
      summary: summary(rows),
      texts: Object.fromEntries(
        texts.map(({ text }) => [text, summary(rows.filter((row) => row.text === text))]),
      ),
      rows,
    };
    if (options.out) writeFileSync(options.out, `${JSON.stringify(record, null, 1)}\n`);
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

await runCommand(main, USAGE);
