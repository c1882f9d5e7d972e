/** @file What stands in a figure's place until its data is there. */

import { Notice } from "../controls/Badge.tsx";
import { Button } from "../controls/Button.tsx";
import { Progress } from "../controls/Progress.tsx";
import type { AsyncState } from "../controls/useAsync.ts";
import s from "./Panel.module.css";

export function Asked({
  state: { status, message },
  waiting,
  start,
}: {
  readonly state: AsyncState<unknown>;
  readonly waiting: string;
  /** For what is asked for only when the user says so. */
  readonly start?: { readonly label: string; readonly note: string; readonly go: () => void };
}) {
  if (status === "failed")
    return (
      <Notice tone="ochre" title="This figure could not be made">
        {message}
      </Notice>
    );
  if (status === "idle" && start)
    return (
      <div className={s.tools}>
        <Button onClick={start.go}>{start.label}</Button>
        <span className={s.note}>{start.note}</span>
      </div>
    );
  return (
    <div className={s.waiting}>
      <Progress label={waiting} done={0} total={null} />
    </div>
  );
}
