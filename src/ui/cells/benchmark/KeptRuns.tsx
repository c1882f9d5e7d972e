/** @file The evaluations that are kept for this notebook, also those that no cell shows any more: each can be removed. */

import { useState } from "react";
import type { ListedEvaluation } from "../../../rpc/evaluation.ts";
import { somethingGoes } from "../../../state/going.ts";
import { useActions, useApp, useCanWrite, useNotebook, useServices, type CellProps } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { Confirm } from "../../controls/Dialog.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { toast } from "../../controls/toasts.ts";
import { useAsync } from "../../controls/useAsync.ts";
import { madeOn, methodTitle } from "../../evaluation/evaluationText.ts";
import { counted } from "../../format.ts";
import { attempt } from "../../shell/notebookItems.ts";
import s from "./BenchmarkCell.module.css";

export function KeptRuns({ cell: { output } }: CellProps<"benchmark">) {
  const { library } = useServices();
  const { removeEvaluation } = useActions();
  const notebook = useNotebook();
  // A run that goes on writes its samples: nothing is taken from under it.
  const busy = useApp(somethingGoes);
  const [leaving, setLeaving] = useState<ListedEvaluation | null>(null);
  const { value: runs, again } = useAsync(
    () => library().evaluations({ notebook: notebook.id }),
    [library, notebook.id, output?.runId, output?.kept],
    { wanted: !busy, keep: true },
  );
  if (!runs || runs.length === 0) return null;
  const remove = async ({ id }: ListedEvaluation): Promise<void> => {
    await removeEvaluation(id);
    again();
    toast.said("The run and its samples are removed.");
  };
  return (
    <Disclosure summary={`Kept in this notebook: ${counted(runs.length, "run")}`}>
      <ul className={s.runs}>
        {runs.map((run) => (
          <KeptRun
            key={run.id}
            run={run}
            shown={run.id === output?.runId}
            busy={busy}
            onRemove={() => setLeaving(run)}
          />
        ))}
      </ul>
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title="Remove this run?"
        description="Its samples are removed from this browser, for every cell that shows them. This cannot be undone: save the run first if you want to keep it."
        confirm="Remove the run"
        onConfirm={() => leaving && void attempt(() => remove(leaving))}
      />
    </Disclosure>
  );
}

function KeptRun({
  run: { header, samples },
  shown,
  busy,
  onRemove,
}: {
  readonly run: ListedEvaluation;
  readonly shown: boolean;
  readonly busy: boolean;
  readonly onRemove: () => void;
}) {
  const canWrite = useCanWrite();
  const name = `${header.benchmark}, ${counted(samples, "sample")}`;
  return (
    <li>
      <p>
        {name}
        {shown && ", shown here"}: {header.methods.map(methodTitle).join(", ")}
      </p>
      <p className={s.soft}>{madeOn(header)}</p>
      <Button
        size="s"
        icon="trash"
        disabled={!canWrite || busy}
        aria-label={`Remove the run ${name}`}
        onClick={onRemove}
      >
        Remove
      </Button>
    </li>
  );
}
