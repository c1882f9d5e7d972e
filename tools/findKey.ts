/** @file Facts by the keys that a person types. */

import { factKey } from "../src/records/fact.ts";
import { byFact, type EntryMeta, type Memory } from "../src/records/memory.ts";

/** The first entry of the fact with a key such as "Sandra (1)", in any case. @throws without such a fact, with similar keys */
export function findKey<E extends EntryMeta>(memory: Memory<E>, key: string): E {
  const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();
  const facts = byFact(memory.entries).map(([first]) => first!);
  const found = facts.find((entry) => plain(factKey(entry)) === plain(key));
  if (found) return found;
  const name = plain(key).replace(/ ?\(?\d*\)?$/, "");
  const likeness = ({ anchor }: EntryMeta): number => shared(plain(anchor), name);
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
