/**
 * @file `npm run tool -- rankWeights`: learns the weights of src/router/rank.ts from questions of training stories and
 * reports how often the needed sentence is first, in three, in five and in 24 on stories that it did not learn from.
 */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { makeFacts } from "../../src/extract/facts.ts";
import { ruleAnchor } from "../../src/extract/span.ts";
import { candidates } from "../../src/ingest/candidates.ts";
import { sentences } from "../../src/ingest/sentences.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { SHARP } from "../../src/records/params.ts";
import { offsetOf } from "../../src/records/ids.ts";
import { holdersOf } from "../../src/records/judge.ts";
import { seeded, shuffled } from "../../src/lib/rng.ts";
import { factHasher, grouped } from "../../src/router/documents.ts";
import { meaningOf } from "../../src/router/meaning.ts";
import {
  BM25_ALONE,
  FEATURE_NAMES,
  LEARNED,
  rankFacts,
  SHARPNESS,
  type RankWeights,
} from "../../src/router/rank.ts";
import { buildIndex, type RouterIndex } from "../../src/router/routerIndex.ts";
import { numberOption, runCommand } from "../cli.ts";

const USAGE = `usage: npm run tool -- rankWeights [--data DIR] [--epochs N] [--check] [--ranked FILE]
  --data DIR    with fairytaleqa/train.jsonl.gz and val.jsonl.gz, and babi/ (default ../shared/data)
  --epochs N    over the training questions (default 4)
  --check       only report on the validation stories, with the weights as they are
  --ranked FILE only write the ranked sentences of the questions, one story per line (for tools/demo-model/reader.py)
  --words       with --ranked: rank without meanings (for tools/demo-model/meaning.py)
Writes src/router/rankWeights.json.`;

/** A question with the positions of the facts that answer it: any one of them, or all. */
interface Asked {
  readonly question: string;
  readonly gold: readonly number[];
  readonly all: boolean;
}

interface Story {
  readonly index: RouterIndex;
  readonly asked: readonly Asked[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string", default: "../shared/data" },
      epochs: { type: "string" },
      check: { type: "boolean", default: false },
      ranked: { type: "string" },
      words: { type: "boolean", default: false },
    },
  });
  if (values.ranked) return writeRanked(values.data, values.ranked, values.words);
  const validation = fairytales(values.data, "val");
  if (!values.check) {
    const stories = [
      ...fairytales(values.data, "train", isKeptForWeights),
      ...askedStories(ASKED_TRAINING, isKeptForWeights),
      ...babi(values.data, fairytaleTexts(values.data, "train")),
    ];
    await prepare(stories);
    const weights = learn(examplesOf(stories), numberOption("epochs", values.epochs, { min: 1 }) ?? 4);
    writeFileSync("src/router/rankWeights.json", `${JSON.stringify(weights, null, 2)}\n`);
    await report("learnt", validation, weights);
    await report("learnt, other texts", askedStories(ASKED_VALIDATION), weights);
  }
  await report("BM25+", validation, BM25_ALONE);
  if (values.check) {
    await report("as kept", validation, LEARNED);
    await report("as kept, other texts", askedStories(ASKED_VALIDATION), LEARNED);
    await reportBabi(values.data);
  }
}

/**
 * Writes a story per line: its sentences, the section of each, and all questions with positions and scores of ranked sentences, and
 * the positions that answer. The sentences of data/asked are their own sections.
 */
async function writeRanked(data: string, path: string, words: boolean): Promise<void> {
  const weights = words ? WORDS_ALONE : LEARNED;
  writeFileSync(path, "");
  const write = async (story: object, index: RouterIndex, asked: readonly RankedQuestion[]) => {
    await index.prepare();
    const questions = asked.map((one) => {
      const ranked = rankFacts(one.q, index, weights);
      return {
        ...one,
        ranked: ranked.map(({ position }) => position),
        scores: ranked.map(({ score }) => Number(score.toFixed(4))),
      };
    });
    appendFileSync(path, `${JSON.stringify({ ...story, questions })}\n`);
  };
  for (const split of ["train", "val"])
    for (const tale of records(data, split)) {
      const { index, values, section } = read(tale);
      const sections = values.map((_, at) => section(at));
      const asked = tale.questions.map((one) => ({ ...one, gold: goldOf(one, values, sections) }));
      await write({ split, name: tale.name, sentences: values, sections }, index, asked);
    }
  for (const [split, files] of Object.entries({ asked: ASKED_TRAINING, "asked-val": ASKED_VALIDATION }))
    for (const { name, text, questions, unanswerable } of askedTexts(files)) {
      const { index, values } = indexed(name, text);
      const asked = questions.map(({ ask, answers, needs }) => {
        const { gold, all } = needed(values, needs);
        return { q: ask, answers, kind: "explicit", sections: gold, gold: all ? [] : gold };
      });
      const none = unanswerable.map((q) => ({ q, answers: [], kind: "none", sections: [], gold: [] }));
      const sections = [...values.keys()];
      await write({ split, name, sentences: values, sections }, index, [...asked, ...none]);
    }
}

