/** @file The progress of a running cell: announced at intervals, and drawn as one line. */

import { useEffect, useState } from "react";
import type { LoadProgress } from "../../../records/model.ts";
import type { Cell, CellKind } from "../../../records/notebook.ts";
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
  const line = isBegun(run) && run.progress && lineOf(run.progress, cell.kind);
  return (
    <>
      <div className="visually-hidden" aria-live="polite">
        {said}
      </div>
      {line && (
        <Text as="div" below={3}>
          {line}
        </Text>
      )}
    </>
  );
}

/** The line of a run whose cell draws none itself. */
function lineOf(progress: RunProgress, kind: CellKind) {
  if (progress.kind === "load" && kind !== "model") return <LoadLine load={progress.load} />;
  if (progress.kind === "note") return <Progress label={progress.note} done={0} total={null} />;
  if (progress.kind === "count") {
    const { note, done, total } = progress;
    return <Progress label={note} detail={`${count(done)} of ${count(total)}`} {...{ done, total }} />;
  }
  if (progress.kind !== "study") return null;
  const { note, done, total } = progress.progress;
  const detail = studyDetail(progress.progress, kind === "benchmark" ? "samples" : "cases");
  return <Progress label={note} detail={detail} {...{ done, total }} tone="rubric" />;
}

/** One line about a model that is being opened; `left` adds to its numbers. */
export function LoadLine({ load, left = "" }: { readonly load: LoadProgress; readonly left?: string }) {
  const { stage, done, total } = load;
  const counted = (stage === "download" || stage === "weights") && total > 0;
  return (
    <Progress
      label={LOAD_STAGES[stage]}
      detail={counted ? `${bytes(done)} of ${bytes(total)}${left}` : undefined}
      done={done}
      total={total > 0 ? total : null}
    />
  );
}
