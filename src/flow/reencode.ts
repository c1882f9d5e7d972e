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
import { partName } from "../records/updatedEntries.ts";
import { outlineOf, withVectors, type KeptMemory } from "../records/vectors.ts";
import { withMoved } from "./closeGaps.ts";
import { factHasher, inputText, meaningsFor, storedEmbedding } from "../router/documents.ts";
import { withKeyCentres } from "./keyCentres.ts";
import type { FlowContext } from "./context.ts";
import { checkFits } from "./extend.ts";
import { factOf } from "./facts.ts";
import { checkedLayers, encodeAll } from "./layerProbe.ts";
import { fitting, withQuestions } from "./readTexts.ts";
import { isValue } from "../records/digest.ts";
import { sayFacts, textsOf, asStored, asking, judgedAgain, layersOf } from "./sayFacts.ts";
import { storeVerdicts } from "./storeMemory.ts";

export interface FactChange {
  readonly value?: string;
  readonly layer?: LayerIndex;
}

/**
 * Encodes fact `id` again and replaces its entries, and with a new value its questions and routing vectors, in one call of the
 * store, which stays unchanged if value and layer are the same and the stored entries better. @returns the outline of the memory
 * as it is stored, and the new entries @throws if the fact is not stored, the value is blank, unknown or does not fit the model's window,
 * or the layer cannot store facts, and Cancelled; the store is unchanged then
 */
export async function reencode(
  context: FlowContext,
  memory: KeptMemory,
  id: FactId,
  change: FactChange,
): Promise<{ readonly memory: Memory<EntryMeta>; readonly entries: readonly MemoryEntry[] }> {
  const { engine, store, params, signal, onProgress } = context;
  checkFits(memory, engine);
  const old = memory.entries.filter((entry) => entry.id === id);
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
  const changed = withMoved({ ...memory, ...kept, routing }, made);
  const judged = await judgedAgain(asking(context), changed, layersOf([...old, ...made]));
  const verdicts = new Map(judged?.map((entry) => [partName(entry), entry.report.soft]));
  const renewedEntries = made.map((entry): MemoryEntry => {
    const soft = verdicts.get(partName(entry));
    return soft ? { ...entry, report: { ...entry.report, soft } } : entry;
  });
  const stays =
    !renewed &&
    old.every((part) => part.layer === layer) &&
    isBetter(wholeReport(old), wholeReport(renewedEntries));
  const routed = renewed ? { routing: [renewed] } : {};
  if (!stays) await store.append({ entries: renewedEntries, ...routed, ...kept });
  // The soft read mixes the vectors of a layer, so a new one changes the verdicts of others.
  if (!stays && judged) await storeVerdicts(store, judged);
  onProgress?.({ stage: "encode", done: 1, total: 1 });
  return { memory: outlineOf(stays ? memory : changed), entries: renewedEntries };
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
  memory: KeptMemory,
  entries: readonly EntryMeta[],
  fact: RoutingFact,
): Promise<string> {
  const own = await withVectors(memory, entries);
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
  memory: KeptMemory,
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
  const hashed = factHasher(memory.salts[0]!, await meaningsFor(memory.params))(input!);
  const renewed: RoutingFact = own ? { ...hashed, vector: own } : hashed;
  const facts = document.facts.map((other) => (other.id === fact.id ? renewed : other));
  return { ...document, facts, vector: vector! };
}
