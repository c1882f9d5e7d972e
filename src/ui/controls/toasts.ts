/** @file Short messages at the edge of the window: what was done, and the way to undo it. */

import type { toast as Sonner } from "sonner";
import { withoutArea } from "../../lib/format.ts";

/** Milliseconds for which an undo is offered. */
export const UNDO_WINDOW = 8000;

type Show = typeof Sonner;
let stand: (show: Show) => void;
const standing = new Promise<Show>((resolve) => (stand = resolve));

export const toastsStand = (show: Show): void => stand(show);

export const whenShown = (work: (show: Show) => void): void => void standing.then(work);

export const toast = {
  said(message: string): void {
    whenShown((show) => show(message));
  },
  failed(message: string, way?: { readonly label: string; readonly onClick: () => void }): void {
    whenShown((show) => show.error(withoutArea(message), { duration: 12_000, ...(way && { action: way }) }));
  },
  /** Resolves no promise: `undo` is called at most once, when its button is pressed. */
  undoable(message: string, undo: () => void): void {
    whenShown((show) => show(message, { duration: UNDO_WINDOW, action: { label: "Undo", onClick: undo } }));
  },
} as const;

/** The element that is read aloud when its text changes; {@link announce} writes into it. */
export const ANNOUNCER = "announcer";

export function announce(words: string): void {
  const element = document.getElementById(ANNOUNCER);
  if (element) element.textContent = words;
}

export async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    toast.failed((error as Error).message);
  }
}
