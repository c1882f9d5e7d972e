/** @file Running a probe cell: how well every candidate layer holds facts. */

import { cellOf, putOutput, stamp } from "../core.ts";
import { flowReporter, type RunContext } from "../runs.ts";
import { ensureModel } from "./model.ts";

export async function runProbe(context: RunContext): Promise<void> {
  const { core, cellId, signal, since } = context;
  const { params, layers } = cellOf(core, cellId, "probe").input;
  await ensureModel(context);
  const plan = await core.engine().probe({ params, layers }, { signal, onProgress: flowReporter(context) });
  putOutput<"probe">(core, cellId, () => ({ ...plan, stamp: stamp(core, cellId, since) }));
}
