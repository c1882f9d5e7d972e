/** @file A value that takes time: a progress line, a failure with a way to try again, then the value drawn. */

import type { DependencyList, ReactNode } from "react";
import { useServices } from "../app.tsx";
import { Notice, Button } from "./basics.tsx";
import { Row, Text } from "./layout.tsx";
import { Progress } from "./Progress.tsx";
import { useAsync, type AsyncState } from "./useAsync.ts";

interface AskedProps<T> {
  readonly state: AsyncState<T> & { readonly again?: () => void };
  /** As in "Reading the key". */
  readonly what: string;
  /** For data that is read only on request. */
  readonly start?: { readonly label: string; readonly note: string; readonly go: () => void };
  readonly children?: (value: T) => ReactNode;
}

export function Asked<T>({ state, what, start, children = () => null }: AskedProps<T>) {
  const { status, value, message, again } = state;
  if (status === "there") return children(value);
  if (value !== null) return children(value);
  if (status === "failed") return <Failed message={message} onAgain={again} />;
  if (status === "idle" && start)
    return (
      <Row wrap gap="0.5rem 1.5rem" align="center">
        <Button label={start.label} onClick={start.go} />
        <Text tone="soft" size="s">
          {start.note}
        </Text>
      </Row>
    );
  return <Progress label={what} done={0} total={null} />;
}

export function Failed({
  message,
  onAgain,
}: {
  readonly message: string;
  readonly onAgain?: (() => void) | undefined;
}) {
  const again = onAgain && <Button size="s" icon="retry" label="Try again" onClick={onAgain} />;
  return (
    <Notice tone="rubric" role="alert" title="This did not work" actions={again}>
      {message}
    </Notice>
  );
}

export function Ask<T>({
  ask,
  inputs,
  ...view
}: Omit<AskedProps<T>, "state"> & {
  /** The signal fires when the answer is no longer wanted. */
  readonly ask: (services: ReturnType<typeof useServices>, signal: AbortSignal) => Promise<T>;
  readonly inputs: DependencyList;
}) {
  const services = useServices();
  return <Asked state={useAsync((signal) => ask(services, signal), [services, ...inputs])} {...view} />;
}
