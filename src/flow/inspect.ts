/** @file Reads a memory for figures and the inspector; changes nothing. */

import type { Engine } from "../engine/engine.ts";
import { present } from "../lib/assert.ts";
import { promptText, recallPrompt, wholeTokens } from "../memory/parts.ts";
import { tokenTexts, traceLens, traceRecall } from "../memory/read.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, wholeReport, type EntryMeta } from "../records/memory.ts";
import { withVectors, type KeptMemory } from "../records/vectors.ts";
import type { MethodParams } from "../records/params.ts";
import type { LensTrace, PromptTokens, RecallTrace } from "../records/trace.ts";
import { SPARE_TOKENS } from "./readTexts.ts";
import { sayFacts } from "./sayFacts.ts";

/** The stored entries of a fact, in the order of its value. @throws for an unknown fact */
export function entriesOf(memory: Pick<KeptMemory, "entries">, id: FactId): EntryMeta[] {
  const [parts] = byFact(memory.entries.filter((entry) => entry.id === id));
  return present(parts, () => `flow: fact ${id} is not stored; it may have been deleted, reload the list`);
}

/** The recall of a stored fact by both reads; an exact fact is compared with its value. */
export async function traceFact(
  engine: Engine,
  memory: KeptMemory,
  id: FactId,
  params: Pick<MethodParams, "theta" | "beta">,
): Promise<RecallTrace> {
  const parts = await withVectors(memory, entriesOf(memory, id));
  const exact = parts.every(({ report }) => report.exact);
  const value = exact ? (await sayFacts(engine, parts)).get(id)! : null;
  return traceRecall(engine, memory, parts[0]!, params, value);
}

/** The logit lens over the recall of one stored fact; the decoded value counts as right. */
export async function lensFact(engine: Engine, memory: KeptMemory, id: FactId): Promise<LensTrace> {
  const parts = await withVectors(memory, entriesOf(memory, id));
  const value = (await sayFacts(engine, parts)).get(id)!;
  return traceLens(engine, parts[0]!, value);
}

/** ρ(κ) of a stored fact, and the number of tokens of `value`, or of the fact, after it. @throws if the fact is not stored */
export function promptOf(
  engine: Engine,
  memory: KeptMemory,
  id: FactId,
  value: string | null = null,
): PromptTokens {
  const parts = entriesOf(memory, id);
  const entry = parts[0]!;
  const prompt = recallPrompt(engine, entry);
  return {
    text: promptText(entry),
    tokens: tokenTexts(engine, prompt.ids),
    keyPosition: prompt.keyPosition,
    valueTokens:
      value === null
        ? wholeReport(parts).tokens
        : value === ""
          ? 0
          : wholeTokens(engine, entry, value, memory.params.spelling === "codes").length,
    room: engine.model.window - prompt.ids.length - SPARE_TOKENS,
  };
}
