/** @file Kept evaluations, read from the library: that of a cell, and what earlier samples of the notebook took. */

import { paceOf, type Pace } from "../../../evaluate/pace.ts";
import type { Evaluation } from "../../../records/evaluation.ts";
import type { BenchmarkCell } from "../../../records/notebook.ts";
import { useApp, useServices } from "../../app.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { sliceOf } from "../../evaluation/evaluationText.ts";

/** While a run goes on it is read again after so many of its parts. */
const READINGS = 20;

/** The cell's part of its run; null while it is read, and where it is not kept here. */
export function useEvaluation(output: BenchmarkCell["output"]): {
  readonly run: Evaluation | null;
  readonly waiting: boolean;
} {
  const { library } = useServices();
  const step = Math.max(1, Math.floor((output?.planned ?? 0) / READINGS));
  const [kept, planned] = [output?.kept ?? 0, output?.planned ?? 0];
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

/** Runs that are read for their paces. */
const MOST_RUNS = 3;

/** What samples took in this notebook with the model that is open; with any, where none is. */
export function usePace(notebook: string, inputs: readonly unknown[]): Pace {
  const { library } = useServices();
  const model = useApp(({ device }) => device.model?.identity.sha256 ?? null);
  const backend = useApp(({ device }) => device.model?.device.backend ?? null);
  const samples = useAsync(
    async () => {
      const listed = await library().evaluations({ notebook });
      const fitting = listed.filter(
        ({ id, header }) =>
          // What was imported took its time on another machine.
          id.startsWith("evaluation-") &&
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
