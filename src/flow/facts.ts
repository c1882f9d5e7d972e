/** @file The facts of a memory, from its routing index (e, ι, j) and their ids (document, o). */

import type { Fact } from "../records/fact.ts";
import { documentOf, offsetOf } from "../records/ids.ts";
import type { Memory, RoutingDocument } from "../records/memory.ts";

/** Facts without an entry, anchor by anchor: an interrupted run left them. */
export function pendingFacts({ waiting, routing }: Pick<Memory, "routing" | "waiting">): Fact[] {
  if (waiting.length === 0) return [];
  const values = new Map(waiting.map(({ id, value }) => [id, value]));
  return routing.flatMap((document) =>
    document.facts.flatMap((fact) => {
      const value = values.get(fact.id);
      return value === undefined ? [] : factOf(document, { ...fact, value });
    }),
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
