/** @file How far a study or a benchmark is, in the cell that runs it. */

import { useRun } from "../../app.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { studyDetail } from "./progressText.ts";

/** `what` is counted: cases, samples. */
export function StudyBar({ cellId, what }: { readonly cellId: string; readonly what: string }) {
  const progress = useRun(cellId)?.progress;
  if (progress?.kind !== "study") return null;
  const { note, done, total } = progress.progress;
  return (
    <Progress
      label={note}
      detail={studyDetail(progress.progress, what)}
      done={done}
      total={total}
      tone="rubric"
    />
  );
}
