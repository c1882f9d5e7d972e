/** @file Shown in place of a figure until its data is read. */

import { Notice } from "../controls/Badge.tsx";
import { Button } from "../controls/Button.tsx";
import { Progress } from "../controls/Progress.tsx";
import type { AsyncState } from "../controls/useAsync.ts";
import { Row, Text } from "../controls/layout.tsx";
import s from "./charts.module.css";

export function Asked({
  state: { status, message },
  waiting,
  start,
}: {
  readonly state: AsyncState<unknown>;
  readonly waiting: string;
  /** For data that is read only on request. */
  readonly start?: { readonly label: string; readonly note: string; readonly go: () => void };
}) {
  if (status === "failed")
    return (
      <Notice tone="ochre" title="Could not make this figure">
        {message}
      </Notice>
    );
  if (status === "idle" && start)
    return (
      <Row wrap gap="0.5rem 1.5rem" align="center">
        <Button onClick={start.go}>{start.label}</Button>
        <Text tone="soft" size="s">
          {start.note}
        </Text>
      </Row>
    );
  return (
    <div className={s.waiting}>
      <Progress label={waiting} done={0} total={null} />
    </div>
  );
}
