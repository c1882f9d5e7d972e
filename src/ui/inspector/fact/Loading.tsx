/** @file What is fetched for a section: a line while it is on its way, and what failed with the way to try again. */

import { useCallback, type ReactNode } from "react";
import { Notice } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import s from "./FactPanel.module.css";

/** `load` must be the same function while nothing changes. */
export function Loading<T>({
  load,
  what,
  children,
}: {
  readonly load: () => Promise<T>;
  /** As in "Reading the key". */
  readonly what: string;
  readonly children: (value: T) => ReactNode;
}) {
  const asked = useAsync(load, [load]);
  if (asked.status === "there") return children(asked.value);
  if (asked.status === "failed") return <Failed message={asked.message} onAgain={asked.again} />;
  return (
    <p className={s.soft} role="status">
      {what} …
    </p>
  );
}

export function Failed({ message, onAgain }: { readonly message: string; readonly onAgain?: () => void }) {
  return (
    <Notice
      tone="rubric"
      role="alert"
      title="This did not work"
      actions={
        onAgain && (
          <Button size="s" icon="retry" onClick={onAgain}>
            Try again
          </Button>
        )
      }
    >
      {message}
    </Notice>
  );
}

/** What a section needs of the engine: the model is opened when a person asks for it, not before. */
export function NeedsModel({
  open,
  onOpen,
  children,
}: {
  readonly open: boolean;
  readonly onOpen: () => Promise<boolean>;
  readonly children: ReactNode;
}) {
  const press = useCallback(() => void onOpen(), [onOpen]);
  if (open) return children;
  return (
    <p className={s.soft}>
      The model computes this.{" "}
      <Button size="s" onClick={press}>
        Open the model
      </Button>
    </p>
  );
}
