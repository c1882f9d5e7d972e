/** @file Encoding one stored fact again: with another value, at another layer, or as it is. */

import { assert } from "../lib/assert.ts";
import type { EncodeProgress } from "../memory/encode.ts";
import { isBetter } from "../memory/fidelity.ts";
import { keyText, type Fact } from "../records/fact.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import {
  wholeReport,
  type EntryMeta,
  type Memory,
  type MemoryEntry,
  type RoutingDocument,
  type RoutingFact,
  haveVectors,
} from "../records/memory.ts";
import { keptMemory, keptWithout, loadedBlocks, withVectors, type KeptMemory } from "../records/vectors.ts";
import { factHasher, inputText, storedEmbedding } from "../router/documents.ts";
import { withKeyCentres } from "./keyCentres.ts";
import type { FlowContext } from "./context.ts";
import { checkFits } from "./extend.ts";
import { factOf } from "./facts.ts";
import { checkedLayers, encodeAll } from "./layerProbe.ts";
import { fitting, withQuestions } from "./stages.ts";
import { asking, judgedAgain, judgedWhole, layersOf, renewedFacts, type Changed } from "./readBack.ts";
import { isValue } from "../records/digest.ts";
import { sayFacts, textsOf, asStored } from "./sayFacts.ts";

export interface FactChange {
  readonly value?: string;
  readonly layer?: LayerIndex;
}

interface Reencoded<M> {
  readonly memory: M;
  readonly entries: readonly MemoryEntry[];
}

/**
 * Encodes fact `id` again and replaces its entries, and with a new value its questions and routing vectors, in one call of the
 * store, which stays unchanged if value and layer are the same and the stored entries better. @returns the memory as it is
 * stored, and the new entries @throws if the fact is not stored, the value is blank, unknown or does not fit the model's window,
 * or the layer cannot store facts, and Cancelled; the store is unchanged then
 */
export async function reencode<M extends Memory | KeptMemory>(
  context: FlowContext,
  open: M,
  id: FactId,
  change: FactChange,
): Promise<Reencoded<Changed<M>>> {
  const { engine, store, params, signal, onProgress } = context;
  checkFits(open, engine);
  const memory = await judgedWhole(store, open);
  const old = memory.entries.filter((entry: EntryMeta) => entry.id === id);
  const document = memory.routing.find(({ facts }) => facts.some((fact) => fact.id === id));
  assert(old.length > 0 && document, () => `flow: fact ${id} is not stored; reload the list`);
  const [layer] = checkedLayers(engine, [change.layer ?? old[0]!.layer]);
  const known = document.facts.find((fact) => fact.id === id)!;
  const given = change.value ?? (await saidValue(context, memory, old, known));
  const value = given.toWellFormed().trim();
  const fact = storable(context, factOf(document, { ...known, value }));
  const renewed = isValue(value, known, memory.salts) ? null : await renew(context, memory, document, fact);
  const planned = { fact, layer: layer! };
  const { entries, centres: before } = memory;
  const { centres } = await withKeyCentres(context, { entries, centres: before }, [planned]);
  const report = ({ done, total, layer, batch, facts, losses }: EncodeProgress): void =>
    onProgress?.({ stage: "encode", done, total, encode: { layer, batch, facts, losses, share: 0 } });
  const options = { centres, signal, onProgress: report };
  const made = (await encodeAll(engine, [planned], params, options)).map(asStored);
  const kept = centres ? { centres } : {};
  const routing = memory.routing.map((other) => (other === document && renewed ? renewed : other));
  const changed = await withFact(context, { ...memory, ...kept, routing }, memory, made);
  const stays =
    !renewed &&
    old.every((part) => part.layer === layer) &&
    isBetter(wholeReport(old), wholeReport(changed.entries));
  const routed = renewed ? { routing: [renewed] } : {};
  if (!stays) await store.append({ entries: changed.renewed, ...routed, ...kept });
  onProgress?.({ stage: "encode", done: 1, total: 1 });
  return { memory: (stays ? memory : changed.memory) as Changed<M>, entries: changed.entries };
}

/** The memory with the new entries of the fact, and all facts whose verdicts of the soft read changed. */
async function withFact(
  context: FlowContext,
  changed: Memory | KeptMemory,
  before: Memory | KeptMemory,
  made: readonly MemoryEntry[],
): Promise<Reencoded<Memory | KeptMemory> & { readonly renewed: readonly MemoryEntry[] }> {
  const { id } = made[0]!;
  if ("blocks" in changed || "blocks" in before) {
    const kept = keptMemory(changed);
    const blocks = [...keptWithout(kept, new Set([id])).blocks, ...loadedBlocks(made)];
    const memory = { ...kept, blocks, entries: replaced<EntryMeta>(kept.entries, made) };
    return { memory, entries: made, renewed: made };
  }
  const old = before.entries.filter((entry) => entry.id === id);
  const whole = { ...changed, entries: replaced(changed.entries, made) };
  const judged = await judgedAgain(asking(context), before, whole, layersOf([...old, ...made]));
  const entries = judged.entries.filter((entry) => entry.id === id);
  return { memory: judged, entries, renewed: renewedFacts(before, judged) };
}

/** `entries` with the new ones of a fact in the place of its first. */
function replaced<E extends EntryMeta>(entries: readonly E[], made: readonly E[]): E[] {
  const { id } = made[0]!;
  const first = entries.find((entry) => entry.id === id);
  return entries.flatMap((other) => (other === first ? made : other.id === id ? [] : other));
}

function storable({ engine, params }: FlowContext, fact: Fact): Fact {
  assert(
    fact.value !== "",
    () => `flow: the new value of "${keyText(fact)}" is blank; delete the fact instead`,
  );
  const [skipped] = fitting(engine, [fact], params).skipped;
  assert(!skipped, () => `flow: the new value of "${keyText(fact)}" cannot be stored: ${skipped?.why}`);
  return fact;
}

/** v, decoded from the vectors of a fact. @throws if it is not v by its digest */
async function saidValue(
  { engine, signal }: FlowContext,
  memory: Memory | KeptMemory,
  entries: readonly EntryMeta[],
  fact: RoutingFact,
): Promise<string> {
  const own = await withVectors(keptMemory(memory), entries);
  const said = (await sayFacts(engine, own, signal)).get(fact.id)!;
  assert(
    isValue(said, fact, memory.salts),
    () =>
      `flow: "${keyText(entries[0]!)}" does not come back exactly, and no sentence is stored, so its value is not known; ` +
      "give the value, or delete the fact",
  );
  return said;
}

async function renew(
  context: FlowContext,
  memory: Memory | KeptMemory,
  document: RoutingDocument,
  fact: Fact,
): Promise<RoutingDocument> {
  const { engine } = context;
  const [input] = await withQuestions(context, [fact]);
  const had = document.facts.find(({ id }) => id === fact.id)!.vector;
  const made = async (): Promise<Float32Array[]> => {
    const known = new Map([[fact.id, fact.value]]);
    const [text] = await textsOf(engine, memory, known)([document]);
    return engine.embed(had ? [text!, inputText(input!)] : [text!]);
  };
  const vectors = haveVectors([document]) ? await made() : [document.vector];
  const [vector, own] = vectors.map((one) => storedEmbedding(one, memory.params));
  const hashed = factHasher(memory.salts[0]!)(input!);
  const renewed: RoutingFact = own ? { ...hashed, vector: own } : hashed;
  const facts = document.facts.map((other) => (other.id === fact.id ? renewed : other));
  return { ...document, facts, vector: vector! };
}
