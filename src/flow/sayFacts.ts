/** @file Facts decoded from their vectors: a memory keeps no words. */

import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { ruleQuestions } from "../extract/questions.ts";
import { textOf } from "../memory/codes.ts";
import { isCoded, sayAlone } from "../memory/parts.ts";
import type { Fact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, type EntryMeta } from "../records/memory.ts";
import { withNonce } from "../records/proof.ts";
import { withVectors, type EntryVectors, type KeptMemory } from "../records/vectors.ts";
import { anchorText, type TextsOf } from "../router/documents.ts";
import { factOf } from "./facts.ts";

/** An entry as it is stored: without the decoded text of an inexact part, which is nearly the value. */
export function withoutRecalled<E extends Pick<EntryMeta, "report">>(entry: E): E {
  const { recalled, soft } = entry.report;
  if (recalled === null && !soft?.recalled) return entry;
  const report = { ...entry.report, recalled: null, ...(soft && { soft: { ...soft, recalled: null } }) };
  return { ...entry, report };
}

/** A new entry as it is stored. */
export const asStored = <E extends EntryMeta>(entry: E): E => withNonce(withoutRecalled(entry));

/** The text that each fact's own vectors decode to, parts joined; the value itself if all of them are exact. */
export async function sayFacts(
  engine: Engine,
  entries: readonly EntryVectors[],
  signal?: AbortSignal,
): Promise<Map<FactId, string>> {
  const facts = byFact(entries);
  const decoded = await sayAlone(engine, facts.flat(), signal);
  let at = 0;
  return new Map(
    facts.map((parts) => {
      const tokens = decoded.slice(at, (at += parts.length)).flat();
      return [parts[0]!.id, textOf(engine, tokens, isCoded(parts)).trim()];
    }),
  );
}

/** The texts that anchors are found by: values are decoded, or known if they wait; questions are made by rules. */
export const textsOf =
  (engine: Engine, kept: KeptMemory, known: ReadonlyMap<FactId, string> = new Map()): TextsOf =>
  async (documents) => {
    const values = new Map([...kept.waiting.map(({ id, value }) => [id, value] as const), ...known]);
    const unknown = new Set(
      documents.flatMap(({ facts }) => facts.flatMap(({ id }) => (values.has(id) ? [] : id))),
    );
    const own = kept.entries.filter(({ id }) => unknown.has(id));
    for (const [id, text] of await sayFacts(engine, await withVectors(kept, own))) values.set(id, text);
    return documents.map((document) => {
      const inputs = document.facts.map((fact) => {
        const value = values.get(fact.id) ?? "";
        const questions = ruleQuestions(value, document.anchor, kept.params.questionsPerFact);
        return { fact: factOf(document, { ...fact, value }), questions };
      });
      return anchorText({ anchor: document.anchor, inputs });
    });
  };

/** The stored facts with the words that their vectors say, anchor by anchor. @throws Cancelled */
export async function saidFacts(
  engine: Engine,
  memory: KeptMemory,
  signal?: AbortSignal,
  onSaid?: (done: number, total: number) => void,
): Promise<Fact[]> {
  const said = new Map<FactId, string>();
  const facts = byFact(memory.entries);
  for (const some of chunks(facts, SAID_AT_ONCE)) {
    throwIfCancelled(signal, "flow: reading facts back");
    const own = await withVectors(memory, some.flat());
    for (const [id, value] of await sayFacts(engine, own, signal)) said.set(id, value);
    onSaid?.(said.size, facts.length);
  }
  return memory.routing.flatMap((document) =>
    document.facts.flatMap((fact) => {
      const value = said.get(fact.id);
      return value ? factOf(document, { ...fact, value }) : [];
    }),
  );
}

const SAID_AT_ONCE = 256;
