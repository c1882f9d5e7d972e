/**
 * @file The experiment cell: a named study, its settings and size, the run as it goes, its figure and table, and
 * another run beside it on the same scale. A run is kept case by case, and goes on where it was stopped.
 */

import { lazy, Suspense } from "react";
import { lineOf } from "../../../evaluate/runs/file.ts";
import type { Run } from "../../../records/run.ts";
import type { ExperimentCell as Cell } from "../../../records/notebook.ts";
import { STUDY_INFO, STUDY_NAMES } from "../../../records/studies.ts";
import { isGoing } from "../../../state/going.ts";
import { useActions, useCanWrite, useNotebook, useRun, type CellProps } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { Select } from "../../controls/Select.tsx";
import { counted, dateTime, duration } from "../../format.ts";
import { KeptRuns } from "../../evaluation/KeptRuns.tsx";
import { factPace, useRunList, useStudy } from "../../evaluation/useRuns.ts";
import { factsToEncode } from "../../evaluation/workload.ts";
import { saveFile } from "../../shell/saveFile.ts";
import { Unfinished } from "../frame/Unfinished.tsx";
import { StudySettingsForm } from "./StudySettingsForm.tsx";
import s from "./ExperimentCell.module.css";

const StudyFigures = lazy(() =>
  import("../../charts/StudyFigures.tsx").then((module) => ({ default: module.StudyFigures })),
);

export function ExperimentCell({ cell }: CellProps<"experiment">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const { study } = cell.input;
  const going = isGoing(useRun(cell.id));
  return (
    <div className={s.cell}>
      <Select
        label="Study"
        hint={STUDY_INFO[study].asks}
        value={study}
        disabled={!canWrite || going}
        onChange={(next) =>
          setInput(cell.id, "experiment", () => ({ study: next, settings: {}, compareWith: null }))
        }
        options={STUDY_NAMES.map((name) => ({ value: name, label: STUDY_INFO[name].title }))}
      />
      <StudySettingsForm cell={cell} disabled={!canWrite || going} />
      {!going && <Before cell={cell} />}
      {cell.output && <Results cell={cell} output={cell.output} />}
      <KeptRuns kind="study" shown={cell.output?.runId} changed={cell.output?.cases} />
    </div>
  );
}

/** What a run would take, or that one was interrupted. */
function Before({ cell }: CellProps<"experiment">) {
  const notebook = useNotebook();
  const { runCell } = useActions();
  const { output, input } = cell;
  if (output && output.cases < (output.planned ?? 0))
    return (
      <Unfinished onGoOn={() => void runCell(cell.id)}>
        {counted(output.cases, "case")} of {output.planned} are kept; the rest follows where it stopped. With
        other settings a new run begins.
      </Unfinished>
    );
  const { settings } = STUDY_INFO[input.study];
  const used = Object.fromEntries(
    Object.entries(settings).map(([name, { value }]) => [name, input.settings[name] ?? value]),
  );
  const facts = factsToEncode(input.study, used);
  const pace = factPace(notebook);
  return (
    <p className={s.estimate}>
      {counted(facts, "fact")} to encode
      {pace === null
        ? "; how long that takes is known once this notebook has memorised something."
        : `, about ${duration(facts * pace)} at this notebook’s pace, and the recalls on top.`}
    </p>
  );
}

function Results({
  cell,
  output,
}: CellProps<"experiment"> & { readonly output: NonNullable<Cell["output"]> }) {
  const notebook = useNotebook();
  const { setInput } = useActions();
  const run = useStudy(output.runId, output.cases);
  const other = useStudy(cell.input.compareWith, 0);
  const { runs } = useRunList(notebook.id, output.cases);
  if (!run)
    return <p className={s.estimate}>The cases of this run are not kept in this browser; run it again.</p>;
  const others = runs.flatMap(({ header, records }) =>
    header.kind === "study" && header.study === run.header.study && header.id !== run.header.id
      ? [{ header, cases: records }]
      : [],
  );
  const compared = other && other.header.study === run.header.study ? other : null;
  return (
    <>
      <Suspense fallback={<div className={s.waiting} />}>
        <StudyFigures run={run} beside={compared} />
      </Suspense>
      <div className={s.tools}>
        {others.length > 0 && (
          <Select
            label="Beside it"
            value={compared ? compared.header.id : NOTHING}
            onChange={(id) =>
              setInput(cell.id, "experiment", (input) => ({
                ...input,
                compareWith: id === NOTHING ? null : id,
              }))
            }
            options={[
              { value: NOTHING, label: "no other run" },
              ...others.map(({ header, cases }) => ({
                value: header.id,
                label: `${dateTime(header.created)}, ${counted(cases, "case")}`,
                note: [
                  `seed ${header.seed}`,
                  header.params.preset,
                  header.model,
                  `on ${header.backend}`,
                ].join(", "),
              })),
            ]}
          />
        )}
        <Button size="s" icon="download" onClick={() => exportRun(run)}>
          Save the run
        </Button>
      </div>
    </>
  );
}

/** Radix takes no empty value. */
const NOTHING = "none";

function exportRun({ header, cases }: Run): void {
  saveFile(`${header.id}.jsonl`, [header, ...cases].map(lineOf).join(""), "application/jsonl");
}
