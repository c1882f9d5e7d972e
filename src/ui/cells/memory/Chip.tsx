/** @file A filter that is on or off, as a word on the page; the number says how many facts it would leave. */

import type { ReactNode } from "react";
import { count } from "../../format.ts";
import { Text } from "../../controls/layout.tsx";
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
      {facts !== undefined && (
        <Text font="mono" numeric className={s.facts}>
          {count(facts)}
        </Text>
      )}
    </button>
  );
}
