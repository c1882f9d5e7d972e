/**
 * @file `npm run tool -- association`: hides the needles of an association probe in a book and reports the questions that
 * each of several routings resolves. Nothing is encoded, since routing needs only the index.
 */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseArgs } from "node:util";
import type { Engine } from "../../src/engine/engine.ts";
import { assignAnchors } from "../../src/extract/anchors.ts";
import { makeFacts } from "../../src/extract/facts.ts";
import { ruleQuestions } from "../../src/extract/questions.ts";
import { candidates } from "../../src/ingest/candidates.ts";
import { sentences } from "../../src/ingest/sentences.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { allocate } from "../../src/plan/budget.ts";
import type { Anchor, Fact } from "../../src/records/fact.ts";
import { PAPER, SHARP, type MethodParams } from "../../src/records/params.ts";
import { buildRouting } from "../../src/router/documents.ts";
import { needsVector, route } from "../../src/router/route.ts";
import { buildIndex, type RouterIndex } from "../../src/router/routerIndex.ts";
import {
  EMBEDDER_OPTIONS,
  EMBEDDER_USAGE,
  embedderOption,
  numberOption,
  openModel,
  runCommand,
  UsageError,
} from "../cli.ts";
import { excerpt, hide } from "./haystack.ts";
import { METHOD_OPTIONS, methodParams } from "../methodOptions.ts";

const USAGE = `usage: npm run tool -- association --model DIR --probe FILE --book FILE [options]
  --probe FILE           needles with questions (JSON: pairs of needle, questions, character_set)
  --book FILE            a text, or one packed with gzip
  --characters N         of the book (default 60000)        --needles N   the first so many of the probe (default: all)
  --seed N               places of the needles (default 42)
${EMBEDDER_USAGE}
  --set NAME=VALUE       a further routing to compare, based on sharp
Prints one JSON document: for each routing, how many questions of each kind find the fact of their needle.`;

/** A needle of the probe and its questions by kind: "direct", "onehop", "twohop". */
interface Pair {
  readonly id: string;
  readonly needle: string;
  readonly questions: Readonly<Record<string, string>>;
  readonly character_set: readonly string[];
}

/** A needle in the text. */
interface Hidden {
  readonly pair: Pair;
  readonly sentence: string;
}

/** The compared routings: each ranking alone and fused, those of the paper and ours. */
const ROUTINGS: Readonly<Record<string, MethodParams>> = {
  paper: PAPER,
  "paper, dense": { ...PAPER, routing: "dense" },
  "paper, lexical": { ...PAPER, routing: "lexical" },
  "sharp, anchors": { ...SHARP, ranking: "anchors" },
  sharp: SHARP,
  "sharp, by words": { ...SHARP, ranking: "bm25" },
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      model: { type: "string" },
      probe: { type: "string" },
      book: { type: "string" },
      characters: { type: "string" },
      needles: { type: "string" },
      seed: { type: "string" },
      ...EMBEDDER_OPTIONS,
      ...METHOD_OPTIONS,
    },
  });
  const { model, probe, book } = values;
  if (!model || !probe || !book) throw new UsageError("--model, --probe and --book are needed");
  const whole = { min: 1, whole: true };
  const characters = numberOption("characters", values.characters, whole) ?? 60_000;
  const { pairs } = JSON.parse(readFileSync(probe, "utf8")) as { readonly pairs: readonly Pair[] };
  const chosen = pairs.slice(0, numberOption("needles", values.needles, whole) ?? pairs.length);
  const { text, hidden } = hideAll(
    chosen,
    excerpt(readText(book), 0, characters),
    numberOption("seed", values.seed, { min: 0, whole: true }) ?? 42,
  );
  const routings = values.set ? { ...ROUTINGS, "as set": methodParams(values, {}, SHARP) } : ROUTINGS;
  const { engine, device } = await openModel(model, "cpu", embedderOption(values));
  try {
    const rows = await Promise.all(
      Object.entries(routings).map(async ([name, params]) => [
        name,
        await routed(engine, text, hidden, params),
      ]),
    );
    const { embedder, denseFloor } = engine;
    const report = { embedder, denseFloor, characters: text.length, needles: hidden.length };
    console.log(JSON.stringify({ ...report, routed: Object.fromEntries(rows) as object }, null, 1));
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

const readText = (path: string): string => {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
};

/** The book with one sentence of each needle, each about another character. */
function hideAll(
  pairs: readonly Pair[],
  background: string,
  seed: number,
): { readonly text: string; readonly hidden: readonly Hidden[] } {
  const hidden = pairs.map((pair, i): Hidden => {
    const name = pair.character_set[i % pair.character_set.length]!;
    return { pair, sentence: pair.needle.replace("{CHAR}", name) };
  });
  const story = { task: "association", id: 0, question: "", answer: "", support_pos: [] };
  return {
    text: hide({ ...story, facts: hidden.map(({ sentence }) => sentence) }, background, seed).text,
    hidden,
  };
}

/** "right / asked" by kind of question, and the direct questions that failed. */
async function routed(
  engine: Engine,
  text: string,
  hidden: readonly Hidden[],
  params: MethodParams,
): Promise<object> {
  const { facts, index } = await indexed(engine, text, params);
  const right: Record<string, number> = {};
  const asked: Record<string, number> = {};
  const astray: string[] = [];
  for (const { pair, sentence } of hidden) {
    const own = facts.find(({ value }) => value === sentence);
    for (const [kind, question] of Object.entries(pair.questions)) {
      const vector = needsVector(params) ? await engine.embedQuestion(question) : null;
      const { facts: found } = route(question, vector, index, params, engine.denseFloor);
      const hit = own !== undefined && found.includes(own.id);
      asked[kind] = (asked[kind] ?? 0) + 1;
      right[kind] = (right[kind] ?? 0) + Number(hit);
      if (!hit && kind === "direct") astray.push(own ? pair.id : `${pair.id} (not kept)`);
    }
  }
  const shares = Object.entries(asked).map(([kind, all]) => [kind, `${right[kind]} / ${all}`]);
  return { facts: facts.length, ...Object.fromEntries(shares), astray };
}

/** The facts that the budget keeps, by rule anchors, and their index. */
async function indexed(
  engine: Engine,
  text: string,
  params: MethodParams,
): Promise<{ readonly facts: readonly Fact[]; readonly index: RouterIndex }> {
  const anchors: Anchor[] = [];
  const found = candidates(sentences(makeDocument("probe", text)), params.candidateFilter);
  for await (const anchor of assignAnchors(found, { ...params, anchors: "rules" }, null))
    anchors.push(anchor);
  const { facts } = allocate(makeFacts(anchors, params), params);
  const inputs = facts.map((fact) => ({
    fact,
    questions: ruleQuestions(fact.value, fact.anchor, params.questionsPerFact),
  }));
  return { facts, index: buildIndex(await buildRouting(inputs, "probe", params, engine.embed), ["probe"]) };
}

await runCommand(main, USAGE);
