/** @file Runs a table or figure of the paper: a benchmark cell with chosen lengths, or studies. */

import type { StudyName } from "../../records/studies.ts";
import { useState } from "react";
import type { PaperEvaluation, PaperRun as Run } from "../../evaluate/paper.ts";
import { embedderCellFor } from "../../notebook/places.ts";
import { KINDS } from "../../notebook/kinds.ts";
import { STUDY_INFO } from "../../records/studies.ts";
import type { BenchmarkCell } from "../../records/notebook.ts";
import { useActions, useCanWrite, useNotebook } from "../app.tsx";
import { benchmarkOf, lengthOptions, metBy } from "../evaluation/choices.ts";
import { factPace, usePace } from "../evaluation/useRuns.ts";
import { sizeText, timeText } from "../evaluation/workload.ts";
import { Button } from "../controls/Button.tsx";
import { Checks } from "../controls/Choice.tsx";
import { NumberField } from "../controls/Field.tsx";
import { cellAnchor } from "../controls/goToCell.ts";
import { Note, Row, Stack } from "../controls/layout.tsx";
import s from "./Paper.module.css";

export function PaperRun({ name, run }: { readonly name: string; readonly run: Run }) {
  const { evaluation, studies } = run;
  return (
    <>
      {evaluation && <EvaluationRun name={name} run={evaluation} />}
      {studies.length > 0 && <StudyRuns studies={studies} />}
    </>
  );
}

function EvaluationRun({ name, run }: { readonly name: string; readonly run: PaperEvaluation }) {
  const notebook = useNotebook();
  const canWrite = useCanWrite();
  const { addBenchmark, runCell } = useActions();
  const [lengths, setLengths] = useState<readonly string[]>(() => run.lengths.slice(0, 1));
  const [samples, setSamples] = useState(10);
  const { benchmark, tasks, methods } = run;
  const input: BenchmarkCell["input"] = {
    ...KINDS.benchmark.first,
    ...{ benchmark, tasks, lengths, methods, samples, paper: name },
  };
  const pace = usePace(notebook.id, []);
  const known = benchmarkOf(benchmark);
  const met = metBy(input, embedderCellFor(notebook, notebook.cells.at(-1)?.id ?? "")?.input.embedder);
  const start = (): void => {
    const id = addBenchmark(input);
    location.hash = cellAnchor(id);
    void runCell(id);
  };
  return (
    <Stack gap="0.75rem" justify="start" className={s.run}>
      <Checks
        label="Lengths to run here, of those in the paper"
        options={(known ? lengthOptions(known) : []).filter(({ value }) => run.lengths.includes(value))}
        chosen={lengths}
        disabled={!canWrite}
        onChange={setLengths}
      />
      <NumberField
        label="Samples of each task and length"
        value={samples}
        min={1}
        max={1000}
        whole
        disabled={!canWrite}
        onChange={setSamples}
      />
      <Note measure>
        {sizeText(input, met)} {timeText(input, { pace, perFact: factPace(notebook) }, met)}
      </Note>
      <Button icon="run" size="s" disabled={!canWrite || lengths.length === 0} onClick={start}>
        Add a benchmark cell and run it
      </Button>
    </Stack>
  );
}

function StudyRuns({ studies }: { readonly studies: readonly StudyName[] }) {
  const canWrite = useCanWrite();
  const { addCell, setInput, runCell } = useActions();
  const start = (study: StudyName): void => {
    const id = addCell("experiment");
    if (id === null) return;
    setInput(id, "experiment", (input) => ({ ...input, study }));
    location.hash = cellAnchor(id);
    void runCell(id);
  };
  return (
    <Row wrap gap="0.5rem 0.75rem">
      {studies.map((study) => (
        <Button key={study} icon="run" size="s" disabled={!canWrite} onClick={() => start(study)}>
          Add and run the study “{STUDY_INFO[study].title}”
        </Button>
      ))}
    </Row>
  );
}
