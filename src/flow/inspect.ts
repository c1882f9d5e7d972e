/** @file Reads a memory for figures and the inspector; changes nothing. */

import { concat, rawBytes } from "../lib/bytes.ts";
import type { Engine } from "../engine/engine.ts";
import { assert, present } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import { encodeHeader } from "../lib/safetensors.ts";
import { promptText, recallPrompt } from "../memory/prompt.ts";
import { openReader } from "../memory/read.ts";
import { isCoded, wholeTokens } from "../memory/stored.ts";
import { tokenTexts, traceLens, traceRecall } from "../memory/trace.ts";
import { keyText } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, ownRead, wholeReport, type EntryMeta, type Memory } from "../records/memory.ts";
import { keptMemory, withVectors, type EntryVectors, type KeptMemory } from "../records/vectors.ts";
import type { MethodParams } from "../records/params.ts";
import type { LensTrace, PromptTokens, RecallTrace, TokenPair } from "../records/trace.ts";
import { SPARE_TOKENS } from "./stages.ts";
import { valuesOf } from "./facts.ts";
import { sayFacts } from "./wordless.ts";

/** The stored entries of a fact, in the order of its value. @throws for an unknown fact */
export function entriesOf<E extends EntryMeta>(memory: { readonly entries: readonly E[] }, id: FactId): E[] {
  const [parts] = byFact(memory.entries.filter((entry) => entry.id === id));
  return present(parts, () => `flow: fact ${id} is not stored; it may have been deleted, reload the list`);
}

/** v in the routing index; null if it keeps no words. */
export const valueOf = ({ routing }: Pick<Memory, "routing">, id: FactId): string | null =>
  routing.flatMap(({ facts }) => facts).find((fact) => fact.id === id)?.value ?? null;

export function traceFact(
  engine: Engine,
  memory: Memory | KeptMemory,
  id: FactId,
  params: Pick<MethodParams, "theta" | "beta">,
): Promise<RecallTrace> {
  const [first] = entriesOf<EntryMeta>(memory, id);
  return traceRecall(engine, keptMemory(memory), first!, params, valueOf(memory, id));
}

/** The logit lens over the recall of one stored fact; if the memory keeps no words, the decoded value counts as right. */
export async function lensFact(engine: Engine, memory: Memory | KeptMemory, id: FactId): Promise<LensTrace> {
  const parts = await withVectors(keptMemory(memory), entriesOf<EntryMeta>(memory, id));
  const value = valueOf(memory, id) ?? (await sayFacts(engine, parts)).get(id)!;
  return traceLens(engine, parts[0]!, value);
}

/** ρ(κ) of a stored fact, and the number of tokens of `value` after it. @throws if the fact is not stored */
export function promptOf(
  engine: Engine,
  memory: Memory | KeptMemory,
  id: FactId,
  value = valueOf(memory, id),
): PromptTokens {
  const parts = entriesOf<EntryMeta>(memory, id);
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

/** Stored values and their recall, token by token, in the order of `ids`. Facts without words are left out. */
export async function tokenPairs(
  engine: Engine,
  memory: Memory | KeptMemory,
  ids: readonly FactId[] = inexactOf(memory.entries),
  params: Pick<MethodParams, "read" | "theta" | "beta"> = memory.params,
): Promise<TokenPair[]> {
  const known = valuesOf(memory);
  const entries = groupBy<EntryMeta, FactId>(memory.entries, ({ id }) => id);
  const asked = ids.flatMap((id) => {
    const [parts, value] = [entries.get(id), known.get(id)];
    return parts && value !== undefined ? [{ entry: { ...parts[0]!, part: 1 }, parts, value }] : [];
  });
  const reader = openReader(engine, memory, params);
  try {
    const recalled = await reader.recall(asked.map(({ parts }) => parts));
    return asked.map(({ entry, parts, value }, i) => {
      const prompt = recallPrompt(engine, entry);
      const texts = (tokens: readonly number[]) =>
        tokenTexts(engine, tokens, prompt.ids).map(({ text }) => text);
      const stored = texts(wholeTokens(engine, entry, value, isCoded(parts)));
      return { id: entry.id, key: keyText(entry), value: stored, recalled: texts(recalled[i]!.tokens) };
    });
  } finally {
    reader.dispose();
  }
}

const inexactOf = (entries: readonly EntryMeta[]): FactId[] => [
  ...new Set(entries.filter(({ report }) => !ownRead(report).exact).map(({ id }) => id)),
];

/** Key and residual of facts as one safetensors file: tensors "{n}.key" and "{n}.residual", named in the metadata. */
export function factsAsSafetensors(
  entries: readonly EntryVectors[],
  memory: Pick<Memory, "model">,
): Uint8Array {
  assert(entries.length > 0, () => "flow: no fact was chosen to be written as safetensors");
  const tensors = entries.flatMap(({ key, residual }, i) => [
    { name: `${i}.key`, data: key },
    { name: `${i}.residual`, data: residual },
  ]);
  const facts = entries.map((entry) => ({ key: keyText(entry), layer: entry.layer, tokens: entry.tokens }));
  const model = `${memory.model.name} ${memory.model.sha256}`;
  const metadata = { model, facts: JSON.stringify(facts) };
  const specs = tensors.map(({ name, data }) => ({ name, dtype: "F32" as const, shape: [data.length] }));
  return concat([encodeHeader(specs, metadata), ...tensors.map(({ data }) => rawBytes(data))]);
}
