/** @file What a run does, in words and as a share: read aloud, in the header and in the tab's title. */

import type { CellRun, RunProgress } from "../../../state/types.ts";
import { count } from "../../format.ts";
import { countText, isDone, leftText, STAGE_NAMES } from "./runView.ts";
import { studyDetail } from "./RunLive.tsx";

export const LOAD_STAGES = {
  download: "Fetching the model",
  "self-test": "Testing the arithmetic of this machine",
  weights: "Loading the weights",
  "warm-up": "Warming up",
  pairs: "Trying the text embedder on made pairs",
} as const;

/** The stage of a run, to tell when another one begins. */
export function stageOf(progress: RunProgress | null): string {
  if (progress?.kind === "load") return progress.load.stage;
  if (progress?.kind === "flow") return progress.stages.at(-1)?.stage ?? "";
  return progress?.kind ?? "";
}

/** E.g. "Encoding facts: 12 of 43 facts, about 20 s left". */
export function spoken({ status, progress }: CellRun): string {
  if (status !== "running") return status;
  if (progress?.kind === "load") return LOAD_STAGES[progress.load.stage];
  if (progress?.kind === "note") return progress.note;
  if (progress?.kind === "count")
    return `${progress.note}: ${count(progress.done)} of ${count(progress.total)}`;
  if (progress?.kind === "flow") {
    const line = progress.stages.at(-1);
    if (line)
      return [`${STAGE_NAMES[line.stage]}: ${countText(line)}`, leftText(line)].filter(Boolean).join(", ");
  }
  if (progress?.kind === "study") return `${progress.progress.note}: ${studyDetail(progress.progress)}`;
  return "running";
}

/** How much of the run is done where that is known, else of its latest stage, from 0 to 1; null where its end is not. */
export function shareDone(progress: RunProgress | null): number | null {
  if (progress?.kind === "load" && progress.load.total > 0) return progress.load.done / progress.load.total;
  if (progress?.kind === "count") return progress.done / progress.total;
  const line = progress?.kind === "flow" ? progress.stages.at(-1) : undefined;
  if (line?.run && line.run.share > 0) return line.run.share;
  if (!line?.total || isDone(line)) return null;
  return line.done / line.total;
}
