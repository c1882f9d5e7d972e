/** @file Running an ask cell: the question goes to the memory of the notebook, the answer to the top of its history. */

import { assert } from "../../lib/assert.ts";
import type { Answer } from "../../records/answer.ts";
import { cellOf, putOutput, stamp } from "../core.ts";
import { tell } from "../memory.ts";
import type { RunContext } from "../runs.ts";
import { memoryId } from "./memorize.ts";
import { ensureModel } from "./model.ts";

/** The answer without what was recalled for it: a notebook is no place for words that its memory does not keep. */
const withoutRecalled = (answer: Answer): Answer => ({
  ...answer,
  recalled: answer.recalled.map(({ parts, ...fact }) => ({
    ...fact,
    text: "",
    tokens: [],
    ...(parts && { parts: parts.map((part) => ({ ...part, text: "", tokens: [] })) }),
  })),
});

/** Questions a cell remembers; older ones are let go, so that a notebook file stays readable. */
const LONGEST_HISTORY = 50;

export async function runAsk(context: RunContext): Promise<void> {
  const { core, cellId, signal, since, report } = context;
  const { question, params: settings } = cellOf(core, cellId, "ask").input;
  assert(question.trim() !== "", () => "The question is empty. Write one, and run again.");
  await ensureModel(context);
  const answer = await core.engine().ask(
    { memory: memoryId(core, cellId), question, settings },
    {
      signal,
      onProgress: (text) => report({ kind: "text", text }),
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
