/** @file The facts of a memory, from its routing index (e, ι, j, v) and their ids (document, o). */

import type { Fact } from "../records/fact.ts";
import { documentOf, offsetOf, type FactId } from "../records/ids.ts";
import type { EntryMeta, Memory, RoutingDocument } from "../records/memory.ts";

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
