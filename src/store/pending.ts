/** @file What an interrupted run left: facts of the routing index that have no entry yet. */

import { entryRows, routingRows } from "./blocks.ts";
import type { Database } from "./database.ts";

/** How many facts of `memory` are still to be encoded; 0 when there is no such memory. No vector is read. */
export function countPending(database: Database, memory: string): Promise<number> {
  return database.read(["entries", "routing"], async (transaction) => {
    const [entries, routing] = await Promise.all([
      entryRows(transaction, memory),
      routingRows(transaction, memory),
    ]);
    const encoded = new Set(entries.flatMap((row) => row.entries.map(({ id }) => id)));
    const routed = routing.flatMap(({ parts }) => parts.flatMap(({ facts }) => facts));
    return routed.filter(({ id }) => !encoded.has(id)).length;
  });
}
