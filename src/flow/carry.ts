/** @file Facts that go from one memory to another: the model that wrote them decodes them, and the open one writes them. */

import type { Engine } from "../engine/engine.ts";
import { keyText, type Anchor } from "../records/fact.ts";
import { charOffset, type FactId } from "../records/ids.ts";
import { routingFacts, type SourceInfo } from "../records/memory.ts";
import type { KeptMemory } from "../records/vectors.ts";
import { isValue } from "../records/digest.ts";
import { checkModel } from "./extend.ts";
import { pendingFacts } from "./facts.ts";
import { saidFacts } from "./sayFacts.ts";

/** Facts in words, in place of a text that is read. */
export interface SaidFacts {
  readonly anchors: readonly Anchor[];
  /** Sources that the receiving memory does not list yet. */
  readonly sources: readonly SourceInfo[];
  /** Keys of the facts that their model did not say word for word. Their words are those that it said. */
  readonly inexact: readonly string[];
}

/** The words of `memory`, or of its facts `only`. @throws if `engine` is another model than the memory's, and Cancelled */
export async function sayMemory(
  engine: Engine,
  memory: KeptMemory,
  only?: ReadonlySet<FactId>,
  signal?: AbortSignal,
): Promise<SaidFacts> {
  checkModel(memory, engine);
  const wanted = ({ id }: { readonly id: FactId }): boolean => only?.has(id) ?? true;
  const encoded = await saidFacts(engine, { ...memory, entries: memory.entries.filter(wanted) }, signal);
  const known = routingFacts(memory.routing);
  const inexact = encoded.filter(({ id, value }) => !isValue(value, known.get(id), memory.salts));
  const facts = [...encoded, ...pendingFacts(memory).filter(wanted)].sort(
    (a, b) => a.anchorOrder - b.anchorOrder || a.index - b.index,
  );
  const anchors = facts.map(({ documentId, anchor, value, offset }): Anchor => {
    const end = charOffset(offset + value.length);
    const sentence = { documentId, index: 0, text: value, start: offset, end };
    return { candidate: { sentence, reasons: ["other"] }, text: anchor, source: "rule" };
  });
  return { anchors, sources: only ? [] : memory.sources, inexact: inexact.map(keyText) };
}
