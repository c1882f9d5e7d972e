/** @file Short messages at the edge of the window: what was done, and the way to undo it. */

import { toast as sonner } from "sonner";
import { withoutArea } from "../../lib/format.ts";

/** Milliseconds for which an undo is offered. */
export const UNDO_WINDOW = 8000;

export const toast = {
  said(message: string): void {
    sonner(message);
  },
  failed(message: string): void {
    sonner.error(withoutArea(message), { duration: 12_000 });
  },
  /** Resolves no promise: `undo` is called at most once, when its button is pressed. */
  undoable(message: string, undo: () => void): void {
    sonner(message, { duration: UNDO_WINDOW, action: { label: "Undo", onClick: undo } });
  },
} as const;
