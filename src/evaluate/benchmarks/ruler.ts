/** @file RULER's question answering (qa_1) from SQuAD 2.0 dev, after NVIDIA/RULER@c3f5e3b scripts/data/synthetic/qa.py. */

import { sentences } from "../../ingest/sentences.ts";
import { makeDocument } from "../../ingest/text.ts";
import { shuffled } from "../../lib/rng.ts";
import type { Case, CasePlace } from "../../records/evaluation.ts";
import {
  type Benchmark,
  type BenchmarkOptions,
  chosen,
  drawing,
  type MadeCase,
  type PlannedCase,
  printOf,
  type TokenCounter,
  tokensOf,
} from "./benchmark.ts";
import { injected, readBooks, sharedBackgrounds, type Pieces } from "./backgrounds.ts";
import { rulerTurn } from "./prompts.ts";

const ANSWER_TOKENS = 32;
/** Minimum of documents in a context, and the step by which it shrinks if a sample is too long. */
const FEWEST = 10;
/** Length of a sample's documents that stand in a shared background: with these most of the question's article is there. */
const AMONG = "8k";
const LENGTHS = ["4k", "8k", "16k", "32k", "64k", "128k", "512k", "1M", "2M"];

/** Its evidence is the sentence of the paragraph in which the first answer begins. */
interface Question extends Omit<Case, "text"> {
  readonly paragraph: string;
  readonly related: readonly string[];
}

interface Squad {
  readonly data: readonly {
    readonly paragraphs: readonly {
      readonly context: string;
      readonly qas: readonly {
        readonly question: string;
        readonly is_impossible: boolean;
        readonly answers: readonly { readonly text: string; readonly answer_start: number }[];
      }[];
    }[];
  }[];
}

export const ruler: Benchmark = {
  title: "RULER QA",
  about: "A question of SQuAD, and its paragraph among others, those of the same article first.",
  tasks: ["qa_1"],
  lengths: LENGTHS,
  async open(options) {
    const { tasks, lengths } = chosen(options, ["qa_1"], "4k");
    const squad = JSON.parse(await options.data.text("squad/dev-v2.0.json.gz")) as Squad;
    const documents = [
      ...new Set(squad.data.flatMap(({ paragraphs }) => paragraphs.map(({ context }) => context))),
    ].sort();
    const questions = squad.data.flatMap(({ paragraphs }) =>
      paragraphs.flatMap(({ context, qas }) =>
        qas
          .filter(({ is_impossible, answers }) => !is_impossible && answers.length > 0)
          .map(({ question, answers }) => ({
            question,
            gold: [...new Set(answers.map(({ text }) => text))],
            paragraph: context,
            evidence: sentenceAt(context, answers[0]!.answer_start),
            related: paragraphs.map((other) => other.context).filter((other) => other !== context),
          })),
      ),
    );
    const { backgrounds } = options;
    const books = backgrounds > 0 ? await readBooks(options) : [];
    const shared = sharedBackgrounds(books, options);
    // RULER takes the first questions, which are about one article.
    const drawn = shuffled(questions, drawing(options.seed, "ruler questions"));
    const samples = (length: string): PlannedCase[] =>
      backgrounds > 0
        ? planned(AMONG, drawn, documents, options).map(({ place, make }) => ({
            place: { ...place, length },
            make: () =>
              among(make(), shared(place.index % backgrounds, length), place.index, { length, ...options }),
          }))
        : planned(length, questions, documents, options);
    return {
      tasks,
      lengths,
      cases: lengths.flatMap(samples),
      primary: "ruler-part",
      answerTokens: ANSWER_TOKENS,
      turn: () => rulerTurn,
      settings: {
        questions: "SQuAD 2.0 dev, answerable",
        lengthsBy: options.model.name,
        ...(backgrounds > 0 && { backgrounds, lengthsBy: options.gpt2.name, books: printOf(books) }),
      },
    };
  },
};

