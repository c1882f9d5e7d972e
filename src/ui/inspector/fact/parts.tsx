/** @file What several sections of the fact panel use. */

import type { ReactNode } from "react";
import type { FactId } from "../../../records/ids.ts";
import { useActions } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

/** A section that needs the model; the model is opened on request only. */
export function NeedsModel({
  tools: { modelOpen, openModel },
  children,
}: {
  readonly tools: FactTools;
  readonly children: ReactNode;
}) {
  if (modelOpen) return children;
  return (
    <p className={s.soft}>
      The model computes this.{" "}
      <Button size="s" onClick={() => void openModel()}>
        Open the model
      </Button>
    </p>
  );
}

interface FactButtonProps {
  readonly id: FactId;
  /** link: a word in a line; neighbour: a sentence among others. */
  readonly look: "link" | "neighbour";
  readonly label?: string;
  readonly children: ReactNode;
}

/** A fact named in a sentence or a list; it opens in the drawer. */
export function FactButton({ id, look, label, children }: FactButtonProps) {
  const { inspect } = useActions();
  const open = (): void => inspect({ kind: "fact", id });
  return (
    <button type="button" className={s[look]} aria-label={label} onClick={open}>
      {children}
    </button>
  );
}
