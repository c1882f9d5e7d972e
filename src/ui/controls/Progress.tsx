/** @file How far a piece of work is, and how full a thing is: a hairline that fills, with words and numbers above. */

import type { ReactNode } from "react";
import { Row, Stack, Text, cx } from "./layout.tsx";
import s from "./Progress.module.css";

interface ProgressProps {
  readonly label: ReactNode;
  readonly detail?: ReactNode;
  readonly done?: number;
  /** Null: unknown. */
  readonly total?: number | null;
  readonly tone?: "ink" | "rubric" | "lapis" | "verdigris";
  /** meter: how full a thing is. */
  readonly role?: "progressbar" | "meter";
}

export function Progress({
  label,
  detail,
  done = 0,
  total = null,
  tone = "ink",
  role = "progressbar",
}: ProgressProps) {
  const share = total ? Math.min(1, done / total) : 0;
  const waiting = total === null;
  const [max, now] = role === "meter" ? [total!, done] : [100, Math.floor(share * 100)];
  return (
    <Stack gap="0.3rem" className={cx(s.progress, s[tone])}>
      <Row wrap align="baseline" gap="0 1rem" size="s" justify="between" style={{ minHeight: "1.4em" }}>
        <Text shrinks>{label}</Text>
        {detail !== undefined && (
          <Text tone="soft" className="num">
            {detail}
          </Text>
        )}
      </Row>
      <div
        className={s.track}
        role={role}
        aria-label={typeof label === "string" ? label : "Progress"}
        {...(waiting ? {} : { "aria-valuemin": 0, "aria-valuemax": max, "aria-valuenow": now })}
      >
        <div
          className={cx(s.bar, waiting && s.waiting)}
          style={waiting ? undefined : { scale: `${share} 1` }}
        />
      </div>
    </Stack>
  );
}
