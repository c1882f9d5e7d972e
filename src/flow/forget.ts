/** @file Deletion with proof: key, residual, value, questions and vectors go; what stays is shown to be unchanged. */

import type { Engine } from "../engine/engine.ts";
import { assert } from "../lib/assert.ts";
import { sameTokens } from "../memory/fidelity.ts";
import { keyText } from "../memory/prompt.ts";
import { openReader } from "../memory/read.ts";
import type { DeletionCertificate, Reconstruction } from "../records/answer.ts";
import type { FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import { forgetFacts } from "../router/documents.ts";
import type { Store } from "../store/port.ts";

export interface ForgetContext {
  readonly engine: Engine;
  readonly store: Store;
  readonly params: MethodParams;
  /** Retained facts to compare at most, evenly spread; all of them when there are no more. */
  readonly compareAtMost?: number;
}

/**
 * Deletes `ids` from `memory` and from the store in one step, and certifies it: the deleted facts are asked for
 * before and after, and the outputs of retained facts are compared token by token.
 * @throws when an id is not stored; the store is unchanged then
 */
export async function forget(
  { engine, store, params, compareAtMost = DEFAULT_COMPARED }: ForgetContext,
  memory: Memory,
  ids: ReadonlySet<FactId>,
): Promise<{ memory: Memory; certificate: DeletionCertificate }> {
  const deleted = memory.entries.filter(({ id }) => ids.has(id));
  assert(
    deleted.length === ids.size,
    () => `flow: ${ids.size} facts are to be deleted, ${deleted.length} of them are stored; reload the list`,
  );
  const retained = memory.entries.filter(({ id }) => !ids.has(id));
  const compared = spread(retained, compareAtMost);
  const before = await recallFrom(engine, memory.entries, params, [...deleted, ...compared]);
  const routing = await forgetFacts(memory.routing, ids, engine.embed);
  const left: Memory = { ...memory, entries: retained, routing, sources: memory.sources };
  await store.save(left);
  const after = await recallFrom(engine, retained, params, [...deleted, ...compared]);
  const n = deleted.length;
  return {
    memory: left,
    certificate: {
      keys: deleted.map(keyText),
      before: before.slice(0, n).map(({ key, text }) => ({ key, text })),
      after: after.slice(0, n).map(({ key, text, read }) => ({ key, text, gateOpen: read.gateOpen })),
      compared: compared.length,
      changed: compared.filter((_, i) => !sameTokens(before[n + i]!.tokens, after[n + i]!.tokens)).length,
    },
  };
}

/** The paper compares 56; a store of tens of thousands would be recalled for minutes. */
const DEFAULT_COMPARED = 256;

async function recallFrom(
  engine: Engine,
  entries: readonly MemoryEntry[],
  params: MethodParams,
  targets: readonly MemoryEntry[],
): Promise<Reconstruction[]> {
  const reader = openReader(engine, entries, params);
  try {
    return await reader.recall(targets);
  } finally {
    reader.dispose();
  }
}

/** At most `count` items, evenly spread. */
function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!);
}

/**
 * The fact that a key such as "Sandra (1)" names, in any case of letters.
 * @throws when no fact has that key, listing near ones
 */
export function findKey(memory: Memory, key: string): MemoryEntry {
  const same = (entry: MemoryEntry) => keyText(entry).toLowerCase() === key.trim().toLowerCase();
  const found = memory.entries.find(same);
  if (found) return found;
  const word = key.toLowerCase().split(/[\s(]/)[0]!;
  const near = memory.entries.map(keyText).filter((k) => k.toLowerCase().includes(word));
  throw new Error(
    `flow: no fact has the key "${key}"; ${near.length > 0 ? `near it: ${near.slice(0, 5).join(", ")}` : "list the facts to see the keys"}`,
  );
}
