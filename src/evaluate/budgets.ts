/** @file The token budgets of methods: those of the paper, scaled down for a smaller window. */

import type { Budgets } from "../records/evaluation.ts";

/** The paper's, section 5.1. */
const PAPER = { context: 4096, sinks: 4, chunk: 384, retrieved: 20, placed: 3 };
/** Share of a window that a context may take: tags, instruction and question need the rest. */
const CONTEXT_SHARE = 0.7;

export function budgetsFor(window: number, answer: number): Budgets {
  const scale = Math.min(1, Math.max(0, CONTEXT_SHARE * window - answer) / PAPER.context);
  const scaled = (tokens: number): number => Math.max(1, Math.floor(scale * tokens));
  return {
    ...PAPER,
    scale,
    context: Math.max(PAPER.sinks + 1, scaled(PAPER.context)),
    chunk: scaled(PAPER.chunk),
    answer,
  };
}

/** How the budgets differ from the paper's, as a sentence; null if they do not. */
export function budgetNote({ scale, context, chunk, placed }: Budgets, window: number): string | null {
  if (scale === 1) return null;
  return (
    `The model's window has ${window} tokens, so every budget is ${(100 * scale).toFixed(1)} % of the paper's: ` +
    `${context} tokens of context in place of ${PAPER.context}, ${placed} chunks of ${chunk} in place of ${PAPER.chunk}.`
  );
}
