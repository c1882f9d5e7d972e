/** @file Facts decoded from their vectors: a memory keeps no words. Verdicts of the soft read, which mixes all vectors of a layer: only a recall shows whether a part is exact. */

import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled, present } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { ruleQuestions } from "../extract/questions.ts";
import { textOf } from "../memory/codes.ts";
import { isCoded, sayAlone, shareOf, wholeTokens } from "../memory/parts.ts";
import type { Fact } from "../records/fact.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import {
  byFact,
  type EntryMeta,
  asTop1,
  type Memory,
  type MemoryEntry,
  type ReadVerdict,
} from "../records/memory.ts";
import { withNonce } from "../records/proof.ts";
import {
  withVectors,
  type EntryVectors,
  type KeptMemory,
  outlineOf,
  withResiduals,
} from "../records/vectors.ts";
import { anchorText, type TextsOf } from "../router/documents.ts";
import { factOf } from "./facts.ts";
import { sameTokens, tokenF1 } from "../memory/fidelity.ts";
import { keptVectors, type KeptVectors } from "../memory/layers.ts";
import { openReader, type ReadParams } from "../memory/read.ts";
import type { FlowContext } from "./context.ts";

/** An entry as it is stored: without the decoded text of an inexact part, which is nearly the value. */
export function withoutRecalled<E extends Pick<EntryMeta, "report">>(entry: E): E {
  const { recalled, soft } = entry.report;
  if (recalled === null && !soft?.recalled) return entry;
  const report = { ...entry.report, recalled: null, ...(soft && { soft: { ...soft, recalled: null } }) };
  return { ...entry, report };
}

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

interface Asking extends Pick<FlowContext, "engine" | "signal"> {
  readonly onAsked?: (done: number, total: number) => void;
}

/** The stored memory with the verdict of the soft read for every fact; `values` are known words. It reads whole layers. */
export async function readBack(
  context: FlowContext,
  values: ReadonlyMap<FactId, string>,
): Promise<Memory<EntryMeta>> {
  const open = present(await context.store.open(), () => GONE);
  const { params } = context;
  return { ...outlineOf(open), entries: await softVerdicts(asking(context), open, params, { values }) };
}

export const topOne = (memory: Memory<EntryMeta>): Memory<EntryMeta> =>
  isJudged(memory) ? { ...memory, entries: memory.entries.map(asTop1) } : memory;

export const asking = ({ engine, signal, onProgress }: FlowContext): Asking => ({
  engine,
  signal,
  onAsked: (done, total) => onProgress?.({ stage: "readBack", done, total }),
});

/** The entries of `changed` with new verdicts of the soft read at `layers`; null if it has no verdicts. @throws Cancelled */
export const judgedAgain = async (
  given: Asking,
  changed: KeptMemory,
  layers: ReadonlySet<LayerIndex>,
): Promise<readonly EntryMeta[] | null> =>
  isJudged(changed) ? softVerdicts(given, changed, changed.params, { layers }) : null;

export const layersOf = (entries: readonly Pick<MemoryEntry, "layer">[]): Set<LayerIndex> =>
  new Set(entries.map(({ layer }) => layer));

const isJudged = ({ entries }: { readonly entries: readonly Pick<EntryMeta, "report">[] }): boolean =>
  entries.some(({ report }) => report.soft);

export const GONE = "flow: this memory is empty now; reload the list";

const JUDGED_TOGETHER = 64;

/**
 * The entries of `memory` with their verdicts of the soft read at β and θ, at all or some `layers`. Without known
 * words, a part is compared with the output of its vector alone, and is exact only if that is. @throws Cancelled
 */
export async function softVerdicts<E extends EntryMeta>(
  { engine, signal, onAsked }: Asking,
  memory: Memory<E> & (Memory | KeptMemory),
  params: Omit<ReadParams, "read">,
  {
    layers,
    values = new Map(),
  }: { readonly layers?: ReadonlySet<LayerIndex>; readonly values?: ReadonlyMap<FactId, string> } = {},
): Promise<E[]> {
  const kept = keptVectors(memory);
  const entries: readonly E[] = memory.entries;
  const facts = byFact<EntryMeta>(layers ? entries.filter(({ layer }) => layers.has(layer)) : entries);
  const verdicts = new Map<EntryMeta, ReadVerdict>();
  const reader = openReader(engine, kept, { ...params, read: "soft" });
  let done = 0;
  try {
    for (const some of chunks(facts, JUDGED_TOGETHER)) {
      const targets = await targetsOf(engine, kept, some, values);
      for (const parts of some) {
        throwIfCancelled(signal, "memory: reading back");
        const [said] = await reader.recall([parts]);
        for (const entry of parts) {
          const { tokens } = said!.parts?.find(({ part }) => part === entry.part) ?? said!;
          const same = sameTokens(tokens, targets.get(entry)!);
          const exact = same && (values.has(entry.id) || entry.report.exact);
          const recalled = exact ? null : textOf(engine, tokens, isCoded(parts)).trim();
          const fidelity = same && !exact ? entry.report.fidelity : tokenF1(tokens, targets.get(entry)!);
          verdicts.set(entry, { exact, fidelity, recalled });
        }
        onAsked?.(++done, facts.length);
      }
    }
  } finally {
    reader.dispose();
  }
  return entries.map((entry) => {
    const soft = verdicts.get(entry);
    return withoutRecalled(soft ? { ...entry, report: { ...entry.report, soft } } : entry);
  });
}

/** The tokens that parts should give: their share of the value's tokens, or the tokens that their own residual decodes to. */
async function targetsOf(
  engine: Engine,
  { blocks }: KeptVectors,
  facts: readonly EntryMeta[][],
  values: ReadonlyMap<FactId, string>,
): Promise<ReadonlyMap<EntryMeta, readonly number[]>> {
  const targets = new Map<EntryMeta, readonly number[]>();
  for (const parts of facts) {
    const value = values.get(parts[0]!.id);
    if (value === undefined) continue;
    const whole = wholeTokens(engine, parts[0]!, value, isCoded(parts));
    for (const part of parts) targets.set(part, shareOf(engine, whole, part));
  }
  const silent = facts.flat().filter((part) => !targets.has(part));
  const said = await sayAlone(engine, await withResiduals({ blocks, model: engine.model }, silent));
  for (const [i, part] of silent.entries()) targets.set(part, said[i]!);
  return targets;
}
