/** @file The centres of a memory's keys: a layer gets its own with its first key, and keeps it. */

import type { StoredVectors } from "../memory/address.ts";
import { keyCentres } from "../memory/keyCentres.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { FlowContext } from "./context.ts";

/**
 * `memory` with a centre for each layer that gets its first key by `planned`, where `keyCentre` wants one; the memory
 * itself where there is no such layer. A layer that holds keys stays as it is: they were made with what it has.
 */
export async function withCentres<M extends StoredVectors>(
  { engine, params, signal }: Pick<FlowContext, "engine" | "params" | "signal">,
  memory: M,
  planned: readonly PlannedFact[],
): Promise<M> {
  if (params.keyCentre === "none") return memory;
  const { entries, centres = [] } = memory;
  const settled = new Set([...entries, ...centres].map(({ layer }) => layer));
  const fresh = planned.filter(({ layer }) => !settled.has(layer));
  return fresh.length === 0
    ? memory
    : { ...memory, centres: [...centres, ...(await keyCentres(engine, fresh, signal))] };
}
