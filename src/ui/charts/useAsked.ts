/** @file Something a worker is asked for: waiting, there, or failed; what is no longer wanted is cancelled. */

import { useEffect, useState, type DependencyList } from "react";

export interface AskedState<T> {
  readonly status: "idle" | "waiting" | "there" | "failed";
  readonly value: T | null;
  readonly message: string;
}

const IDLE = { status: "idle", value: null, message: "" } as const;

/** Asks whenever `wanted` and one of `inputs` changes. */
export function useAsked<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: DependencyList,
  wanted = true,
): AskedState<T> {
  const [state, setState] = useState<AskedState<T>>(IDLE);
  useEffect(() => {
    if (!wanted) {
      setState(IDLE);
      return undefined;
    }
    const controller = new AbortController();
    setState({ status: "waiting", value: null, message: "" });
    ask(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ status: "there", value, message: "" });
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        if (!controller.signal.aborted) setState({ status: "failed", value: null, message });
      },
    );
    return () => {
      controller.abort();
    };
    // `ask` is another function at every drawing; `inputs` says what it depends on.
  }, [...inputs, wanted]);
  return state;
}
