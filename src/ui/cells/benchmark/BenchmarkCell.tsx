/** @file The benchmark cell: its form, the size of the run, and its table, figures and files. */

import { embedderCellFor } from "../../../notebook/kinds.ts";
import { isGoing } from "../../../state/runs.ts";
import { useActions, useCanWrite, useNotebook, useRun, type CellProps } from "../../app.tsx";
import { Note, Stack, Row, Button } from "../../controls/basics.tsx";
import { metBy, sizeText, timeText } from "../../evaluation/choices.ts";
import { EvaluationFigures } from "../../charts/lazyFigures.tsx";
import { EvaluationView } from "../../evaluation/EvaluationView.tsx";
import { KeptRuns, factPace, useEvaluation, usePace } from "../../evaluation/KeptRuns.tsx";
import { counted } from "../../format.ts";
import { Unfinished } from "../../facts/notices.tsx";
import { BenchmarkForm } from "./BenchmarkForm.tsx";
import { useFilePicker, type NamedFile } from "../../controls/DropZone.tsx";
import { exported } from "../../../evaluate/exchange/exports.ts";
import { report } from "../../../evaluate/report.ts";
import { lineOf, merged, MOST_RUN_BYTES, readRun } from "../../../evaluate/runs/file.ts";
import { writeZip, readZip } from "../../../lib/zip.ts";
import { type Evaluation, RUN_FORMAT } from "../../../records/evaluation.ts";
import { Menu } from "../../controls/Dialog.tsx";
import { attempt, toast, saveFile } from "../../controls/page.ts";
import type { UserFile } from "../../../evaluate/benchmarks/benchmark.ts";
import { imported } from "../../../evaluate/exchange/imports.ts";
import { unpackedText } from "../../../lib/gzip.ts";

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
  return waiting ? null : (
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

function BenchmarkFiles({
  cell: { id, output },
  run,
}: CellProps<"benchmark"> & { readonly run: Evaluation | null }) {
  const canWrite = useCanWrite();
  const { showEvaluation, addPredictions } = useActions();
  const take = async (files: readonly NamedFile[]): Promise<void> => {
    const brought = await readBrought(
      files.map(({ file }) => file),
      run,
    );
    const { samples } = brought.run;
    if (brought.beside) {
      await addPredictions(id, brought.run);
      toast.said(`${counted(samples.length, "prediction")} of ${brought.name} added to the run.`);
    } else {
      await showEvaluation(id, brought.run);
      toast.said(`${counted(samples.length, "sample")} of ${brought.name} imported.`);
    }
  };
  const { pick, input } = useFilePicker({
    ...{ label: "Run file or predictions", accept: ".jsonl,.json,.csv,.gz,.zip", multiple: true },
    onFiles: (files) => void attempt(() => take(files)),
  });
  return (
    <Row wrap gap="0.5rem 0.75rem">
      {run && run.samples.length > 0 && output && (
        <Menu
          label="Save the run"
          align="start"
          trigger={<Button size="s" icon="download" label="Save the run" />}
          groups={[
            [
              {
                label: "Run file (run.jsonl)",
                note: "Header and samples, as the command line saves them",
                onSelect: () => saveRun(run),
              },
              {
                label: "Report in Markdown",
                onSelect: () => saveFile(`${nameOf(run)}.md`, report(run), "text/markdown"),
              },
              {
                label: "Samples of lm-evaluation-harness (.zip)",
                onSelect: () => void attempt(() => saveSamples(run)),
              },
            ],
          ]}
        />
      )}
      <Button
        size="s"
        icon="upload"
        label="Import a run or predictions"
        disabled={!canWrite}
        onClick={pick}
      />
      {input}
    </Row>
  );
}

const nameOf = ({ header }: Evaluation): string =>
  `${header.benchmark}-${header.created.slice(0, 10)}-${header.key.slice(0, 8)}`;

function saveRun(run: Evaluation): void {
  saveFile("run.jsonl", [lineOf(run.header), ...run.samples.map(lineOf)].join(""), "application/jsonl");
}

async function saveSamples(run: Evaluation): Promise<void> {
  const encoder = new TextEncoder();
  const files = exported(run).map(({ name, content }) => ({ name, bytes: encoder.encode(content) }));
  saveFile(`${nameOf(run)}-lm-eval.zip`, await writeZip(files), "application/zip");
}

interface BroughtRun {
  /** Whether it is added to the run of the cell; otherwise it replaces it. */
  readonly beside: boolean;
  readonly run: Evaluation;
  readonly name: string;
}

/** Reads parts of one run, or predictions for `run`. @throws if a file is neither, empty or too large */
export async function readBrought(files: readonly File[], run: Evaluation | null): Promise<BroughtRun> {
  const texts = (await Promise.all(files.map(textsOf))).flat();
  const name = files.map((file) => file.name).join(", ");
  const runs = texts.filter(({ text }) => isRun(text));
  if (runs.length > 0) {
    const other = texts.find(({ text }) => !isRun(text));
    if (other)
      throw new Error(
        `${other.name} is not a run file, unlike the others. Import runs and predictions separately.`,
      );
    return { beside: false, run: merged(runs.map(partOf), name), name };
  }
  if (!run)
    throw new Error(`${name} is not a run file. Predictions need a run: run this cell first, or import one.`);
  const as = files[0]!.name.replace(/(?:\.\w+)+$/, "");
  return {
    beside: true,
    run: merged(
      texts.map((file) => imported(file, as, run.header)),
      name,
    ),
    name,
  };
}

const isRun = (text: string): boolean => text.slice(0, 400).includes(`"${RUN_FORMAT}"`);

function partOf({ name, text }: UserFile): Evaluation {
  const read = readRun(text, name);
  if (!read || read.samples.length === 0) throw new Error(`${name} has no sample; it ends after its header.`);
  return read;
}

async function textsOf(file: File): Promise<readonly UserFile[]> {
  if (file.size > MOST_RUN_BYTES)
    throw new Error(
      `${file.name} has ${file.size} bytes, at most ${MOST_RUN_BYTES} are read. Give it in parts.`,
    );
  if (/\.zip$/i.test(file.name)) return archived(file);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = await unpackedText(
    bytes,
    MOST_RUN_BYTES,
    () => `${file.name} has more than ${MOST_RUN_BYTES} bytes unpacked. Give it in parts.`,
  );
  return [{ name: file.name.replace(/\.gz$/, ""), text }];
}

const LIMITS = { maxBytes: MOST_RUN_BYTES, maxRatio: 2000, maxEntries: 2000 };

async function archived(file: File): Promise<readonly UserFile[]> {
  const entries = [...(await readZip(file, file.name, LIMITS)).values()];
  const records = entries.filter(({ name }) => /\.(?:jsonl|csv)$/i.test(name));
  if (records.length === 0)
    throw new Error(
      `${file.name} holds no .jsonl and no .csv, but ${entries.map(({ name }) => name).join(", ") || "nothing"}. Choose an archive of a run, or of lm-evaluation-harness’s samples.`,
    );
  const texts: UserFile[] = [];
  for (const { name, read } of records)
    texts.push({ name: name.split("/").at(-1)!, text: new TextDecoder().decode(await read()) });
  return texts;
}
