/** @file The keys of the notebook; none of them acts while somebody types. */

import { useEffect } from "react";
import type { Cell } from "../../records/notebook.ts";
import type { Actions } from "../../state/app.ts";
import { currentOf, useActions, useAppState } from "../app.tsx";
import { moveTo, remove } from "../cells/frame/CellFrame.tsx";
import { goToCell, openPresentation } from "../controls/page.ts";

export const KEYS: readonly (readonly [string, string])[] = [
  ["Shift + Enter", "Run the cell and go to the next one"],
  ["Ctrl + Enter", "Run the cell"],
  ["J or ↓", "Next cell"],
  ["K or ↑", "Previous cell"],
  ["Enter", "Into the cell"],
  ["Esc", "Out of the cell; close what is open"],
  ["A", "Add a cell above"],
  ["B", "Add a cell below"],
  ["Alt + ↑ / ↓", "Move the cell"],
  ["D", "Remove the cell (it can be brought back)"],
  ["Z", "Undo"],
  ["Shift + Z", "Redo"],
  ["X", "Stop the cell"],
  ["Ctrl + K", "Go to a cell, find a word, or do something"],
  ["P", "Present: the story alone, one step at a time"],
  ["?", "This sheet"],
];

export const PALETTE_EVENT = "palimpsest:palette";

export const HELP_EVENT = "palimpsest:keys";

export function useKeys(): void {
  const actions = useActions();
  const state = useAppState();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const notebook = currentOf(state())?.notebook;
      if (!notebook || event.defaultPrevented) return;
      const frame = (event.target as Element).closest<HTMLElement>("[data-cell]");
      const inCell = frame?.dataset["cell"] ?? null;
      const id = inCell ?? state().selected;
      const at = notebook.cells.findIndex((cell) => cell.id === id);
      const canWrite = state().lock.role !== "reader";
      const act = actionFor(event, { actions, cells: notebook.cells, at, id, inCell, canWrite });
      if (!act) return;
      // Escape keeps its own meaning in a field.
      if (event.key !== "Escape") event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [actions, state]);
}

interface Place {
  readonly actions: Actions;
  readonly cells: readonly Cell[];
  /** Index of the cell that keys refer to; -1 without one. */
  readonly at: number;
  readonly id: string | null;
  readonly inCell: string | null;
  readonly canWrite: boolean;
}

type Act = (() => void) | null;

/** The action of a key here; null for its default. */
function actionFor(event: KeyboardEvent, place: Place): Act {
  const { actions, id, inCell } = place;
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === "k") return () => dispatchEvent(new Event(PALETTE_EVENT));
  if (event.key === "Enter" && id && (event.shiftKey || command))
    return () => {
      void actions.runCell(id);
      if (event.shiftKey) step(place, 1);
    };
  if (typing(event.target)) return event.key === "Escape" && inCell ? () => goToCell(inCell) : null;
  if (inWidget(event.target)) return null;
  if (command) return event.key.toLowerCase() === "z" ? (event.shiftKey ? actions.redo : actions.undo) : null;
  return event.altKey ? moved(event.key, place) : plain(event, place);
}

function moved(key: string, { actions, cells, at }: Place): Act {
  const cell = cells[at];
  const by = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
  return cell && by !== 0 ? () => moveTo(actions, cell, at + by, cells.length) : null;
}

function plain({ key, shiftKey, target }: KeyboardEvent, place: Place): Act {
  const { actions, cells, at, id, inCell, canWrite } = place;
  const cell = cells[at];
  const frame = target as HTMLElement;
  const keys: Readonly<Record<string, Act>> = {
    j: () => step(place, 1),
    ArrowDown: inCell ? () => step(place, 1) : null,
    k: () => step(place, -1),
    ArrowUp: inCell ? () => step(place, -1) : null,
    Enter: inCell && frame.dataset["cell"] === inCell ? () => enter(frame) : null,
    a: () => openAdd(cell ? at : cells.length),
    b: () => openAdd(cell ? at + 1 : cells.length),
    d: cell && canWrite ? () => remove(actions, cell, cells) : null,
    x: id ? () => actions.cancelCell(id) : null,
    z: actions.undo,
    Z: shiftKey ? actions.redo : null,
    p: openPresentation,
    "?": () => dispatchEvent(new Event(HELP_EVENT)),
  };
  return keys[key] ?? null;
}

function step({ actions, cells, at }: Place, by: number): void {
  const next = cells[Math.max(0, Math.min(cells.length - 1, at + by))];
  if (!next) return;
  actions.select(next.id);
  goToCell(next.id);
}

function enter(frame: HTMLElement): void {
  frame
    .querySelector<HTMLElement>(
      ["textarea", "input:not([type=file])", '[tabindex="0"]', "button"]
        .map((one) => `[data-body] ${one}`)
        .join(", "),
    )
    ?.focus();
}

/** Opens the menu of the place where a cell would be added. */
function openAdd(index: number): void {
  const button = document.querySelector<HTMLElement>(`[data-add-at="${index}"] button`);
  button?.focus();
  // Radix opens its menus with the keyboard, and with the pointer, not with click().
  button?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}

function typing(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return Boolean(element?.isContentEditable || element?.closest?.("input, textarea, select"));
}

function inWidget(target: EventTarget | null): boolean {
  return Boolean(
    (target as Element | null)?.closest?.(
      '[role="menu"], [role="listbox"], [role="dialog"], [role="grid"], [role="slider"], [role="tree"], [data-own-keys]',
    ),
  );
}
