/**
 * @file Deletions that can still be undone. A deletion waits for its window; only when that has run out is the engine
 * asked to delete. Nothing of this is saved: a tab that closes within the window has deleted nothing.
 */

import type { FactId } from "../../../records/ids.ts";

/** How long a deletion can be undone, in milliseconds. */
export const UNDO_MS = 8000;

export interface PendingDeletion {
  readonly number: number;
  readonly ids: readonly FactId[];
  /** What is to go, in words: a key, or how many facts. */
  readonly what: string;
  /** Milliseconds left; the clock stands while a person's pointer or focus is on the notice. */
  readonly left: number;
  readonly held: boolean;
}

export interface UndoWindow {
  readonly next: number;
  readonly pending: readonly PendingDeletion[];
}

export const EMPTY_WINDOW: UndoWindow = { next: 1, pending: [] };

/** Opens a window for `ids`; facts that wait already are not taken twice. */
export function propose(state: UndoWindow, ids: readonly FactId[], what: string): UndoWindow {
  const waiting = waitingIds(state);
  const fresh = ids.filter((id) => !waiting.has(id));
  if (fresh.length === 0) return state;
  const deletion = { number: state.next, ids: fresh, what, left: UNDO_MS, held: false };
  return { next: state.next + 1, pending: [...state.pending, deletion] };
}

/** Facts that are hidden from the table because they wait for deletion. */
export const waitingIds = ({ pending }: UndoWindow): ReadonlySet<FactId> =>
  new Set(pending.flatMap(({ ids }) => ids));

export const undo = (state: UndoWindow, number: number): UndoWindow => ({
  ...state,
  pending: state.pending.filter((deletion) => deletion.number !== number),
});

const change = (
  state: UndoWindow,
  number: number,
  update: (deletion: PendingDeletion) => PendingDeletion,
): UndoWindow => ({
  ...state,
  pending: state.pending.map((deletion) => (deletion.number === number ? update(deletion) : deletion)),
});

/** Stops or starts a window's clock. */
export const hold = (state: UndoWindow, number: number, held: boolean): UndoWindow =>
  change(state, number, (deletion) => ({ ...deletion, held }));

/** Closes a window at once. */
export const closeNow = (state: UndoWindow, number: number): UndoWindow =>
  change(state, number, (deletion) => ({ ...deletion, left: 0, held: false }));

/**
 * `elapsed` milliseconds pass: the deletions whose window has run out, and what still waits. The same state comes
 * back where no clock runs.
 */
export function tick(
  state: UndoWindow,
  elapsed: number,
): { state: UndoWindow; due: readonly PendingDeletion[] } {
  if (state.pending.every(({ held, left }) => held && left > 0)) return { state, due: [] };
  const pending = state.pending.map((deletion) =>
    deletion.held ? deletion : { ...deletion, left: Math.max(0, deletion.left - elapsed) },
  );
  const due = pending.filter(({ left }) => left === 0);
  return { state: { ...state, pending: pending.filter(({ left }) => left > 0) }, due };
}
