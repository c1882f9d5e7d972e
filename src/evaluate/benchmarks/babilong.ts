/**
 * @file BABILong QA1 to QA5, built by its procedure (PROTOCOLS of booydar/babilong@7a6efee): bAbI stories hidden in
 * books. Ours differs in the stories (bAbI's *test* ones, since the bundled model saw the training ones), the books,
 * the sentence splitter, the random generator, and the wording of the prompt.
 */

import { shuffled } from "../../lib/rng.ts";
import type { CasePlace } from "../../records/evaluation.ts";
import type { Turn } from "../methods/method.ts";
import { BABILONG_LABELS } from "../scores/scorers.ts";
import {
  chosen,
  drawing,
  printOf,
  tokensOf,
  type Benchmark,
  type BenchmarkOptions,
  type MadeCase,
  type PlannedCase,
  type UserFile,
} from "./benchmark.ts";
import { babilongTurn } from "./prompts.ts";
import {
  background,
  injected,
  LENGTHS,
  PROMPT_TOKENS,
  readBooks,
  sharedBackgrounds,
  type SharedBackground,
} from "./backgrounds.ts";

const TASKS = Object.keys(BABILONG_LABELS);
/** A text has room for one line of a story in so many tokens. */
const TOKENS_PER_LINE = 8;

interface Story {
  /** Number of the story: most have five questions, each after some more facts. */
  readonly story: number;
  readonly facts: readonly string[];
  readonly question: string;
  readonly answer: string;
  readonly support_pos: readonly number[];
}

export const babilong: Benchmark = {
  title: "BABILong",
  about: "bAbI stories hidden sentence by sentence in novels, and a question about them.",
  tasks: TASKS,
  lengths: LENGTHS,
  async open(options) {
    const { tasks, lengths } = chosen(options, TASKS, "0k");
    const books = await readBooks(options);
    const shared = sharedBackgrounds(books, options);
    const stories = new Map<string, readonly Story[]>();
    for (const task of tasks) stories.set(task, await readStories(options, task));
    return {
      tasks,
      lengths,
      cases: lengths.flatMap((length) =>
        tasks.flatMap((task) =>
          planned({ task, length, stories: stories.get(task)!, books, shared }, options),
        ),
      ),
      primary: "babilong-strict",
      answerTokens: 20,
      turn: (task): Turn => babilongTurn(task),
      settings: {
        stories: "bAbI en-10k test",
        lengthsBy: options.gpt2.name,
        backgrounds: options.backgrounds,
        // Their memories are kept, and each sample adds its story.
        ...(options.backgrounds > 0 && { background: "grown" }),
        books: printOf(books),
      },
    };
  },
};

async function readStories({ data }: BenchmarkOptions, task: string): Promise<Story[]> {
  const lines = await data.text(`babi/samples_${task}_test.jsonl.gz`);
  const asked = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Omit<Story, "story">);
  let story = 0;
  return asked.map((one, i) => {
    const before = asked[i - 1]?.facts ?? one.facts;
    if (before.some((fact, at) => fact !== one.facts[at])) story++;
    return { ...one, story };
  });
}

interface Cell {
  readonly task: string;
  readonly length: string;
  readonly stories: readonly Story[];
  readonly books: readonly UserFile[];
  readonly shared: SharedBackground;
}

/** The samples of one task and length: the first of one order, without stories that are too long for it. */
function planned(cell: Cell, options: BenchmarkOptions): PlannedCase[] {
  const { task, length, stories } = cell;
  const tokens = tokensOf(length, 1000);
  const fits = ({ facts }: Story) => tokens === 0 || facts.length + 1 <= Math.floor(tokens / TOKENS_PER_LINE);
  const usable = shuffled([...stories.keys()], drawing(options.seed, task)).filter((i) => fits(stories[i]!));
  return usable.slice(0, options.samples).map((story, index): PlannedCase => {
    const place: CasePlace = { benchmark: "babilong", task, length, depth: null, index };
    return { place, make: () => made(cell, stories[story]!, index, options) };
  });
}

function made(
  { task, length, books, shared }: Cell,
  { facts, question, answer, support_pos, story }: Story,
  index: number,
  { seed, gpt2, backgrounds }: BenchmarkOptions,
): MadeCase {
  const own = facts.reduce((sum, fact) => sum + gpt2.count(` ${fact}`), 0);
  const room = tokensOf(length, 1000) - PROMPT_TOKENS - own;
  const pieces = backgrounds > 0 && room > 0 ? shared(index % backgrounds, length) : null;
  const isShared = pieces !== null && pieces.texts.length > 0;
  const random = drawing(seed, length, `${task} ${index}`);
  const between = isShared ? pieces.sentences : background(books, room, gpt2, random);
  const labels = BABILONG_LABELS[task]!;
  return {
    text: injected(facts, between, drawing(seed, task, length, index)),
    question,
    gold: [answer],
    evidence: support_pos.map((at) => facts[at]!),
    labels,
    others: sameKind(labels, answer),
    // Questions of one story share its facts in any background.
    cluster: isShared ? `${length} background ${index % backgrounds}` : `${task} story ${story}`,
    ...(isShared && {
      grown: { background: pieces.texts, own: facts.join(" ") },
    }),
  };
}

/** Other answers of the kind: a name for a name, a place or a thing for one. */
function sameKind(labels: readonly string[], answer: string): readonly string[] {
  const isName = (label: string): boolean => /^\p{Lu}/u.test(label);
  return labels.filter((label) => label !== answer && isName(label) === isName(answer));
}