interface RankedQuestion {
  readonly q: string;
  readonly gold: readonly number[];
}

/** The weights by which words alone rank: what the vectors of words are taught to add to. */
const WORDS_ALONE: RankWeights = { ...LEARNED, meaning: 0, meaningOfPrevious: 0, meaningOfNext: 0 };

/** Prints the share of questions whose sentence is among the first. */
async function report(name: string, stories: readonly Story[], weights: RankWeights): Promise<void> {
  await prepare(stories);
  const ranks = stories.flatMap(({ index, asked }) =>
    asked.map(({ question, gold }) => {
      const order = rankFacts(question, index, weights).map(({ position }) => position);
      return Math.min(
        ...gold.map((position) => order.indexOf(position)).map((at) => (at < 0 ? Infinity : at)),
      );
    }),
  );
  const share = (most: number): string =>
    ((100 * ranks.filter((rank) => rank < most).length) / ranks.length).toFixed(1);
  console.log(
    `${name}: first ${share(1)}, three ${share(3)}, five ${share(5)}, 24 ${share(24)} % (n = ${ranks.length})`,
  );
}

/** Without it words of nearly the same meaning are not found. */
const prepare = async (stories: readonly Story[]): Promise<void> => {
  for (const { index } of stories) await index.prepare();
};

interface Tale {
  readonly name: string;
  readonly sections: readonly { readonly id: number; readonly text: string }[];
  readonly questions: readonly {
    readonly q: string;
    readonly sections: readonly number[];
    readonly kind: "explicit" | "implicit";
    readonly answers: readonly string[];
  }[];
}

/** Prints how many questions of bAbI have every needed sentence among 24. */
async function reportBabi(data: string): Promise<void> {
  for (const task of BABI_TRAINING) {
    const stories = babi(data, fairytaleTexts(data, "val"), [task], HELD_OUT);
    await prepare(stories);
    const ranks = stories.flatMap(({ index, asked }) =>
      asked.map(({ question, gold }) => {
        const order = rankFacts(question, index, LEARNED).map(({ position }) => position);
        return Math.max(...gold.map((one) => (order.includes(one) ? order.indexOf(one) : Infinity)));
      }),
    );
    console.log(`${task}: all in 24 for ${ranks.filter((rank) => rank < 24).length} of ${ranks.length}`);
  }
}

const lines = (path: string): string[] =>
  gunzipSync(readFileSync(path)).toString("utf8").trimEnd().split("\n");
const records = (data: string, split: string): Tale[] =>
  lines(join(data, "fairytaleqa", `${split}.jsonl.gz`)).map((line) => JSON.parse(line) as Tale);

const fairytaleTexts = (data: string, split: string): string[] =>
  records(data, split).map(({ sections }) => sections.map(({ text }) => text).join("\n\n"));

/** Stories of FairytaleQA with the explicit questions whose answer is a span of one to three of their sentences. */
function fairytales(data: string, split: string, wanted = (_: string): boolean => true): Story[] {
  const tales = records(data, split).filter(({ name }) => wanted(name));
  return tales.flatMap((tale) => {
    const { index, values, section } = read(tale);
    const sections = values.map((_, at) => section(at));
    const asked = tale.questions.flatMap((one) => {
      const gold = goldOf(one, values, sections);
      return gold.length > 0 ? [{ question: one.q, gold, all: false }] : [];
    });
    return asked.length > 0 ? [{ index, asked }] : [];
  });
}

/** Positions of the one to three sentences that have an explicit question's answer; otherwise none. */
function goldOf(
  { sections: of, kind, answers }: Tale["questions"][number],
  values: readonly string[],
  sections: readonly number[],
): number[] {
  const spans = answers.map(normal).filter((span) => span.length > 2);
  const has = (value: string): boolean => spans.some((span) => ` ${normal(value)} `.includes(` ${span} `));
  const gold = [...values.keys()].filter((at) => of.includes(sections[at]!) && has(values[at]!));
  return kind === "explicit" && gold.length <= 3 ? gold : [];
}

