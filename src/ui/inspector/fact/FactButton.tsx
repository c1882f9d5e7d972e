/** @file A fact named in a sentence or a list: it opens in the drawer. */

import type { ReactNode } from "react";
import type { FactId } from "../../../records/ids.ts";
import { useActions } from "../../app.tsx";
import s from "./FactPanel.module.css";

export function FactButton({
  id,
  look,
  label,
  children,
}: {
  readonly id: FactId;
  /** link: a word in a line; neighbour: a sentence among others. */
  readonly look: "link" | "neighbour";
  readonly label?: string;
  readonly children: ReactNode;
}) {
  const { inspect } = useActions();
  return (
    <button
      type="button"
      className={s[look]}
      aria-label={label}
      onClick={() => inspect({ kind: "fact", id })}
    >
      {children}
    </button>
  );
}
