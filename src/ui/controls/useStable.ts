/** @file A handler that stays one function while what it does changes. */

import { useCallback, useEffect, useRef } from "react";

/** One function for good that always does what `handler` does now: for rows that need not be drawn again, and effects. */
export function useStable<Arguments extends unknown[]>(
  handler: (...given: Arguments) => void,
): (...given: Arguments) => void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  return useCallback((...given: Arguments) => latest.current(...given), []);
}
