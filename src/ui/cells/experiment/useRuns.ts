/** @file Saved runs of the notebook, read from the library. */

import type { Run } from "../../../records/run.ts";
import type { ListedStudyRun } from "../../../rpc/inspection.ts";
import { useServices } from "../../app.tsx";
import { useAsync } from "../../controls/useAsync.ts";

/** The run with its cases so far; null while it is read, and where there is none. `cases` says when to read again. */
export function useStoredRun(id: string | null, cases: number): Run | null {
  const { library } = useServices();
  const run = useAsync(() => library().loadRun({ id: id! }), [library, id, cases], {
    wanted: id !== null,
    keep: true,
  }).value;
  return run && run.header.id === id ? run : null;
}

/** The notebook's runs, newest first; `cases` says when to read again. */
export function useRunList(notebook: string, cases: number): readonly ListedStudyRun[] {
  const { library } = useServices();
  const runs = useAsync(() => library().runs({ notebook }), [library, notebook, cases], { keep: true });
  return runs.value ?? NO_RUNS;
}

const NO_RUNS: readonly ListedStudyRun[] = [];
