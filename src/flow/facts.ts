/** @file The facts of a memory, from its routing index (e, ι, j, v) and their ids (document, o). */

import { factKey, type Fact } from "../records/fact.ts";
import { documentOf, offsetOf, type FactId } from "../records/ids.ts";
import {
  byFact,
  type EntryMeta,
  type Memory,
  type MemoryEntry,
  type RoutingDocument,
} from "../records/memory.ts";

interface Indexed extends Pick<Memory, "routing"> {
  readonly entries: readonly Pick<EntryMeta, "id">[];
}

/** Facts that have an entry and whose words are kept, anchor by anchor. */
export const storedFacts = (memory: Indexed): Fact[] => factsWhere(memory, (stored) => stored);

/** Facts without an entry, anchor by anchor: an interrupted run left them. */
export const pendingFacts = (memory: Indexed): Fact[] => factsWhere(memory, (stored) => !stored);

function factsWhere({ entries, routing }: Indexed, wanted: (stored: boolean) => boolean): Fact[] {
  const stored = new Set(entries.map(({ id }) => id));
  return routing.flatMap((document) =>
    document.facts.flatMap(({ value, ...fact }) =>
      value !== null && wanted(stored.has(fact.id)) ? [factOf(document, { ...fact, value })] : [],
    ),
  );
}

export const factOf = (
  { anchor, order }: Pick<RoutingDocument, "anchor" | "order">,
  { id, index, value }: Pick<Fact, "id" | "index" | "value">,
): Fact => ({
  id,
  documentId: documentOf(id),
  anchor,
  anchorOrder: order,
  index,
  value,
  offset: offsetOf(id),
});

/** v by id, of every fact whose words are kept. */
export const valuesOf = ({ routing }: Pick<Memory, "routing">): ReadonlyMap<FactId, string> =>
  new Map(
    routing.flatMap(({ facts }) => facts.flatMap(({ id, value }) => (value === null ? [] : [[id, value]]))),
  );

/** The first entry of the fact with a key such as "Sandra (1)", in any case. @throws without such a fact, with similar keys */
export function findKey(memory: Memory, key: string): MemoryEntry {
  const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();
  const facts = byFact(memory.entries).map(([first]) => first!);
  const found = facts.find((entry) => plain(factKey(entry)) === plain(key));
  if (found) return found;
  const name = plain(key).replace(/ ?\(?\d*\)?$/, "");
  const likeness = ({ anchor }: MemoryEntry): number => shared(plain(anchor), name);
  const near = facts.toSorted((a, b) => likeness(b) - likeness(a) || a.index - b.index);
  const hint =
    near.length > 0 ? `similar keys: ${near.slice(0, 5).map(factKey).join(", ")}` : "the memory is empty";
  throw new Error(`flow: no fact has the key "${key}"; ${hint}`);
}

function shared(a: string, b: string): number {
  const pairs = (text: string) => new Set(Array.from(text, (_, i) => text.slice(i, i + 2)));
  const [left, right] = [pairs(a), pairs(b)];
  const common = [...left].filter((pair) => right.has(pair)).length;
  return (2 * common) / Math.max(1, left.size + right.size);
}
