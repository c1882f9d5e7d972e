/**
 * @file The benchmark cell: methods on a benchmark, what they will take, the run as it goes, its table, whose every
 * number opens its samples, its figures and files. A run is kept sample by sample, and goes on where it was stopped.
 */

import { lazy, Suspense } from "react";
import { embedderCellFor } from "../../../notebook/places.ts";
import { isGoing } from "../../../state/going.ts";
import { useActions, useCanWrite, useNotebook, useRun, type CellProps } from "../../app.tsx";
import { counted } from "../../format.ts";
import { metBy } from "../../evaluation/choices.ts";
import { EvaluationView } from "../../evaluation/EvaluationView.tsx";
import { KeptRuns } from "../../evaluation/KeptRuns.tsx";
import { factPace, useEvaluation, usePace } from "../../evaluation/useRuns.ts";
import { sizeText, timeText } from "../../evaluation/workload.ts";
import { Unfinished } from "../frame/Unfinished.tsx";
import { BenchmarkFiles } from "./BenchmarkFiles.tsx";
import { BenchmarkForm } from "./BenchmarkForm.tsx";
import s from "./BenchmarkCell.module.css";

const EvaluationFigures = lazy(() =>
  import("../../evaluation/FiguresOfEvaluation.tsx").then((module) => ({
    default: module.EvaluationFigures,
  })),
);

export function BenchmarkCell({ cell }: CellProps<"benchmark">) {
  const canWrite = useCanWrite();
  const going = isGoing(useRun(cell.id));
  return (
    <div className={s.cell}>
      <BenchmarkForm cell={cell} disabled={!canWrite || going} />
      {!going && <Before cell={cell} />}
      <Results cell={cell} />
      <KeptRuns kind="evaluation" shown={cell.output?.runId} changed={cell.output?.kept} />
    </div>
  );
}

/** What a run would take, or that one was interrupted. */
function Before({ cell }: CellProps<"benchmark">) {
  const notebook = useNotebook();
  const { goOnBenchmark } = useActions();
  const { output, input } = cell;
  const pace = usePace(notebook.id, [output?.runId, output?.kept === output?.planned]);
  const met = metBy(input, embedderCellFor(notebook, cell.id)?.input.embedder);
  const changed = output?.asked && JSON.stringify(output.asked) !== JSON.stringify(input);
  return (
    <>
      {output && output.kept < output.planned && (
        <Unfinished onGoOn={() => void goOnBenchmark(cell.id)}>
          {counted(output.kept, "sample")} of {output.planned} are kept; the rest follows where it stopped
          {changed ? ", and the form says again what the run was begun with." : "."}
        </Unfinished>
      )}
      <p className={s.soft}>
        {sizeText(input, met)} {timeText(input, { pace, perFact: factPace(notebook) }, met)}
      </p>
    </>
  );
}

function Results({ cell }: CellProps<"benchmark">) {
  const { output } = cell;
  const { run, waiting } = useEvaluation(output);
  if (waiting) return null;
  return (
    <>
      {run && run.samples.length > 0 && (
        <>
          <EvaluationView run={run} />
          <Suspense fallback={<div className={s.waiting} />}>
            <EvaluationFigures run={run} />
          </Suspense>
        </>
      )}
      {output && !run && (
        <p className={s.soft}>
          The samples of this run are not kept in this browser; run it again, or import its file.
        </p>
      )}
      <BenchmarkFiles cell={cell} run={run} />
    </>
  );
}
