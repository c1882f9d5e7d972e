/** @file Running an ask cell: the question goes to the memory of the notebook, the answer to the top of its history. */

import { assert } from "../../lib/assert.ts";
import { withoutRecalled } from "../../notebook/wordlessAnswer.ts";
import { cellOf, putOutput, stamp } from "../core.ts";
import { tell } from "../memory.ts";
import type { RunContext } from "../runs.ts";
import { memoryId } from "./memorize.ts";
import { ensureEngine } from "./embedder.ts";

/** Questions a cell remembers; older ones are let go, so that a notebook file stays readable. */
const LONGEST_HISTORY = 50;

/** Asks the question that stands in the cell. */
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
    if (question.trim() !== "") await askOne(context, question, core.deps.now());
}

/** `since`: when this question was begun, milliseconds since 1970. */
async function askOne(context: RunContext, question: string, since: number): Promise<void> {
  const { core, cellId, signal, report } = context;
  const { params: settings } = cellOf(core, cellId, "ask").input;
  report({ kind: "text", text: "", question });
  const answer = await core.engine().ask(
    { memory: memoryId(core, cellId), question, settings },
    {
      signal,
      onProgress: (progress) => report({ kind: "text", ...progress, question }),
    },
  );
  if (answer.wordless) tell(core, answer.recalled);
  putOutput<"ask">(core, cellId, ({ output }) => {
    const entry = {
      answer: answer.wordless ? withoutRecalled(answer) : answer,
      stamp: stamp(core, cellId, since),
    };
    return { history: [entry, ...(output?.history ?? [])].slice(0, LONGEST_HISTORY), stamp: entry.stamp };
  });
}
