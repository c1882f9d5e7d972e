/** @file One stored fact made anew: with another value, at another layer, or simply once more. */

import { assert } from "../lib/assert.ts";
import { encodeFacts } from "../memory/encode.ts";
import { isBetter } from "../memory/fidelity.ts";
import { keyText, type Fact } from "../records/fact.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import {
  wholeReport,
  type Memory,
  type MemoryEntry,
  type RoutingDocument,
  type RoutingFact,
} from "../records/memory.ts";
import { factText, storedEmbedding } from "../router/documents.ts";
import { termHasher, withoutWords } from "../router/wordless.ts";
import { withCentres } from "./centres.ts";
import type { FlowContext } from "./context.ts";
import { checkFits } from "./extend.ts";
import { factOf } from "./facts.ts";
import { checkedLayers } from "./probe.ts";
import { keepingKeys, loadedWithKeys } from "./recomputedKeys.ts";
import { fitting, withQuestions } from "./stages.ts";
import { asking, isJudged, judgedAnew, layersOf, renewedFacts } from "./readBack.ts";
import { asKept, sayFacts, textsOf } from "./wordless.ts";

export interface FactChange {
  readonly value?: string;
  readonly layer?: LayerIndex;
}

/**
 * Encodes fact `id` of `memory` again and replaces its entry, and with a new value also its questions and routing
 * vectors, in one call of the store. Its key κ, its offset and every other fact stay as they are, but for what the soft
 * read says of them, where the memory is read so. Where value and layer are the same and what is stored is better, that
 * stays, and the store is unchanged.
 * @returns the memory as it is stored, and the entries as they were encoded now, stored or not
 * @throws when the fact is not stored, the value is blank or does not fit the model's window, the layer cannot store
 * facts, or the memory keeps no words and what its vectors say is not exact, and Cancelled; the store is unchanged then
 */
export async function reencode(
  given: FlowContext,
  open: Memory,
  id: FactId,
  change: FactChange,
): Promise<{ memory: Memory; entries: readonly MemoryEntry[] }> {
  const context = keepingKeys(given, open.params.keys);
  const { engine, store, params, signal, onProgress } = context;
  checkFits(open, engine);
  const memory = isJudged(open) ? await loadedWithKeys(context, open) : open;
  const old = memory.entries.filter((entry) => entry.id === id);
  const document = memory.routing.find(({ facts }) => facts.some((fact) => fact.id === id));
  assert(old.length > 0 && document, () => `flow: fact ${id} is not stored; reload the list`);
  const [layer] = checkedLayers(engine, [change.layer ?? old[0]!.layer]);
  const known = document.facts.find((fact) => fact.id === id)!;
  const stored = known.value ?? (await saidValue(context, old, change.value !== undefined));
  const value = (change.value ?? stored ?? "").toWellFormed().trim();
  const fact = storable(context, factOf(document, { ...known, value }));
  const renewed = fact.value === stored ? null : await renew(context, memory, document, fact);
  const made: MemoryEntry[] = [];
  const planned = [{ fact, layer: layer! }];
  const { centres } = await withCentres(context, memory, planned);
  const encoding = encodeFacts(engine, planned, params, {
    centres,
    ...(change.layer === undefined ? { layers: memory.layers } : {}),
    ...(signal ? { signal } : {}),
    onProgress: ({ done, total, batch, facts, losses }) =>
      onProgress?.({
        stage: "encode",
        done,
        total,
        encode: { layer: layer!, batch, facts, losses, share: 0 },
      }),
  });
  for await (const entries of encoding) made.push(...entries.map((entry) => asKept(memory, entry)));
  const kept = centres ? { centres } : {};
  const changed: Memory = {
    ...memory,
    ...kept,
    entries: memory.entries.flatMap((other) => (other === old[0] ? made : other.id === id ? [] : other)),
    routing: memory.routing.map((other) => (other === document && renewed ? renewed : other)),
  };
  const judged = await judgedAnew(asking(context), memory, changed, layersOf([...old, ...made]));
  const entries = judged.entries.filter((entry) => entry.id === id);
  const stays =
    !renewed && old.every((part) => part.layer === layer) && isBetter(wholeReport(old), wholeReport(entries));
  if (!stays)
    await store.append({
      entries: renewedFacts(memory, judged),
      ...(renewed ? { routing: [renewed] } : {}),
      ...kept,
    });
  onProgress?.({ stage: "encode", done: 1, total: 1 });
  return { memory: stays ? memory : judged, entries };
}

/** The same fact; @throws when its value cannot be stored. */
function storable({ engine, params }: FlowContext, fact: Fact): Fact {
  assert(
    fact.value !== "",
    () => `flow: the new value of "${keyText(fact)}" is blank; delete the fact instead`,
  );
  const [skipped] = fitting(engine, [fact], params).skipped;
  assert(!skipped, () => `flow: the new value of "${keyText(fact)}" cannot be stored: ${skipped?.why}`);
  return fact;
}

/** v of a fact that is not kept in words, as its vectors say it; null where it is inexact and another is `given`. */
async function saidValue(
  { engine, signal }: FlowContext,
  entries: readonly MemoryEntry[],
  given: boolean,
): Promise<string | null> {
  if (wholeReport(entries).exact) return (await sayFacts(engine, entries, signal)).values().next().value!;
  assert(
    given,
    () =>
      `flow: the memory keeps no words, and "${keyText(entries[0]!)}" does not come back exactly, so its value is not ` +
      "known; give the value, or delete the fact",
  );
  return null;
}

/** The routing document with the new value, its questions, and the vectors that they change. */
async function renew(
  context: FlowContext,
  memory: Memory,
  document: RoutingDocument,
  fact: Fact,
): Promise<RoutingDocument> {
  const { engine } = context;
  const [input] = await withQuestions(context, [fact]);
  const { vector: hadVector, ...known } = document.facts.find(({ id }) => id === fact.id)!;
  const plain: RoutingFact = { ...known, value: fact.value, questions: input!.questions };
  const replaced = (by: RoutingFact) => document.facts.map((other) => (other.id === fact.id ? by : other));
  const [text] = await textsOf(engine, memory)([{ ...document, facts: replaced(plain) }]);
  const made = await engine.embed(hadVector ? [text!, factText(plain)] : [text!]);
  const [vector, own] = made.map((one) => storedEmbedding(one, memory.params));
  const kept = memory.salt === undefined ? plain : withoutWords(plain, termHasher(memory.salt));
  return { ...document, facts: replaced(own ? { ...kept, vector: own } : kept), vector: vector! };
}
