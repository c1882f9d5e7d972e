/** @file One table or figure of the paper: the published numbers, a form to run it, our results and recorded ones. */

import { judgedAsPublished, type PaperEntry, type PaperEvaluation } from "../../evaluate/paper.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import { isImported, type BenchmarkCell } from "../../records/notebook.ts";
import { useNotebook } from "../app.tsx";
import { useEvaluation } from "../evaluation/useRuns.ts";
import { Disclosure } from "../controls/Disclosure.tsx";
import { useAsync } from "../controls/useAsync.ts";
import { EvaluationFigures, StudyFigures } from "../charts/lazyFigures.tsx";
import { EvaluationView } from "../evaluation/EvaluationView.tsx";
import { lengthName, sliceOf } from "../evaluation/evaluationText.ts";
import { counted } from "../format.ts";
import { PaperRun } from "./PaperRun.tsx";
import { savedStudy, type SavedEvaluation } from "./savedRuns.ts";
import { Note, Stack } from "../controls/layout.tsx";
import { Table } from "../table/Table.tsx";
import s from "./Paper.module.css";

/** "table-2" -> "Table 2". */
const called = (name: string): string => name.replace(/^./, (first) => first.toUpperCase()).replace("-", " ");

interface PartProps {
  readonly name: string;
  readonly entry: PaperEntry;
  readonly saved: readonly SavedEvaluation[];
}

export function PaperPart({ name, entry, saved }: PartProps) {
  const { cells } = useNotebook();
  const own = cells.filter(
    (cell) =>
      cell.kind === "benchmark" && cell.input.paper === name && cell.output && !isImported(cell.output),
  );
  return (
    <Stack
      as="section"
      gap="0.9rem"
      above="0.75rem"
      ruled="top"
      style={{ paddingTop: "1.75rem" }}
      aria-labelledby={name}
    >
      <h2 id={name}>
        {called(name)}: {entry.title}
      </h2>
      <Published of={entry} />
      <PaperRun name={name} run={entry.run} />
      {own.map((cell) => (
        <Ours key={cell.id} cell={cell as BenchmarkCell} />
      ))}
      {saved.map((one) => (
        <SavedFor key={one.name} run={entry.run.evaluation} saved={one} />
      ))}
      {entry.run.studies.map((study) => (
        <SavedStudy key={study} study={study} />
      ))}
    </Stack>
  );
}

const Published = ({ of: { title, published } }: { readonly of: PaperEntry }) => (
  <div className={s.scroll} tabIndex={0} role="group" aria-label={`Published: ${title}`}>
    <Note>As published</Note>
    <Table
      caption={`Published: ${title}`}
      rows={published.rows}
      columns={published.head.map((label, at) => ({
        id: String(at),
        label,
        cell: (row: readonly string[]) => row[at],
      }))}
    />
  </div>
);

export const WholeEvaluation = ({ run }: { readonly run: Evaluation }) => (
  <>
    <EvaluationView run={run} />
    <Disclosure summary="Figures: accuracy, stages, stored size, time">
      <EvaluationFigures run={run} />
    </Disclosure>
  </>
);

function Ours({ cell }: { readonly cell: BenchmarkCell }) {
  const { run } = useEvaluation(cell.output);
  const { kept = 0, planned = 0 } = cell.output ?? {};
  if (!run || run.samples.length === 0) return null;
  return (
    <Stack gap="0.6rem">
      <h3>
        Ours, in this notebook{kept < planned && `, so far ${kept} of ${counted(planned, "sample")}`}:{" "}
        <a href={`#cell-${cell.id}`}>its cell</a>
      </h3>
      <EvaluationView run={judgedAsPublished(run)} />
    </Stack>
  );
}

function SavedFor({ run, saved }: { readonly run: PaperEvaluation | null; readonly saved: SavedEvaluation }) {
  if (run?.benchmark !== saved.run.header.benchmark) return null;
  const { header } = saved.run;
  const [tasks, lengths] = [
    header.tasks.filter((one) => run.tasks.includes(one)),
    header.lengths.filter((one) => run.lengths.includes(one)),
  ];
  const part = sliceOf(saved.run, { ...header, tasks, lengths });
  if (part.samples.length === 0) return null;
  return (
    <Disclosure
      summary={`Saved result: ${tasks.join(", ")} at ${lengths.map(lengthName).join(", ")}, recorded with ${modelTag(header.model)} on ${header.backend}`}
    >
      <WholeEvaluation run={judgedAsPublished(part)} />
    </Disclosure>
  );
}

function SavedStudy({ study }: { readonly study: string }) {
  const { value: run } = useAsync(() => savedStudy(study), [study]);
  if (!run) return null;
  const { model, backend, seed, app } = run.header;
  return (
    <Disclosure
      summary={`Saved result of the study ${study}: ${counted(run.cases.length, "case")}, ${model} on ${backend}, seed ${seed}, app ${app}`}
    >
      <StudyFigures run={run} beside={null} />
    </Disclosure>
  );
}
