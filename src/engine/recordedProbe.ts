/** @file What was probed of a model when it was made, as a file of its folder. */

import * as v from "valibot";
import type { RecordedProbe } from "../records/plan.ts";
import { recordedProbe } from "../records/probeShapes.ts";
import { readJson, type ModelFiles } from "../weights/modelFiles.ts";

export const RECORDED_PROBE = "probe.json";

/** Null where the folder lists no such file. One that cannot be read is as good as none: the model is probed then. */
export async function readRecordedProbe(files: ModelFiles): Promise<RecordedProbe | null> {
  if (!files.names.includes(RECORDED_PROBE)) return null;
  const found = await readJson(files, RECORDED_PROBE).catch(() => undefined);
  const read = v.safeParse(recordedProbe, found);
  return read.success ? read.output : null;
}
