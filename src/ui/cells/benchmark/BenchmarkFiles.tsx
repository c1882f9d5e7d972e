/** @file Saving a run as files, also for other tools, and importing runs and predictions. */

import { useRef } from "react";
import { exported } from "../../../evaluate/exchange/exports.ts";
import { report } from "../../../evaluate/report.ts";
import { lineOf } from "../../../evaluate/runs/file.ts";
import { writeZip } from "../../../lib/zip.ts";
import type { Evaluation } from "../../../records/evaluation.ts";
import { useActions, useCanWrite, type CellProps } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { Row } from "../../controls/layout.tsx";
import { Menu } from "../../controls/Menu.tsx";
import { attempt, toast } from "../../controls/toasts.ts";
import { counted } from "../../format.ts";
import { saveFile } from "../../controls/saveFile.ts";
import { readBrought } from "./broughtRuns.ts";

export function BenchmarkFiles({
  cell: { id, output },
  run,
}: CellProps<"benchmark"> & { readonly run: Evaluation | null }) {
  const canWrite = useCanWrite();
  const input = useRef<HTMLInputElement>(null);
  const { showEvaluation, addPredictions } = useActions();
  const take = async (files: readonly File[]): Promise<void> => {
    const brought = await readBrought(files, run);
    const { samples } = brought.run;
    if (brought.beside) {
      await addPredictions(id, brought.run);
      toast.said(`${counted(samples.length, "prediction")} of ${brought.name} added to the run.`);
    } else {
      await showEvaluation(id, brought.run);
      toast.said(`${counted(samples.length, "sample")} of ${brought.name} imported.`);
    }
  };
  return (
    <Row wrap gap="0.5rem 0.75rem">
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
      <Button size="s" icon="upload" disabled={!canWrite} onClick={() => input.current?.click()}>
        Import a run or predictions
      </Button>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.json,.csv,.gz,.zip"
        multiple
        hidden
        aria-label="Run file or predictions"
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          if (files.length > 0) void attempt(() => take(files));
          target.value = "";
        }}
      />
    </Row>
  );
}

const nameOf = ({ header }: Evaluation): string =>
  `${header.benchmark}-${header.created.slice(0, 10)}-${header.key.slice(0, 8)}`;

function saveRun(run: Evaluation): void {
  const lines = [lineOf(run.header), ...run.samples.map(lineOf)];
  saveFile("run.jsonl", lines.join(""), "application/jsonl");
}

async function saveSamples(run: Evaluation): Promise<void> {
  const encoder = new TextEncoder();
  const files = exported(run).map(({ name, content }) => ({ name, bytes: encoder.encode(content) }));
  saveFile(`${nameOf(run)}-lm-eval.zip`, await writeZip(files), "application/zip");
}
