/** @file The page about the paper: its tables and figures as published, what runs them here, and recorded results. */

import { useEffect, useState, type ReactNode } from "react";
import {
  PAPER_ENTRIES,
  judgedAsPublished,
  type PaperEntry,
  type PaperEvaluation,
} from "../../evaluate/paper.ts";
import { Disclosure } from "../controls/Dialog.tsx";
import { useAsync } from "../controls/useAsync.tsx";
import { count, counted } from "../format.ts";
import { Note, Stack, Text, Row, Button } from "../controls/basics.tsx";
import type { Evaluation } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import { isImported, type BenchmarkCell } from "../../records/notebook.ts";
import { useNotebook, useActions, useCanWrite } from "../app.tsx";
import { SamplesField, useEvaluation, factPace, usePace } from "../evaluation/KeptRuns.tsx";
import { EvaluationFigures, StudyFigures } from "../charts/lazyFigures.tsx";
import { EvaluationView } from "../evaluation/EvaluationView.tsx";
import { lengthName, sliceOf } from "../evaluation/evaluationText.ts";
import { Table } from "../table/Table.tsx";
import { ATTACKS, STUDY_INFO, type Attack, type StudyName } from "../../records/studies.ts";
import { embedderCellFor, KINDS } from "../../notebook/kinds.ts";
import { benchmarkOf, lengthOptions, metBy, sizeText, timeText } from "../evaluation/choices.ts";
import { Checks } from "../controls/Field.tsx";
import { cellAnchor } from "../controls/page.ts";
import { MOST_RUN_BYTES, readRun, readStudy } from "../../evaluate/runs/file.ts";
import { present } from "../../lib/assert.ts";
import { unpackedText } from "../../lib/gzip.ts";
import type { Run } from "../../records/run.ts";
import s from "./Paper.module.css";

const Part = ({ id, heading, children }: Readonly<{ id: string; heading: string; children: ReactNode }>) => (
  <Stack
    as="section"
    gap="0.9rem"
    above="0.75rem"
    ruled="top"
    style={{ paddingTop: "1.75rem" }}
    aria-labelledby={id}
  >
    <h2 id={id}>{heading}</h2>
    {children}
  </Stack>
);

export function PaperPage() {
  const saved = useAsync(savedEvaluations, []);
  useEffect(() => void scrollTo(0, 0), []);
  return (
    <Stack as="article" gap="0.9rem" className={s.page}>
      <p>
        <a href="#notebook">Back to the notebook</a>
      </p>
      <h1>The paper</h1>
      <Text as="p" measure font="serif" size="l">
        <cite>
          Residual Vector-based Reconstruction as Long-Context Recall Regardless of Context Window Size
        </cite>{" "}
        compares seven methods on four benchmarks. This page shows its tables and figures with the published
        numbers, and runs the same on the open model.
      </Text>
      <Note measure>
        Its models have 3.8 to 8 billion parameters. With the bundled model of 7.3 million, only the
        differences between methods are meaningful. Dense retrieval needs a text embedder, reranking a
        cross-encoder and LLMLingua-2 a compressor: choose them in the memorise and the benchmark cell, or on
        the command line. A page cannot measure the peak of GPU memory (figure 5); it shows the bytes that
        each method keeps of a text.
      </Note>
      {saved.status === "failed" && <Note measure>{saved.message}</Note>}
      {Object.entries(PAPER_ENTRIES).map(([name, entry]) => (
        <PaperPart key={name} name={name} entry={entry} saved={saved.value ?? []} />
      ))}
      <Forgetting />
      <Saved saved={saved.value ?? []} />
    </Stack>
  );
}

function Forgetting() {
  const { value: run } = useAsync(() => savedStudy("forgetting"), []);
  if (!run) return null;
  const { model, backend, seed } = run.header;
  const retained = run.cases.find(({ inputs }) => inputs["attack"] === "retained");
  const { compared = 0, changed = 0 } = retained?.measures ?? {};
  const two = (value: number | null | undefined): string => (value ?? NaN).toFixed(2);
  return (
    <Part id="beyond-the-paper" heading="Beyond the paper: forgetting under attack">
      <Note measure>
        An attacker with the memory, the model and two sentences guesses which of them was deleted and which
        was never stored. An AUC of 0.50 is a guess; about one of 16 intervals misses it by chance. The
        control is the same attack where it must succeed, with the sentence still stored.{" "}
        {counted(Number(run.cases[0]?.inputs["deleted"] ?? 0), "deletion")}, {model} on {backend}, seed {seed}
        . Of {counted(compared ?? 0, "other fact")} the outputs of {count(changed ?? 0)} changed.
      </Note>
      <div className={s.scroll} tabIndex={0} role="group" aria-label="Attacks on deleted facts">
        <Table
          caption="Attacks on deleted facts"
          rows={run.cases.filter(({ measures }) => "auc" in measures)}
          columns={[
            { id: "attack", label: "Attack", cell: ({ inputs }) => ATTACKS[inputs["attack"] as Attack] },
            { id: "pairs", label: "Pairs", cell: ({ inputs }) => count(Number(inputs["pairs"])) },
            {
              id: "auc",
              label: "AUC, 95 % interval",
              cell: ({ measures: { auc, low, high } }) => `${two(auc)} [${two(low)}, ${two(high)}]`,
            },
            { id: "bits", label: "Advantage in bits", cell: ({ measures }) => measures["bits"]?.toFixed(3) },
            {
              id: "control",
              label: "Control, AUC",
              cell: ({ measures: { control = null } }) => control !== null && two(control),
            },
          ]}
        />
      </div>
    </Part>
  );
}

