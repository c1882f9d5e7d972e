/** @file How far a piece of work is, and how full a thing is: a hairline that fills, with words and numbers above. */

import type { ReactNode } from "react";
import { cx, Row, Stack, Text } from "./layout.tsx";
import s from "./Progress.module.css";

/** `total` null: unknown. `detail` is shown at the right end. */
export function Progress({
  label,
  detail,
  done,
  total,
  tone = "ink",
  quiet,
}: {
  readonly label: ReactNode;
  readonly detail?: ReactNode;
  readonly done: number;
  readonly total: number | null;
  readonly tone?: "ink" | "rubric" | "lapis" | "verdigris";
  /** Without the line of words; `label` is then read aloud only. */
  readonly quiet?: boolean;
}) {
  const share = total ? Math.min(1, done / total) : 0;
  const waiting = total === null;
  return (
    <Stack gap="0.3rem" className={cx(s.progress, s[tone])}>
      {!quiet && <Labels label={label} detail={detail} />}
      <div
        className={s.track}
        role="progressbar"
        aria-label={typeof label === "string" ? label : "Progress"}
        {...(waiting
          ? {}
          : { "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.floor(share * 100) })}
      >
        <div
          className={cx(s.bar, waiting && s.waiting)}
          style={waiting ? undefined : { scale: `${share} 1` }}
        />
      </div>
    </Stack>
  );
}

export function Meter({
  label,
  detail,
  value,
  max,
}: {
  readonly label: string;
  readonly detail?: ReactNode;
  readonly value: number;
  readonly max: number;
}) {
  return (
    <Stack gap="0.3rem" className={s.progress}>
      <Labels label={label} detail={detail} />
      <div
        className={s.track}
        role="meter"
        aria-label={label}
        {...{ "aria-valuemin": 0, "aria-valuemax": max, "aria-valuenow": value }}
      >
        <div className={s.bar} style={{ scale: `${max > 0 ? Math.min(1, value / max) : 0} 1` }} />
      </div>
    </Stack>
  );
}

function Labels({ label, detail }: { readonly label: ReactNode; readonly detail: ReactNode }) {
  return (
    <Row wrap align="baseline" gap="0 1rem" size="s" justify="between" style={{ minHeight: "1.4em" }}>
      <Text shrinks>{label}</Text>
      {detail !== undefined && (
        <Text tone="soft" className={cx("num")}>
          {detail}
        </Text>
      )}
    </Row>
  );
}