/** The index over the sentences of a story, and the section that a sentence belongs to, by position. */
function read({ name, sections }: Tale) {
  const ends = sections.map((_, i) =>
    sections.slice(0, i + 1).reduce((sum, one) => sum + one.text.length + 2, 0),
  );
  const { index, offsets, values } = indexed(name, sections.map(({ text }) => text).join("\n\n"));
  const section = (position: number): number =>
    sections[ends.findIndex((end) => offsets[position]! < end)]!.id;
  return { index, values, section };
}

/** As answers are compared: lower case, without marks and articles. */
const normal = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("'s", "")
    .replace(/[^a-z0-9 ]/g, " ")
    .split(/\s+/)
    .filter((word) => !["", "a", "an", "the"].includes(word))
    .join(" ");

/** The files of bAbI whose stories are learnt from; none of them has a test story. */
const BABI_TRAINING = [
  "en-10k_qa1_single-supporting-fact_train",
  "en-10k_qa2_two-supporting-facts_train",
  "en_qa3_three-supporting-facts_train",
  "en-10k_qa4_two-arg-relations_train",
  "en-10k_qa5_three-arg-relations_train",
];
const BABI_STORIES = 60;
/** The first story that is not learnt from and is used for the report. */
const HELD_OUT = 60;

/** Stories of bAbI whose facts are hidden, in order, among the sentences of other texts. */
function babi(data: string, others: readonly string[], tasks = BABI_TRAINING, from = 0): Story[] {
  return tasks.flatMap((task, which) => {
    const stories = lines(join(data, "babi", `${task}.txt.gz`))
      .join("\n")
      .split(/\n(?=1 )/);
    return stories
      .slice(from, from + BABI_STORIES)
      .map((story, i) => hidden(story, others[(which * 61 + i) % others.length]!));
  });
}

function hidden(story: string, other: string): Story {
  const filler = other.split(/\n\s*\n/).slice(0, 40);
  const facts: { number: string; text: string }[] = [];
  const questions: { q: string; support: string[]; after: number }[] = [];
  for (const line of story.split("\n")) {
    const [, number, rest] = /^(\d+) (.*)$/.exec(line)!;
    const [text, answer, support] = rest!.split("\t");
    if (answer === undefined) facts.push({ number: number!, text: text!.trim() });
    else questions.push({ q: text!.trim(), support: support!.split(" "), after: facts.length });
  }
  // A question is about the story so far, so the last one alone fits a whole text.
  const last = questions.at(-1)!;
  const told = facts.slice(0, last.after);
  const every = Math.max(1, Math.floor(filler.length / told.length));
  let text = "";
  const places: { offset: number; number: string }[] = [];
  told.forEach((fact, i) => {
    text += filler.slice(i * every, (i + 1) * every).join("\n\n") + "\n\n";
    places.push({ offset: text.length, number: fact.number });
    text += `${fact.text}\n\n`;
  });
  const { index, offsets } = indexed(story.slice(0, 40), text);
  const gold = last.support.map((number) =>
    offsets.indexOf(places.find((place) => place.number === number)!.offset),
  );
  return { index, asked: gold.includes(-1) ? [] : [{ question: last.q, gold, all: true }] };
}

interface AskedText {
  readonly name: string;
  readonly text: string;
  readonly questions: readonly {
    readonly ask: string;
    readonly answers: readonly string[];
    /** Quotes of the sentences that are needed; one of several where an item is a list. */
    readonly needs: readonly (string | readonly string[])[];
  }[];
  readonly unanswerable: readonly string[];
}

/** Texts of data/asked: e-mails, minutes, chats, articles, with the questions that were asked about them in other words. */
const askedTexts = (kinds: readonly string[]): AskedText[] =>
  kinds.flatMap((kind) =>
    lines(join("data/asked", `${kind}.jsonl.gz`)).map((line) => JSON.parse(line) as AskedText),
  );
const ASKED_TRAINING = ["own", "news", "novels"];
const ASKED_VALIDATION = ["val"];

function askedStories(kinds: readonly string[], wanted = (_: string): boolean => true): Story[] {
  return askedTexts(kinds)
    .filter(({ name }) => wanted(name))
    .map(({ name, text, questions }) => {
      const { index, values } = indexed(name, text);
      const asked = questions.map(({ ask, needs }) => ({ question: ask, ...needed(values, needs) }));
      return { index, asked: asked.filter(({ gold }) => gold.length > 0) };
    });
}

/** The vectors of words were taught with the other texts (is_left_out of tools/demo-model/meaning.py), which would overrate them. */
const isKeptForWeights = (name: string): boolean =>
  [...name].reduce((sum, character) => sum + character.codePointAt(0)!, 0) % 5 === 0;

