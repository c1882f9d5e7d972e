/** @file The address of the page about the paper: a hash, so that the browser's back button leaves it. */

import { useSyncExternalStore } from "react";

const PAPER = "#the-paper";

export const openPaper = (): void => void (location.hash = PAPER);

/** Whether to show the page about the paper in place of the notebook. */
export const usePaperOpen = (): boolean => useSyncExternalStore(subscribe, () => location.hash === PAPER);

function subscribe(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}
