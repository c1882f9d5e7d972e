/** @file What is fetched for a section: a line while it is on its way, and what failed with the way to try again. */

import type { DependencyList, ReactNode } from "react";
import { useServices } from "../../app.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

export function Loading<T>({
  ask,
  inputs,
  what,
  children,
}: {
  /** The signal fires when the answer is no longer wanted. */
  readonly ask: (services: ReturnType<typeof useServices>, signal: AbortSignal) => Promise<T>;
  /** Dependencies of `ask`. */
  readonly inputs: DependencyList;
  /** As in "Reading the key". */
  readonly what: string;
  readonly children: (value: T) => ReactNode;
}) {
  const services = useServices();
  const { status, value, message, again } = useAsync(
    (signal) => ask(services, signal),
    [services, ...inputs],
  );
  if (status === "there") return children(value);
  if (status === "failed") return <Failed message={message} onAgain={again} />;
  return (
    <p className={s.soft} role="status">
      {what} …
    </p>
  );
}

export function Failed({ message, onAgain }: { readonly message: string; readonly onAgain?: () => void }) {
  const again = onAgain && (
    <Button size="s" icon="retry" onClick={onAgain}>
      Try again
    </Button>
  );
  return (
    <Notice tone="rubric" role="alert" title="This did not work" actions={again}>
      {message}
    </Notice>
  );
}

/** A section that needs the model; the model is opened on request only. */
export function NeedsModel({
  tools: { modelOpen, openModel },
  children,
}: {
  readonly tools: Pick<FactTools, "modelOpen" | "openModel">;
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
