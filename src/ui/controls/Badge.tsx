/** @file A state as a coloured word; the word alone is sufficient. */

import type { ReactNode } from "react";
import { cx } from "../cx.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { Row } from "./layout.tsx";
import s from "./Badge.module.css";

export type Tone = "plain" | "rubric" | "lapis" | "verdigris" | "ochre";

export function Badge({
  tone = "plain",
  icon,
  children,
}: {
  readonly tone?: Tone;
  readonly icon?: IconName;
  readonly children: ReactNode;
}) {
  return (
    <Row
      as="span"
      align="center"
      gap="0.3rem"
      size="s"
      whiteSpace="nowrap"
      inline
      className={cx(s[tone])}
      style={{ color: "var(--tone-ink, var(--ink-soft))" }}
    >
      {icon && <Icon name={icon} size={13} />}
      {children}
    </Row>
  );
}

/** A sentence that must not be missed: an error, a reason and what to do; buttons at its end. */
export function Notice({
  tone = "ochre",
  title,
  children,
  actions,
  role,
}: {
  readonly tone?: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** "alert" where something just failed. */
  readonly role?: "alert" | "status";
}) {
  return (
    <Row
      wrap
      align="center"
      gap="0.5rem 1rem"
      justify="between"
      className={cx(s.notice, s[tone])}
      role={role}
    >
      <div className={s.words}>
        {title && <strong>{title}</strong>}
        {children}
      </div>
      {actions && (
        <Row wrap gap="0.5rem">
          {actions}
        </Row>
      )}
    </Row>
  );
}
