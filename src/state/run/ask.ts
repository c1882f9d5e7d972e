/** @file Running an ask cell: the question goes to the memory of the notebook, the answer to the top of its history. */

import { assert, present } from "../../lib/assert.ts";
import { cellOf, get, memoryId, putOutput, stamp } from "../core.ts";
import { SAID_AT_ONCE, tell } from "../memory.ts";
import { flowReporter, type RunContext } from "../runs.ts";
import { shownParts, shownText, type Answer } from "../../records/answer.ts";
import { judge, type StoredSentence } from "../../records/judge.ts";
import type { AskedQuestion, SetQuestion } from "../../records/notebook.ts";
import { ensureModel, ensureEngine } from "./model.ts";

/** Questions a cell remembers; older ones are let go, so that a notebook file stays readable. */
const LONGEST_HISTORY = 50;

export async function runAsk(context: RunContext): Promise<void> {
  const { question } = cellOf(context.core, context.cellId, "ask").input;
  assert(question.trim() !== "", () => "The question is empty. Write one, and run again.");
  await ensureEngine(context);
  await askOne(context, question, context.since);
}

/** Asks every question that the cell has answered, in the order in which they were asked, and the one in its box. */
export async function runAskAll(context: RunContext): Promise<void> {
  const { core, cellId } = context;
  const { input, output } = cellOf(core, cellId, "ask");
  const earlier = (output?.history ?? []).map(({ answer }) => answer.question).reverse();
  await ensureEngine(context);
  for (const question of new Set([...earlier.filter((one) => one !== input.question), input.question]))
    if (question.trim() !== "") await askOne(context, question, core.deps.now(), true);
}

const saidOf = (answer: Answer): string[] => answer.asked.map((part) => shownText(part, answer));

/** Asks one question. With `replace` its earlier answers go. */
async function askOne(context: RunContext, question: string, since: number, replace = false): Promise<void> {
  const { core, cellId, signal, report } = context;
  const { params: settings } = cellOf(core, cellId, "ask").input;
  report({ kind: "text", text: "", question });
  const memory = memoryId(core, cellId);
  const answer = await core.engine().ask(
    { memory, question, settings },
    {
      signal,
      onProgress: (progress) => report({ kind: "text", ...progress, question }),
    },
  );
  // The settings of the question can change a sentence. Then it is not what the memory's own settings recall.
  const told = answer.recalled.filter(({ exact }) => exact);
  tell(core, memory, told);
  putOutput<"ask">(core, cellId, ({ output }) => {
    const entry = { answer, stamp: stamp(core, cellId, since) };
    const earlier = (output?.history ?? []).filter(
      (one) => !replace || one.answer.question.trim() !== question.trim(),
    );
    return { history: [entry, ...earlier].slice(0, LONGEST_HISTORY), stamp: entry.stamp };
  });
}

/** Runs a cell remembers: enough to see what a change did. */
const LONGEST_RUN_LIST = 8;

export async function runQuestions(context: RunContext): Promise<void> {
  const { core, cellId, signal, report } = context;
  const { text, params } = cellOf(core, cellId, "questions").input;
  // Brings the reader of tables, which the first load of the page leaves out.
  const { readQuestionSet } = await import("../../notebook/questionSet.ts");
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
      asked.push(await askQuestion(context, question, stored));
    }
  } finally {
    if (asked.length > 0)
      putOutput<"questions">(core, cellId, ({ output }) => {
        const made = stamp(core, cellId, context.since);
        const run = { questions: asked, settings: params, facts: stored.length, stamp: made };
        return { runs: [run, ...(output?.runs ?? [])].slice(0, LONGEST_RUN_LIST), stamp: made };
      });
  }
}

async function askQuestion(
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
    said: saidOf(answer),
    cited: [...new Set(shownParts(answer).flatMap(({ cited }) => cited))],
    judged: answers && judge(answer, { ...question, answers }, stored),
    milliseconds: Math.round(route + recall + answering),
  };
}

async function storedSentences({
  core,
  cellId,
  signal,
  report,
}: RunContext): Promise<readonly StoredSentence[]> {
  const memory = memoryId(core, cellId);
  const rows = await core.library().facts({ memory });
  const { currentId, memory: shown } = get(core);
  const said = new Map(currentId === memory ? shown.said : []);
  const rest = rows.filter(({ id }) => !said.has(id)).map(({ id }) => id);
  for (let done = 0; done < rest.length; done += SAID_AT_ONCE) {
    signal.throwIfAborted();
    report({ kind: "count", note: "Facts read back", done, total: rest.length });
    const ids = rest.slice(done, done + SAID_AT_ONCE);
    const recalled = await core.engine().recall({ memory, ids });
    for (const { id, text } of recalled) said.set(id, text);
    tell(core, memory, recalled);
  }
  return rows.map(({ id }) => ({
    id,
    value: present(said.get(id), () => `state: the fact ${id} has no row`),
  }));
}

export async function runProbe(context: RunContext): Promise<void> {
  const { core, cellId, signal, since } = context;
  const { params, layers } = cellOf(core, cellId, "probe").input;
  await ensureModel(context);
  const plan = await core.engine().probe({ params, layers }, { signal, onProgress: flowReporter(context) });
  putOutput<"probe">(core, cellId, () => ({ ...plan, stamp: stamp(core, cellId, since) }));
}
