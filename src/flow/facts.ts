/** @file The facts of a memory: the routing index has e, ι, j and v, and the id says document and o. */

import type { Fact } from "../records/fact.ts";
import { documentOf, offsetOf, type FactId } from "../records/ids.ts";
import type { EntryMeta, Memory, RoutingDocument } from "../records/memory.ts";

interface Indexed extends Pick<Memory, "routing"> {
  readonly entries: readonly Pick<EntryMeta, "id">[];
}

/** Facts that have an entry and are kept in words, anchor by anchor. */
export const storedFacts = (memory: Indexed): Fact[] => factsWhere(memory, (stored) => stored);

/** Facts that no entry stores, anchor by anchor: an interrupted run left them. */
export const pendingFacts = (memory: Indexed): Fact[] => factsWhere(memory, (stored) => !stored);

function factsWhere({ entries, routing }: Indexed, wanted: (stored: boolean) => boolean): Fact[] {
  const stored = new Set(entries.map(({ id }) => id));
  return routing.flatMap((document) =>
    document.facts.flatMap(({ value, ...fact }) =>
      value !== null && wanted(stored.has(fact.id)) ? [factOf(document, { ...fact, value })] : [],
    ),
  );
}

/** One fact of a routing document. */
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

/** v by id, of every fact that the routing index keeps in words. */
export const valuesOf = ({ routing }: Pick<Memory, "routing">): ReadonlyMap<FactId, string> =>
  new Map(
    routing.flatMap(({ facts }) => facts.flatMap(({ id, value }) => (value === null ? [] : [[id, value]]))),
  );