/** A sample whose documents stand in a background of novels: SQuAD has paragraphs for 0.2 million tokens only. */
function among(
  own: MadeCase,
  { sentences: between, texts }: Pieces,
  index: number,
  { length, seed, backgrounds }: Pick<BenchmarkOptions, "seed" | "backgrounds"> & { readonly length: string },
): MadeCase {
  const paragraphs = own.text.split(/\n\n(?=Document \d)/).map((document) => `\n\n${document}\n\n`);
  return {
    ...own,
    text: injected(paragraphs, between, drawing(seed, "ruler", length, index)),
    cluster: `${length} background ${index % backgrounds}`,
    grown: { background: texts, own: own.text },
  };
}

function sentenceAt(text: string, offset: number): readonly string[] {
  for (const { start, end, text: sentence } of sentences(makeDocument("paragraph", text)))
    if (start <= offset && offset < end) return [sentence];
  return [];
}

function planned(
  length: string,
  questions: readonly Question[],
  documents: readonly string[],
  { samples, seed, model }: BenchmarkOptions,
): PlannedCase[] {
  const room = tokensOf(length, 1024) - ANSWER_TOKENS;
  // How many documents fit is measured on the first question, once, when the first text is made.
  let fitting: number | null = null;
  return questions.slice(0, samples).map((asked, index): PlannedCase => {
    const place: CasePlace = { benchmark: "ruler", task: "qa_1", length, depth: null, index };
    const others = questions[(index + 1) % questions.length]!.gold;
    return {
      place,
      make(): MadeCase {
        fitting ??= most(questions[0]!, documents, room, { seed, model });
        let count = fitting;
        let text = contextOf(asked, documents, count, drawing(seed, "ruler", index));
        for (; count > FEWEST && sizeOf(text, asked, model) > room; count -= FEWEST)
          text = contextOf(asked, documents, count - FEWEST, drawing(seed, "ruler", index));
        const { question, gold, evidence, paragraph } = asked;
        const cluster = paragraph.slice(0, 60);
        return { text, question, gold, evidence, labels: null, others, cluster };
      },
    };
  });
}

const sizeOf = (text: string, { question }: Question, { count }: TokenCounter): number =>
  count(rulerTurn([text], question));

/** The largest number of documents whose prompt has `room` tokens, by bisection. */
function most(
  first: Question,
  documents: readonly string[],
  room: number,
  { seed, model }: Pick<BenchmarkOptions, "seed" | "model">,
): number {
  const fits = (count: number): boolean =>
    sizeOf(contextOf(first, documents, count, drawing(seed, "ruler", 0)), first, model) <= room;
  let [low, high] = [FEWEST, Math.max(2 * FEWEST, Math.ceil((3 * room) / TOKENS_PER_DOCUMENT))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

const TOKENS_PER_DOCUMENT = 170;

/** `count` documents, the gold one among them, in an order drawn with `random`. */
function contextOf(
  { paragraph, related }: Question,
  documents: readonly string[],
  count: number,
  random: () => number,
): string {
  const shown = shuffled(distractors({ paragraph, related }, documents, count, random), random);
  return shown.map((document, i) => `Document ${i + 1}:\n${document}`).join("\n\n");
}

/** The gold paragraph, then the article's, then a random sample of the rest; if too few, all of them repeatedly. */
function distractors(
  { paragraph, related }: Pick<Question, "paragraph" | "related">,
  documents: readonly string[],
  count: number,
  random: () => number,
): string[] {
  if (count >= documents.length)
    return Array.from({ length: count }, (_, i) => documents[i % documents.length]!);
  const wanted = count - 1;
  if (wanted <= related.length) return [paragraph, ...shuffled(related, random).slice(0, wanted)];
  const own = new Set([paragraph, ...related]);
  const rest = shuffled(
    documents.filter((document) => !own.has(document)),
    random,
  );
  return [paragraph, ...related, ...rest.slice(0, wanted - related.length)];
}
