/**
 * @file The benchmark cell: its form, the size of the run before it starts, and the table, figures and files of the run.
 * Every sample is kept, and a stopped run can continue.
 */

import { embedderCellFor } from "../../../notebook/places.ts";
import { isGoing } from "../../../state/going.ts";
import { useActions, useCanWrite, useNotebook, useRun, type CellProps } from "../../app.tsx";
import { Note, Stack } from "../../controls/layout.tsx";
import { metBy } from "../../evaluation/choices.ts";
import { EvaluationFigures } from "../../charts/lazyFigures.tsx";
import { EvaluationView } from "../../evaluation/EvaluationView.tsx";
import { KeptRuns } from "../../evaluation/KeptRuns.tsx";
import { factPace, useEvaluation, usePace } from "../../evaluation/useRuns.ts";
import { sizeText, timeText } from "../../evaluation/workload.ts";
import { counted } from "../../format.ts";
import { Unfinished } from "../../facts/Unfinished.tsx";
import { BenchmarkFiles } from "./BenchmarkFiles.tsx";
import { BenchmarkForm } from "./BenchmarkForm.tsx";

export function BenchmarkCell({ cell }: CellProps<"benchmark">) {
  const canWrite = useCanWrite();
  const going = isGoing(useRun(cell.id));
  return (
    <Stack gap={4}>
      <BenchmarkForm cell={cell} disabled={!canWrite || going} />
      {!going && <Before cell={cell} />}
      <Results cell={cell} />
      <KeptRuns kind="evaluation" shown={cell.output?.runId} changed={cell.output?.kept} />
    </Stack>
  );
}

function Before({ cell: { id, output, input } }: CellProps<"benchmark">) {
  const notebook = useNotebook();
  const { goOnBenchmark } = useActions();
  const pace = usePace(notebook.id, [output?.runId, output?.kept === output?.planned]);
  const met = metBy(input, embedderCellFor(notebook, id)?.input.embedder);
  const changed = output?.asked && JSON.stringify(output.asked) !== JSON.stringify(input);
  return (
    <>
      {output && output.kept < output.planned && (
        <Unfinished onGoOn={() => void goOnBenchmark(id)}>
          {counted(output.kept, "sample")} of {output.planned} are kept; the run continues from there
          {changed ? ", with the settings it was started with." : "."}
        </Unfinished>
      )}
      <Note>
        {sizeText(input, met)} {timeText(input, { pace, perFact: factPace(notebook) }, met)}
      </Note>
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
          <EvaluationFigures run={run} />
        </>
      )}
      {output && !run && (
        <Note>The samples of this run are not kept in this browser; run it again, or import its file.</Note>
      )}
      <BenchmarkFiles cell={cell} run={run} />
    </>
  );
}
