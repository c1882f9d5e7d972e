/** @file The model cell: which frozen model, what it takes, how it is coming, and what it runs on. */

import type { CellProps } from "../../app.tsx";
import { useRun } from "../../app.tsx";
import { LoadLine } from "../frame/RunLive.tsx";
import { ModelOutput } from "./ModelOutput.tsx";

export function ModelCell({ cell }: CellProps<"model">) {
  const run = useRun(cell.id);
  const progress = run?.progress;
  return (
    <div>
      {progress?.kind === "load" && run?.status === "running" && <LoadLine progress={progress} />}
      {cell.output && <ModelOutput output={cell.output} />}
    </div>
  );
}
