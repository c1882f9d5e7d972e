/** @file The kept runs of the notebook, including those that no cell shows any more; each can be removed. */

import { useState } from "react";
import type { RunHeader, Run } from "../../records/run.ts";
import { STUDY_INFO } from "../../records/studies.ts";
import type { ListedRun } from "../../service/library/savedRuns.ts";
import { somethingGoes } from "../../state/runs.ts";
import { useActions, useApp, useCanWrite, useNotebook, useServices } from "../app.tsx";
import { Button, Grid, Stack, Note } from "../controls/basics.tsx";
import { Confirm, Disclosure } from "../controls/Dialog.tsx";
import { NumberField, type NumberFieldProps } from "../controls/Field.tsx";
import { attempt, toast } from "../controls/page.ts";
import { counted, dateTime } from "../format.ts";
import { madeOn, methodTitle, sliceOf } from "./evaluationText.ts";
import { paceOf, type Pace } from "../../evaluate/runs/pace.ts";
import type { BenchmarkCell, Notebook } from "../../records/notebook.ts";
import { useAsync } from "../controls/useAsync.tsx";

export function KeptRuns(
  props: Readonly<{ kind: RunHeader["kind"]; shown: string | undefined; changed: unknown }>,
) {
  const { kind, shown, changed } = props;
  const { removeRun } = useActions();
  // A running evaluation writes its records, so nothing may be removed.
  const busy = useApp(somethingGoes);
  const canWrite = useCanWrite();
  const [leaving, setLeaving] = useState<ListedRun | null>(null);
  const list = useRunList(useNotebook().id, `${shown} ${String(changed)}`, !busy);
  const runs = list.runs.filter(({ header }) => header.kind === kind);
  if (runs.length === 0) return null;
  const remove = async ({ id }: ListedRun): Promise<void> => {
    await removeRun(id);
    list.again();
    toast.said("The run is removed.");
  };
  return (
    <Disclosure summary={`Kept in this notebook: ${counted(runs.length, "run")}`}>
      <Stack as="ul" plainList gap={3}>
        {runs.map((run) => {
          const [name, what, made] = textsOf(run);
          return (
            <Grid as="li" key={run.id} columns="minmax(0, 1fr) auto" gap={3} align="start">
              <div>
                {name}
                {run.id === shown && ", shown here"}: {what}
                <Note as="div">{made}</Note>
              </div>
              <Button
                size="s"
                icon="trash"
                label="Remove"
                disabled={!canWrite || busy}
                aria-label={`Remove the run ${name}`}
                onClick={() => setLeaving(run)}
              />
            </Grid>
          );
        })}
      </Stack>
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title="Remove this run?"
        description="Its records are removed from this browser, for every cell that shows them. This cannot be undone: save the run first if you want to keep it."
        confirm="Remove the run"
        onConfirm={() => leaving && void attempt(() => remove(leaving))}
      />
    </Disclosure>
  );
}

const textsOf = ({ header, records }: ListedRun): readonly [name: string, what: string, made: string] =>
  header.kind === "evaluation"
    ? [
        `${header.benchmark}, ${counted(records, "sample")}`,
        header.methods.map(methodTitle).join(", "),
        madeOn(header),
      ]
    : [
        `${header.study}, ${counted(records, "case")}`,
        STUDY_INFO[header.study].title,
        `${header.model} on ${header.backend}; preset ${header.params.preset}, seed ${header.seed}; started ${dateTime(header.created)} with app ${header.app}.`,
      ];

export const SamplesField = (props: Pick<NumberFieldProps, "value" | "onChange" | "disabled">) => (
  <NumberField
    label="Samples of each task and length"
    hint="With 10 an interval spans up to 53 points, with 100 up to 19."
    {...{ min: 1, max: 1000, whole: true, ...props }}
  />
);

const READINGS = 20;

/** The cell's part of its evaluation; null while it is read, and if it is not kept in this browser. */
export function useEvaluation(output: BenchmarkCell["output"]) {
  const { library } = useServices();
  const { kept = 0, planned = 0 } = output ?? {};
  const step = Math.max(1, Math.floor(planned / READINGS));
  const turn = kept === planned ? -1 : Math.floor(kept / step);
  const wanted = output !== null;
  const read = useAsync(
    () => library().loadEvaluation({ id: output!.runId }),
    [library, output?.runId, output?.methods.join(), turn],
    { wanted, keep: true },
  );
  return {
    run: read.value && output ? sliceOf(read.value, output) : null,
    waiting: wanted && read.status === "waiting" && !read.value,
  };
}

/** A study with its cases so far, or null while it is read or missing. It is read again when `cases` changes. */
export function useStudy(id: string | null, cases: number): Run | null {
  const { library } = useServices();
  const { value: run } = useAsync(() => library().loadRun({ id: id! }), [library, id, cases], {
    wanted: id !== null,
    keep: true,
  });
  return run && run.header.id === id ? run : null;
}

export function useRunList(notebook: string, changed: unknown, wanted = true) {
  const { library } = useServices();
  const { value, again } = useAsync(() => library().runs({ notebook }), [library, notebook, changed], {
    wanted,
    keep: true,
  });
  return { runs: value ?? NO_RUNS, again };
}

const NO_RUNS: readonly ListedRun[] = [];

const MOST_RUNS = 3;

export function usePace(notebook: string, inputs: readonly unknown[]): Pace {
  const { library } = useServices();
  const model = useApp(({ device }) => device.model?.identity.sha256 ?? null);
  const backend = useApp(({ device }) => device.model?.device.backend ?? null);
  const samples = useAsync(
    async () => {
      const listed = await library().runs({ notebook });
      const fitting = listed.filter(
        ({ id, header }) =>
          // Imported runs took their time on another machine.
          id.startsWith("evaluation-") &&
          header.kind === "evaluation" &&
          (model === null || header.model.sha256 === model) &&
          (backend === null || header.backend.startsWith(backend)),
      );
      const runs = await Promise.all(
        fitting.slice(0, MOST_RUNS).map(({ id }) => library().loadEvaluation({ id })),
      );
      return runs.flatMap((run) => run?.samples ?? []);
    },
    [library, notebook, model, backend, ...inputs],
    { keep: true },
  );
  return paceOf(samples.value ?? []);
}

/** Milliseconds per encoded fact in the notebook's last memorise run; null before there was one. */
export function factPace({ cells }: Notebook): number | null {
  const outputs = cells.flatMap((cell) => (cell.kind === "memorize" && cell.output ? [cell.output] : []));
  const last = outputs.findLast(({ encoded }) => encoded > 0);
  return last ? (last.milliseconds["encode"] ?? 0) / last.encoded || null : null;
}
