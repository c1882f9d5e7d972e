/** @file Something that is fetched for a fact: on its way, here, or failed with a reason and a second try. */

import { useCallback, useEffect, useState } from "react";

export type Loaded<T> =
  | { readonly status: "waiting" }
  | { readonly status: "here"; readonly value: T }
  | { readonly status: "failed"; readonly message: string };

/**
 * Calls `load` when the component comes and whenever `load` is another function; an answer that comes late for an
 * earlier one is dropped. The second value loads again.
 */
export function useLoad<T>(load: () => Promise<T>): readonly [Loaded<T>, () => void] {
  const [state, setState] = useState<Loaded<T>>(WAITING);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let over = false;
    setState(WAITING);
    load().then(
      (value) => {
        if (!over) setState({ status: "here", value });
      },
      (error: unknown) => {
        if (!over) setState({ status: "failed", message: messageOf(error) });
      },
    );
    return () => {
      over = true;
    };
  }, [load, turn]);
  const again = useCallback(() => {
    setTurn((now) => now + 1);
  }, []);
  return [state, again];
}

const WAITING = { status: "waiting" } as const;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
