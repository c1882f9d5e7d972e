/** @file Kept runs, read from the library: a cell's own, those of the notebook, and how long their samples took. */

import { paceOf, type Pace } from "../../evaluate/runs/pace.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import type { BenchmarkCell, Notebook } from "../../records/notebook.ts";
import type { Run } from "../../records/run.ts";
import type { ListedRun } from "../../service/library/savedRuns.ts";
import { useApp, useServices } from "../app.tsx";
import { useAsync } from "../controls/useAsync.ts";
import { sliceOf } from "./evaluationText.ts";

const READINGS = 20;

/** The cell's part of its evaluation; null while it is read, and if it is not kept in this browser. */
export function useEvaluation(output: BenchmarkCell["output"]): {
  readonly run: Evaluation | null;
  readonly waiting: boolean;
} {
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

/** A study with its cases so far; null while it is read, and if there is none. It is read again when `cases` changes. */
export function useStudy(id: string | null, cases: number): Run | null {
  const { library } = useServices();
  const { value: run } = useAsync(() => library().loadRun({ id: id! }), [library, id, cases], {
    wanted: id !== null,
    keep: true,
  });
  return run && run.header.id === id ? run : null;
}

export function useRunList(
  notebook: string,
  changed: unknown,
  wanted = true,
): { readonly runs: readonly ListedRun[]; readonly again: () => void } {
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
