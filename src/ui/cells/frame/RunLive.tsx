/** @file The progress of a running cell: announced at intervals, and drawn as one line. */

import { useEffect, useState } from "react";
import type { Cell } from "../../../records/notebook.ts";
import { isBegun } from "../../../state/going.ts";
import type { CellRun, RunProgress } from "../../../state/types.ts";
import { cellTitle } from "../../../notebook/kinds.ts";
import { Progress } from "../../controls/Progress.tsx";
import { useStable } from "../../controls/useAsync.ts";
import { bytes, count } from "../../format.ts";
import { LOAD_STAGES, spoken, stageOf, studyDetail } from "./runView.ts";
import { Text } from "../../controls/layout.tsx";

/** More frequent announcements would be noise. */
const EVERY = 5000;

export function RunLive({ cell, run }: { readonly cell: Cell; readonly run: CellRun | null }) {
  const [said, setSaid] = useState("");
  const message = run ? `${cellTitle(cell)}: ${spoken(run)}` : "";
  const stage = run ? `${run.status} ${stageOf(run.progress)}` : "";
  const say = useStable(() => setSaid(message));
  // A new stage at once, the counters of one stage now and then.
  useEffect(() => say(), [stage, say]);
  const speaks = message !== "";
  useEffect(() => {
    if (!speaks) return;
    const timer = setInterval(say, EVERY);
    return () => clearInterval(timer);
  }, [speaks, say]);
  const progress = isBegun(run) ? run.progress : null;
  return (
    <>
      <div className="visually-hidden" aria-live="polite">
        {said}
      </div>
      {progress?.kind === "load" && cell.kind !== "model" && (
        <Text as="div" below={3}>
          <LoadLine progress={progress} />
        </Text>
      )}
      {progress?.kind === "count" && (
        <Text as="div" below={3}>
          <Progress
            label={progress.note}
            detail={`${count(progress.done)} of ${count(progress.total)}`}
            done={progress.done}
            total={progress.total}
          />
        </Text>
      )}
      {progress?.kind === "study" && (
        <Text as="div" below={3}>
          <Progress
            label={progress.progress.note}
            detail={studyDetail(progress.progress, cell.kind === "benchmark" ? "samples" : "cases")}
            done={progress.progress.done}
            total={progress.progress.total}
            tone="rubric"
          />
        </Text>
      )}
      {progress?.kind === "note" && (
        <Text as="div" below={3}>
          <Progress label={progress.note} done={0} total={null} />
        </Text>
      )}
    </>
  );
}

/** One line about a model that is being opened. */
export function LoadLine({
  progress: { load },
}: {
  readonly progress: Extract<RunProgress, { kind: "load" }>;
}) {
  const counted = load.stage === "download" || load.stage === "weights";
  return (
    <Progress
      label={LOAD_STAGES[load.stage]}
      detail={counted && load.total > 0 ? `${bytes(load.done)} of ${bytes(load.total)}` : undefined}
      done={load.done}
      total={load.total > 0 ? load.total : null}
    />
  );
}
