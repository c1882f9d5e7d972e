/** @file Runs of benchmark and experiment cells: every record is kept as soon as it is made, so that a stopped run can continue. */

import type { RunArgument, RunPlan } from "../../service/evaluation/evaluation.ts";
import type { RunContext } from "../runs.ts";

/**
 * Keeps the header of `plan`, then makes and keeps its missing records. `show` gets the number of kept records.
 * @throws if a record cannot be kept; then no further record is made
 */
export async function makeKept(
  { core, signal, report }: RunContext,
  notebook: string,
  argument: RunArgument,
  { run: id, header, ids }: RunPlan,
  show: (kept: number) => void,
): Promise<void> {
  const library = core.library();
  await library.keepRun({ notebook, id, header });
  const known = new Set(await library.keptRecords({ id }));
  const have = ids.filter((one) => known.has(one));
  let kept = have.length;
  show(kept);
  const failed = new AbortController();
  let writing: Promise<void> = Promise.resolve();
  try {
    await core.engine().makeRecords(
      { ...argument, have },
      {
        signal: AbortSignal.any([signal, failed.signal]),
        onProgress(event) {
          if (event.kind === "progress") {
            report({ kind: "study", progress: event.progress });
            return;
          }
          writing = writing.then(async () => {
            await library.keepRecords({ id, records: [event.record] });
            show(++kept);
          });
          // Awaited below; until then a failure must not be an unhandled rejection.
          writing.catch(() => failed.abort());
        },
      },
    );
  } finally {
    await writing;
  }
}
