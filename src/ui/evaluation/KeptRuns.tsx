/** @file The kept runs of the notebook, including those that no cell shows any more; each can be removed. */

import { useState } from "react";
import type { RunHeader } from "../../records/run.ts";
import { STUDY_INFO } from "../../records/studies.ts";
import type { ListedRun } from "../../service/library/savedRuns.ts";
import { somethingGoes } from "../../state/going.ts";
import { useActions, useApp, useCanWrite, useNotebook } from "../app.tsx";
import { Button } from "../controls/basics.tsx";
import { Confirm } from "../controls/Dialog.tsx";
import { Disclosure } from "../controls/Disclosure.tsx";
import { Grid, Stack, Text } from "../controls/layout.tsx";
import { attempt, toast } from "../controls/page.ts";
import { counted, dateTime } from "../format.ts";
import { madeOn, methodTitle } from "./evaluationText.ts";
import { useRunList } from "./useRuns.ts";

export function KeptRuns({
  kind,
  shown,
  changed,
}: {
  readonly kind: RunHeader["kind"];
  readonly shown: string | undefined;
  readonly changed: unknown;
}) {
  const { removeRun } = useActions();
  // A run that goes on writes its records: nothing may be removed under it.
  const busy = useApp(somethingGoes);
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
        {runs.map((run) => (
          <KeptRun
            key={run.id}
            run={run}
            shown={run.id === shown}
            busy={busy}
            onRemove={() => setLeaving(run)}
          />
        ))}
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

function textsOf({ header, records }: ListedRun): readonly [name: string, what: string, made: string] {
  return header.kind === "evaluation"
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
}

function KeptRun({
  run,
  shown,
  busy,
  onRemove,
}: {
  readonly run: ListedRun;
  readonly shown: boolean;
  readonly busy: boolean;
  readonly onRemove: () => void;
}) {
  const canWrite = useCanWrite();
  const [name, what, made] = textsOf(run);
  return (
    <Grid as="li" columns="minmax(0, 1fr) auto" gap={3} align="start">
      <div>
        {name}
        {shown && ", shown here"}: {what}
        <Text as="div" tone="soft" size="s">
          {made}
        </Text>
      </div>
      <Button
        size="s"
        icon="trash"
        label="Remove"
        disabled={!canWrite || busy}
        aria-label={`Remove the run ${name}`}
        onClick={onRemove}
      />
    </Grid>
  );
}
