/**
 * @file `npm run tool -- rankWeights`: learns the weights of src/router/rank.ts from questions of training stories and
 * reports how often the needed sentence is first, in three, in five and in 24 on stories that it did not learn from.
 */

import { readFileSync, writeFileSync } from "node:fs";
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
import { seeded, shuffled } from "../../src/lib/rng.ts";
import { factHasher, grouped } from "../../src/router/documents.ts";
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
  --ranked FILE only write the ranked sentences of FairytaleQA's questions, one story per line (for tools/demo-model/reader.py)
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
    },
  });
  if (values.ranked) return writeRanked(values.data, values.ranked);
  const validation = fairytales(values.data, "val");
  if (!values.check) {
    const stories = [
      ...fairytales(values.data, "train"),
      ...babi(values.data, fairytaleTexts(values.data, "train")),
    ];
    await prepare(stories);
    const weights = learn(examplesOf(stories), numberOption("epochs", values.epochs, { min: 1 }) ?? 4);
    writeFileSync("src/router/rankWeights.json", `${JSON.stringify(weights, null, 2)}\n`);
    await report("learnt", validation, weights);
  }
  await report("BM25+", validation, BM25_ALONE);
  if (values.check) {
    await report("as kept", validation, LEARNED);
    await reportBabi(values.data);
  }
}

/** Ranked sentences of a question that a reader is trained with. */
const RANKED = 24;

/** Writes a story per line: its sentences, the section of each, and all questions with positions and scores of ranked sentences. */
function writeRanked(data: string, path: string): void {
  const stories = ["train", "val"].flatMap((split) =>
    records(data, split).map((tale) => {
      const { index, values, section } = read(tale);
      const questions = tale.questions.map((asked) => {
        const ranked = rankFacts(asked.q, index, LEARNED).slice(0, RANKED);
        return {
          ...asked,
          ranked: ranked.map(({ position }) => position),
          scores: ranked.map(({ score }) => Number(score.toFixed(4))),
        };
      });
      return {
        split,
        name: tale.name,
        sentences: values,
        sections: values.map((_, at) => section(at)),
        questions,
      };
    }),
  );
  writeFileSync(path, stories.map((story) => `${JSON.stringify(story)}\n`).join(""));
}

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
function fairytales(data: string, split: string): Story[] {
  return records(data, split).flatMap((tale) => {
    const { index, values, section } = read(tale);
    const asked = tale.questions.flatMap(({ q, sections: of, kind, answers }) => {
      const spans = answers.map(normal).filter((span) => span.length > 2);
      const gold = values.flatMap((value, position) =>
        of.includes(section(position)) && spans.some((span) => ` ${normal(value)} `.includes(` ${span} `))
          ? [position]
          : [],
      );
      return kind === "explicit" && gold.length > 0 && gold.length <= 3
        ? [{ question: q, gold, all: false }]
        : [];
    });
    return asked.length > 0 ? [{ index, asked }] : [];
  });
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
  const hashed = factHasher(title);
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

const examplesOf = (stories: readonly Story[]): Example[] =>
  stories.flatMap(({ index, asked }) =>
    asked.flatMap(({ question, gold, all }) => {
      const ranked = rankFacts(question, index, BM25_ALONE);
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
