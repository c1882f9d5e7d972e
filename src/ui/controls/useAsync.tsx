/** @file Something that takes time: waiting, there, or failed with a way to ask again; what comes late is dropped. */

import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type DependencyList,
  type ReactNode,
} from "react";
import { toldOf } from "../../lib/format.ts";
import { useServices } from "../app.tsx";
import { Notice, Button } from "./basics.tsx";
import { Progress } from "./Progress.tsx";

export type AsyncState<T> =
  /** idle: not wanted. The value may be that of earlier inputs. */
  | { readonly status: "idle" | "waiting"; readonly value: T | null; readonly message: "" }
  | { readonly status: "there"; readonly value: T; readonly message: "" }
  | { readonly status: "failed"; readonly value: null; readonly message: string };

export type Async<T> = AsyncState<T> & {
  readonly again: () => void;
};

interface AsyncOptions {
  readonly wanted?: boolean;
  /** Milliseconds without changes before the call, for typed input. */
  readonly delay?: number;
  /** The value of before stays until the next one is there. */
  readonly keep?: boolean;
}

/** Asks when one of `inputs` changes; the signal fires when the answer is no longer wanted. Late answers are dropped. */
export function useAsync<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: DependencyList,
  { wanted = true, delay = 0, keep = false }: AsyncOptions = {},
): Async<T> {
  const [turn, setTurn] = useState(0);
  const [answer, setAnswer] = useState<AsyncAnswer<T> | null>(null);
  const now = [...inputs, turn];
  useEffect(() => {
    if (!wanted) return undefined;
    const controller = new AbortController();
    const take = (state: AsyncState<T>): void => {
      if (!controller.signal.aborted) setAnswer({ to: now, state });
    };
    const go = (): void => {
      ask(controller.signal).then(
        (value) => take({ status: "there", value, message: "" }),
        (error: unknown) => take({ status: "failed", value: null, message: toldOf(error) }),
      );
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (delay > 0) timer = setTimeout(go, delay);
    else go();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `ask` is new at every drawing; `inputs` says what it depends on
  }, [...now, wanted]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  const state = stateOf(answer, now, wanted, keep);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `state` is new at every drawing; its parts say whether it changed
  return useMemo(() => ({ ...state, again }), [state.status, state.value, state.message, again]);
}

export interface AsyncAnswer<T> {
  readonly to: DependencyList;
  readonly state: AsyncState<T>;
}

export function stateOf<T>(
  answer: AsyncAnswer<T> | null,
  inputs: DependencyList,
  wanted: boolean,
  keep: boolean,
): AsyncState<T> {
  if (wanted && answer && sameInputs(answer.to, inputs)) return answer.state;
  return {
    status: wanted ? "waiting" : "idle",
    value: keep ? (answer?.state.value ?? null) : null,
    message: "",
  };
}

const sameInputs = (a: DependencyList, b: DependencyList): boolean =>
  a.length === b.length && a.every((input, i) => Object.is(input, b[i]));

/** A function with a stable identity that calls the latest `handler`, for memoised rows and effects. */
export function useStable<Arguments extends unknown[]>(
  handler: (...given: Arguments) => void,
): (...given: Arguments) => void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  return useCallback((...given: Arguments) => latest.current(...given), []);
}

interface AskedProps<T> {
  readonly state: AsyncState<T> & { readonly again?: () => void };
  readonly what: string;
  readonly children?: (value: T) => ReactNode;
}

export function Asked<T>({ state, what, children = () => null }: AskedProps<T>) {
  const { status, value, message, again } = state;
  if (status === "there") return children(value);
  if (value !== null) return children(value);
  if (status === "failed") return <Failed message={message} onAgain={again} />;
  return <Progress label={what} />;
}

interface FailedProps {
  readonly message: string;
  readonly title?: string;
  readonly onAgain?: (() => void) | undefined;
}

export function Failed({ message, title = "This did not work", onAgain }: FailedProps) {
  const again = onAgain && <Button size="s" icon="retry" label="Try again" onClick={onAgain} />;
  return (
    <Notice tone="rubric" role="alert" title={title} actions={again}>
      {message}
    </Notice>
  );
}

export function Ask<T>({
  ask,
  inputs,
  ...view
}: Omit<AskedProps<T>, "state"> & {
  readonly ask: (services: ReturnType<typeof useServices>, signal: AbortSignal) => Promise<T>;
  readonly inputs: DependencyList;
}) {
  const services = useServices();
  return <Asked state={useAsync((signal) => ask(services, signal), [services, ...inputs])} {...view} />;
}
