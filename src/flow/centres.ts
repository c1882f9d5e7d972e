/** @file The centres of a memory's keys: a layer gets its own with its first key, and keeps it. */

import { keyCentres } from "../memory/keyCentres.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { EntryMeta, Memory } from "../records/memory.ts";
import type { FlowContext } from "./context.ts";

/** What is asked of a memory: at which layers it has keys, and behind which centres. */
interface Layered {
  readonly entries: readonly Pick<EntryMeta, "layer">[];
  readonly centres?: Memory["centres"] | undefined;
}

/**
 * `memory` with a centre for each layer that gets its first key by `planned`, where `keyCentre` wants one; the memory
 * itself where there is no such layer. A layer that holds keys stays as it is: they were made with what it has.
 */
export async function withCentres<M extends Layered>(
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
