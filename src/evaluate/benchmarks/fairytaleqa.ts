/** @file FairytaleQA: questions of education experts about whole stories, from the validation stories (data/fairytaleqa). */

import { longBenchWords } from "../scores/scorers.ts";
import { type Benchmark, chosen, type MadeCase, type PlannedCase } from "./benchmark.ts";
import { plainTurn } from "./prompts.ts";
import { passagesOf } from "../tokens.ts";

const FILE = "fairytaleqa/val.jsonl.gz";
/** Explicit: the answer is in the text. Implicit: it follows from it. */
const TASKS = ["explicit", "implicit"];
const LENGTH = "story";

interface Story {
  readonly name: string;
  readonly sections: readonly { readonly id: number; readonly text: string }[];
  readonly questions: readonly {
    readonly q: string;
    readonly kind: string;
    readonly sections: readonly number[];
    readonly answers: readonly string[];
  }[];
}

export const fairytaleqa: Benchmark = {
  title: "FairytaleQA",
  about: "Questions of education experts about whole stories (validation stories).",
  tasks: TASKS,
  lengths: [LENGTH],
  async open(options) {
    const { tasks, lengths } = chosen(options, TASKS, LENGTH);
    const stories = (await options.data.text(FILE))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Story);
    // As many questions of each story, one story after the other: its memory is made once.
    const each = Math.ceil(options.samples / stories.length);
    const cases = tasks.flatMap((task) =>
      stories
        .flatMap((story) => questionsOf(story, task).slice(0, each))
        .slice(0, options.samples)
        .map(({ story, asked }, index) => planned(story, asked, { task, index })),
    );
    return {
      tasks,
      lengths,
      cases,
      primary: "rouge-l",
      answerTokens: 32,
      turn: () => plainTurn,
      settings: { stories: `FairytaleQA validation, ${stories.length}` },
    };
  },
};

const questionsOf = (story: Story, task: string) =>
  story.questions.filter(({ kind }) => kind === task).map((asked) => ({ story, asked }));

const planned = (
  { name, sections }: Story,
  { q, sections: cited, answers }: Story["questions"][number],
  at: { readonly task: string; readonly index: number },
): PlannedCase => ({
  place: { benchmark: "fairytaleqa", ...at, length: LENGTH, depth: null },
  make(): MadeCase {
    const text = sections.map((section) => section.text).join("\n\n");
    const needed = sections
      .filter(({ id }) => cited.includes(id))
      .flatMap((section) => passagesOf(section.text));
    const evidence = needed.filter((sentence) => answers.some((answer) => holds(sentence, answer)));
    const open = { labels: null, others: [], oneSuffices: true } as const;
    return { text, question: q, gold: answers, evidence, ...open, cluster: name };
  },
});

const holds = (sentence: string, answer: string): boolean => {
  const [own, wanted] = [longBenchWords(sentence).join(" "), longBenchWords(answer).join(" ")];
  return wanted.length > 2 && ` ${own} `.includes(` ${wanted} `);
};
