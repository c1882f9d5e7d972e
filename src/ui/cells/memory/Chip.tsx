/** @file A filter that is on or off, as a word on the page; the number says how many facts it would leave. */

import type { ReactNode } from "react";
import { count } from "../../format.ts";
import s from "./Chip.module.css";

export function Chip({
  on,
  onToggle,
  children,
  facts,
  title,
}: {
  readonly on: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
  readonly facts?: number | undefined;
  readonly title?: string | undefined;
}) {
  return (
    <button type="button" className={s.chip} aria-pressed={on} onClick={onToggle} title={title}>
      <span className={s.word}>{children}</span>
      {facts !== undefined && <span className={s.facts}>{count(facts)}</span>}
    </button>
  );
}
