/** @file Running a set of questions: each is asked, and judged against what is expected; what was asked is kept. */

import { assert, present } from "../../lib/assert.ts";
import { readQuestionSet } from "../../notebook/questionSet.ts";
import { withoutRecalled } from "../../notebook/wordlessAnswer.ts";
import { askedOf, headline, shownParts } from "../../records/headline.ts";
import { judge, type StoredSentence } from "../../records/judge.ts";
import type { AskedQuestion, SetQuestion } from "../../records/notebook.ts";
import { cellOf, putOutput, stamp } from "../core.ts";
import type { RunContext } from "../runs.ts";
import { memoryId } from "./memorize.ts";
import { ensureEngine } from "./embedder.ts";

/** Runs a cell remembers: enough to see what a change did. */
const LONGEST_HISTORY = 8;
/** Facts that are said at a time where no words are kept. */
const SAID_AT_ONCE = 24;

/** Asks all questions of the cell; where it is stopped, those that were asked stay. */
export async function runQuestions(context: RunContext): Promise<void> {
  const { core, cellId, signal, report } = context;
  const { text, params } = cellOf(core, cellId, "questions").input;
  const { questions, problem } = readQuestionSet(text);
  assert(problem === null, () => problem ?? "");
  assert(questions.length > 0, () => "There is no question yet. Paste or drop some, and run again.");
  await ensureEngine(context);
  const stored = await storedSentences(context);
  const asked: AskedQuestion[] = [];
  try {
    for (const [done, question] of questions.entries()) {
      signal.throwIfAborted();
      report({ kind: "count", note: question.ask, done, total: questions.length });
      asked.push(await askOne(context, question, stored));
    }
  } finally {
    if (asked.length > 0)
      putOutput<"questions">(core, cellId, ({ output }) => {
        const made = stamp(core, cellId, context.since);
        const run = { questions: asked, settings: params, facts: stored.length, stamp: made };
        return { runs: [run, ...(output?.runs ?? [])].slice(0, LONGEST_HISTORY), stamp: made };
      });
  }
}

async function askOne(
  { core, cellId, signal }: RunContext,
  question: SetQuestion,
  stored: readonly StoredSentence[],
): Promise<AskedQuestion> {
  const { params: settings } = cellOf(core, cellId, "questions").input;
  const answer = await core
    .engine()
    .ask({ memory: memoryId(core, cellId), question: question.ask, settings }, { signal });
  const { answers } = question;
  const { route, recall, answer: answering } = answer.milliseconds;
  return {
    ...question,
    said: askedOf(answer.wordless ? withoutRecalled(answer) : answer).map(headline),
    cited: [...new Set(shownParts(answer).flatMap(({ cited }) => cited))],
    judged: answers && judge(answer, { ...question, answers }, stored),
    milliseconds: Math.round(route + recall + answering),
  };
}

/** The sentences of the memory; where it keeps no words, what the model says of its facts. */
async function storedSentences({
  core,
  cellId,
  signal,
  report,
}: RunContext): Promise<readonly StoredSentence[]> {
  const memory = memoryId(core, cellId);
  const rows = await core.library().facts({ memory });
  const wordless = rows.filter(({ value }) => value === null).map(({ id }) => id);
  const said = new Map(rows.map(({ id, value }) => [id, value ?? ""]));
  for (let done = 0; done < wordless.length; done += SAID_AT_ONCE) {
    signal.throwIfAborted();
    report({ kind: "count", note: "Facts said from their vectors", done, total: wordless.length });
    const ids = wordless.slice(done, done + SAID_AT_ONCE);
    for (const { id, text } of await core.engine().recall({ memory, ids })) said.set(id, text);
  }
  return rows.map(({ id }) => ({
    id,
    value: present(said.get(id), () => `state: the fact ${id} has no row`),
  }));
}
