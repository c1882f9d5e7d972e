/** @file Saved runs of the notebook, read from the library. */

import { useEffect, useState } from "react";
import type { Run } from "../../../records/run.ts";
import type { ListedStudyRun } from "../../../rpc/inspection.ts";
import { useServices } from "../../app.tsx";

/** The run with its cases so far; null while it is read, and where there is none. `cases` says when to read again. */
export function useStoredRun(id: string | null, cases: number): Run | null {
  const { library } = useServices();
  const [run, setRun] = useState<Run | null>(null);
  useEffect(() => {
    let stale = false;
    if (id === null) setRun(null);
    else
      library()
        .loadRun({ id })
        .then(
          (found) => {
            if (!stale) setRun(found);
          },
          () => {
            if (!stale) setRun(null);
          },
        );
    return () => {
      stale = true;
    };
  }, [library, id, cases]);
  return run && run.header.id === id ? run : null;
}

/** The notebook's runs, newest first; `cases` says when to read again. */
export function useRunList(notebook: string, cases: number): readonly ListedStudyRun[] {
  const { library } = useServices();
  const [list, setList] = useState<readonly ListedStudyRun[]>([]);
  useEffect(() => {
    let stale = false;
    library()
      .runs({ notebook })
      .then(
        (found) => {
          if (!stale) setList(found);
        },
        () => undefined,
      );
    return () => {
      stale = true;
    };
  }, [library, notebook, cases]);
  return list;
}
