/** @file Test support: changes of a whole memory, with the memory that is stored afterwards. */

import type { FactId } from "../../records/ids.ts";
import type { Memory } from "../../records/memory.ts";
import { keptMemory, type KeptMemory } from "../../records/vectors.ts";
import type { FlowContext } from "../context.ts";
import * as deletion from "../forget.ts";
import * as encoding from "../reencode.ts";

/** As the flow's own. */
export async function forget(
  context: Parameters<typeof deletion.forget>[0],
  memory: Memory | KeptMemory,
  ids: ReadonlySet<FactId>,
) {
  const done = await deletion.forget(context, keptMemory(memory), ids);
  return { ...done, memory: (await context.store.load())! };
}

/** As the flow's own. */
export async function reencode(
  context: FlowContext,
  memory: Memory | KeptMemory,
  id: FactId,
  change: encoding.FactChange,
) {
  const { entries } = await encoding.reencode(context, keptMemory(memory), id, change);
  return { entries, memory: (await context.store.load())! };
}