const Saved = ({ saved }: { readonly saved: readonly SavedEvaluation[] }) =>
  saved.length === 0 ? null : (
    <Part id="saved-results" heading="Saved results">
      <Note measure>
        Recorded with the command line, on the named machines. They come with the app (docs/runs).
      </Note>
      {saved.map(({ name, run }) => (
        <Disclosure key={name} summary={`${name}: ${counted(run.samples.length, "sample")}`}>
          <WholeEvaluation run={run} />
        </Disclosure>
      ))}
    </Part>
  );

function PaperPart(props: Readonly<{ name: string; entry: PaperEntry; saved: readonly SavedEvaluation[] }>) {
  const { name, entry, saved } = props;
  const { cells } = useNotebook();
  const { evaluation, studies } = entry.run;
  const title = name.replace(/^./, (first) => first.toUpperCase()).replace("-", " ");
  const own = cells.filter(
    (cell) =>
      cell.kind === "benchmark" && cell.input.paper === name && cell.output && !isImported(cell.output),
  );
  return (
    <Part id={name} heading={`${title}: ${entry.title}`}>
      <Published of={entry} />
      {evaluation && <EvaluationRun name={name} run={evaluation} />}
      {studies.length > 0 && <StudyRuns studies={studies} />}
      {own.map((cell) => (
        <Ours key={cell.id} cell={cell as BenchmarkCell} />
      ))}
      {saved.map((one) => (
        <SavedFor key={one.name} run={evaluation} saved={one} />
      ))}
      {studies.map((study) => (
        <SavedStudy key={study} study={study} />
      ))}
    </Part>
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

const WholeEvaluation = ({ run }: { readonly run: Evaluation }) => (
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
  return !run || run.samples.length === 0 ? null : (
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
  return part.samples.length === 0 ? null : (
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
      <SamplesField value={samples} disabled={!canWrite} onChange={setSamples} />
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
    setInput(id, "experiment", { study });
    location.hash = cellAnchor(id);
    void runCell(id);
  };
  return (
    <Row wrap gap="0.5rem 0.75rem">
      {studies.map((study) => (
        <Button
          key={study}
          icon="run"
          size="s"
          style={{ whiteSpace: "normal" }}
          disabled={!canWrite}
          onClick={() => start(study)}
        >
          {`Add and run the study “${STUDY_INFO[study].title}”`}
        </Button>
      ))}
    </Row>
  );
}

const EVALUATIONS = import.meta.glob<string>("../../../docs/runs/*/run.jsonl.gz", {
  query: "?url",
  import: "default",
  eager: true,
});
const STUDIES = import.meta.glob<string>("../../../docs/runs/*.jsonl", {
  query: "?url",
  import: "default",
  eager: true,
});

type SavedEvaluation = Awaited<ReturnType<typeof savedEvaluations>>[number];

async function savedText(url: string, name: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(
      `The saved result ${name} could not be fetched (status ${response.status}); reload the page.`,
    );
  const bytes = new Uint8Array(await response.arrayBuffer());
  return unpackedText(
    bytes,
    MOST_RUN_BYTES,
    () => `The saved result ${name} has more than ${MOST_RUN_BYTES} bytes; it is to be recorded in parts.`,
  );
}

const savedEvaluations = () =>
  Promise.all(
    Object.entries(EVALUATIONS).map(async ([path, url]) => {
      const name = path.split("/").at(-2)!;
      const run = readRun(await savedText(url, name), name);
      return {
        name,
        run: present(run, () => `The saved result ${name} is empty; it is to be recorded again.`),
      };
    }),
  );

async function savedStudy(study: string): Promise<Run | null> {
  const [, url] = Object.entries(STUDIES).find(([path]) => path.endsWith(`/${study}.jsonl`)) ?? [];
  return url === undefined ? null : readStudy(await savedText(url, study), `saved study ${study}`);
}
