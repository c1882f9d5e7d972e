/** @file A line of tabs with one tab in it, whose place the test changes. */

import type { WriterLock, WriterOptions } from "../../store/locks.ts";

/** `hold` goes to the app; `become` is what another tab does to it. */
export function createWriterLine(first: "writer" | "reader" = "writer") {
  let state = first;
  let options: WriterOptions | undefined;
  const become = (next: "writer" | "reader"): void => {
    state = next;
    options?.onChange?.({ state, who: state === "reader" ? "Another notebook" : null, running: null });
    if (next === "reader") options?.onLost?.();
  };
  return {
    become,
    hold: async (given: WriterOptions): Promise<WriterLock> => {
      options = given;
      return {
        now: () => ({ state, who: null, running: null }),
        takeOver: async () => become("writer"),
        saved: () => undefined,
        tell: () => undefined,
      };
    },
  };
}
