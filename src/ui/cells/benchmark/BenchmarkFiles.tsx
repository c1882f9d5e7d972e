/** @file A run as files, for other tools too, and runs and predictions that were made elsewhere. */

import { useRef } from "react";
import { EXPORT_FORMS, exported, type ExportForm } from "../../../evaluate/exchange/exports.ts";
import { imported } from "../../../evaluate/exchange/imports.ts";
import { report } from "../../../evaluate/report.ts";
import { lineOf, MOST_RUN_BYTES, readRun } from "../../../evaluate/runFile.ts";
import { unpackedText } from "../../../lib/gzip.ts";
import { writeZip } from "../../../lib/zip.ts";
import { EVALUATION_FORMAT, type Evaluation } from "../../../records/evaluation.ts";
import { useActions, useCanWrite, type CellProps } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { Menu } from "../../controls/Menu.tsx";
import { toast } from "../../controls/toasts.ts";
import { counted } from "../../format.ts";
import { attempt } from "../../shell/notebookItems.ts";
import { saveFile } from "../../shell/saveFile.ts";
import s from "./BenchmarkCell.module.css";

const FORM_LABELS: Readonly<Record<ExportForm, string>> = {
  "lm-eval": "Samples of lm-evaluation-harness (.zip)",
  "every-eval-ever": "Every Eval Ever (.zip)",
  inspect: "Logs of Inspect (.zip)",
};

export function BenchmarkFiles({
  cell: { id, output },
  run,
}: CellProps<"benchmark"> & { readonly run: Evaluation | null }) {
  const canWrite = useCanWrite();
  const input = useRef<HTMLInputElement>(null);
  const { showEvaluation, addPredictions } = useActions();
  const take = async (file: File): Promise<void> => {
    if (file.size > MOST_RUN_BYTES)
      throw new Error(
        `${file.name} has ${file.size} bytes, at most ${MOST_RUN_BYTES} are read. Give it in parts.`,
      );
    const bytes = new Uint8Array(await file.arrayBuffer());
    const text = await unpackedText(bytes, MOST_RUN_BYTES, () => `${file.name} has more than ${MOST_RUN_BYTES} bytes unpacked. Give it in parts.`); // prettier-ignore
    if (isRun(text)) {
      const read = readRun(text, file.name);
      if (!read || read.samples.length === 0)
        throw new Error(`${file.name} holds no sample; it breaks off after its header.`);
      await showEvaluation(id, read);
      toast.said(`${counted(read.samples.length, "sample")} of ${file.name} stand in this cell now.`);
    } else if (run) {
      const others = imported({ name: file.name, text }, file.name.replace(/\.\w+$/, ""), run.header);
      await addPredictions(id, others);
      toast.said(`${counted(others.samples.length, "prediction")} of ${file.name} stand beside the run now.`);
    } else throw new Error(`${file.name} is no run file. Others’ predictions stand beside a run: run this cell first, or import one.`); // prettier-ignore
  };
  return (
    <div className={s.tools}>
      {run && run.samples.length > 0 && output && (
        <Menu
          label="Save the run"
          align="start"
          trigger={
            <Button size="s" icon="download">
              Save the run
            </Button>
          }
          groups={[
            [
              {
                label: "Run file (run.jsonl)",
                note: "Header and samples, as the command line writes them",
                onSelect: () => saveRun(run),
              },
              {
                label: "Report in Markdown",
                onSelect: () => saveFile(`${nameOf(run)}.md`, report(run), "text/markdown"),
              },
            ],
            EXPORT_FORMS.map((form) => ({
              label: FORM_LABELS[form],
              onSelect: () => void attempt(() => saveForm(run, form)),
            })),
          ]}
        />
      )}
      <Button size="s" icon="upload" disabled={!canWrite} onClick={() => input.current?.click()}>
        Import a run or predictions
      </Button>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.json,.csv,.gz"
        hidden
        aria-label="Run file or predictions"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void attempt(() => take(file));
          target.value = "";
        }}
      />
    </div>
  );
}

const isRun = (text: string): boolean => text.slice(0, 400).includes(`"${EVALUATION_FORMAT}"`);

const nameOf = ({ header }: Evaluation): string =>
  `${header.benchmark}-${header.created.slice(0, 10)}-${header.key.slice(0, 8)}`;

function saveRun(run: Evaluation): void {
  const lines = [lineOf(run.header), ...run.samples.map(lineOf)];
  saveFile("run.jsonl", lines.join(""), "application/jsonl");
}

async function saveForm(run: Evaluation, form: ExportForm): Promise<void> {
  const encoder = new TextEncoder();
  const files = exported(run, form).map(({ name, content }) => ({ name, bytes: encoder.encode(content) }));
  saveFile(`${nameOf(run)}-${form}.zip`, await writeZip(files), "application/zip");
}
