/** @file How a run ended that has no output: what went wrong, and the way on. */

import type { Cell } from "../../../records/notebook.ts";
import type { CellRun } from "../../../state/types.ts";
import { useActions } from "../../app.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";
import { CopyButton } from "../../controls/CopyButton.tsx";
import { Text } from "../../controls/layout.tsx";

export function Failure({ cell, run }: { readonly cell: Cell; readonly run: CellRun }) {
  const { runCell, restartWorker, dismissRun, takeMemorysEmbedder } = useActions();
  const { status, problem } = run;
  const take = async (): Promise<void> => {
    if (await takeMemorysEmbedder(cell.id)) await runCell(cell.id);
  };
  const dismiss = (
    <Button size="s" look="quiet" onClick={() => dismissRun(cell.id)}>
      Dismiss
    </Button>
  );
  if (status === "cancelled")
    return (
      <Text as="div" above={4}>
        <Notice tone="plain" role="status" actions={dismiss}>
          {cell.kind === "store"
            ? "Stopped. What was not finished left the memory as it was."
            : "Stopped. What was finished before is kept."}
        </Notice>
      </Text>
    );
  if (status !== "failed" || !problem) return null;
  const crashed = problem.name === "WorkerCrashed";
  return (
    <Text as="div" above={4}>
      <Notice
        tone="rubric"
        role="alert"
        title={crashed ? "The engine stopped" : "This did not work"}
        actions={
          <>
            {crashed ? (
              <Button size="s" onClick={() => void restartWorker("engine")}>
                Start again
              </Button>
            ) : (
              <Button size="s" onClick={() => void runCell(cell.id)}>
                Try again
              </Button>
            )}
            {problem.name === "WrongEmbedder" && (
              <Button size="s" onClick={() => void take()}>
                Take the memory’s embedder
              </Button>
            )}
            <CopyButton label="Copy details" text={() => `${problem.message}\n\n${problem.stack}`} />
            {dismiss}
          </>
        }
      >
        <Text whiteSpace="pre-line">{problem.message}</Text>
      </Notice>
    </Text>
  );
}
