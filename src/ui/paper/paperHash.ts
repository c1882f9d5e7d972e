/** @file The address of the page about the paper: a hash beside the notebook's, so that the browser's own back leads out. */

import { useSyncExternalStore } from "react";

const PAPER = "#the-paper";

export const openPaper = (): void => void (location.hash = PAPER);

/** Whether the page about the paper is to be shown in the notebook's place. */
export const usePaperOpen = (): boolean => useSyncExternalStore(subscribe, () => location.hash === PAPER);

function subscribe(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}