function needed(values: readonly string[], needs: AskedText["questions"][number]["needs"]) {
  const each = needs.map((need) => [need].flat().flatMap((one) => holdersOf(values, one)));
  return {
    gold: each.every(({ length }) => length > 0) ? [...new Set(each.flat())] : [],
    all: needs.length > 1,
  };
}

/** The index over every sentence of a text, with anchors by rule; offsets and values by position. */
function indexed(
  title: string,
  text: string,
): { index: RouterIndex; offsets: readonly number[]; values: string[] } {
  const document = makeDocument(title, text);
  const found = [...candidates(sentences(document), "all")];
  const anchors = found.map((candidate) => ({
    candidate,
    text: ruleAnchor(candidate.sentence.text, { compound: true }),
    source: "rule" as const,
  }));
  const inputs = makeFacts(anchors, SHARP).map((fact) => ({ fact, questions: [] }));
  const hashed = factHasher(title, meaningOf);
  const vector = new Float32Array(0);
  const routing = grouped(inputs).map((one) => ({ ...one, facts: one.inputs.map(hashed), vector }));
  const index = buildIndex(routing, [title]);
  const values = new Map(inputs.map(({ fact }) => [fact.id, fact.value]));
  return {
    index,
    offsets: index.facts.map(({ fact }) => offsetOf(fact.id)),
    values: index.facts.map(({ fact }) => values.get(fact.id)!),
  };
}

/** Features of the ranked facts of a question, and which of them are needed. */
interface Example {
  readonly rows: readonly Float64Array[];
  readonly gold: readonly number[];
  readonly all: boolean;
}

/** Ranks no better than BM25+; it is for the features. */
const WITH_MEANINGS: RankWeights = { ...BM25_ALONE, meaning: 1 };

const examplesOf = (stories: readonly Story[]): Example[] =>
  stories.flatMap(({ index, asked }) =>
    asked.flatMap(({ question, gold, all }) => {
      const ranked = rankFacts(question, index, WITH_MEANINGS);
      const at = gold
        .map((position) => ranked.findIndex((one) => one.position === position))
        .filter((i) => i >= 0);
      return at.length > 0 ? [{ rows: ranked.map(({ features }) => features), gold: at, all }] : [];
    }),
  );

const BATCH = 16;
const RATE = 0.01;

/**
 * Minimises the listwise loss −log Σ_gold softmax(4·w·f), or its mean over gold where all are needed, by Adam from BM25+
 * alone.
 */
function learn(examples: readonly Example[], epochs: number): RankWeights {
  const n = FEATURE_NAMES.length;
  const [w, m, v] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  w[FEATURE_NAMES.indexOf("words")] = 1;
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const order = shuffled(examples, seeded(epoch));
    let loss = 0;
    for (let from = 0; from < order.length; from += BATCH) {
      const gradient = new Float64Array(n);
      const batch = order.slice(from, from + BATCH);
      for (const example of batch) loss += addGradient(example, w, gradient);
      step++;
      const rate = RATE * (1 - epoch / epochs);
      for (let k = 0; k < n; k++) {
        const g = gradient[k]! / batch.length + 1e-4 * w[k]!;
        m[k] = 0.9 * m[k]! + 0.1 * g;
        v[k] = 0.99 * v[k]! + 0.01 * g * g;
        w[k]! -= (rate * (m[k]! / (1 - 0.9 ** step))) / (Math.sqrt(v[k]! / (1 - 0.99 ** step)) + 1e-8);
      }
    }
    console.log(`epoch ${epoch + 1}: loss ${(loss / order.length).toFixed(4)} (${order.length} questions)`);
  }
  return Object.fromEntries(FEATURE_NAMES.map((name, k) => [name, Number(w[k]!.toFixed(3))]));
}

function addGradient({ rows, gold, all }: Example, w: Float64Array, gradient: Float64Array): number {
  const scores = rows.map((row) => SHARPNESS * row.reduce((sum, value, k) => sum + value * w[k]!, 0));
  const most = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - most));
  const total = weights.reduce((sum, one) => sum + one, 0);
  const goldTotal = gold.reduce((sum, i) => sum + weights[i]!, 0);
  rows.forEach((row, i) => {
    const p = weights[i]! / total;
    for (let k = 0; k < w.length; k++) gradient[k]! += SHARPNESS * p * row[k]!;
  });
  for (const i of gold) {
    const q = all ? 1 / gold.length : weights[i]! / goldTotal;
    for (let k = 0; k < w.length; k++) gradient[k]! -= SHARPNESS * q * rows[i]![k]!;
  }
  return all
    ? -gold.reduce((sum, i) => sum + Math.log(weights[i]! / total), 0) / gold.length
    : -Math.log(goldTotal / total);
}

await runCommand(main, USAGE);
