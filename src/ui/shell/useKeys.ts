/** @file The keys of the notebook; none of them acts while somebody types. */

import { useEffect } from "react";
import { currentOf, useActions, useAppState } from "../app.tsx";
import { moveTo, remove } from "./cellSteps.ts";
import { goToCell } from "./goToCell.ts";

/** What the `?` sheet lists, in its order. */
export const KEYS: readonly (readonly [string, string])[] = [
  ["Shift + Enter", "Run the cell and go to the next one"],
  ["Ctrl + Enter", "Run the cell"],
  ["J or ↓", "Next cell"],
  ["K or ↑", "Previous cell"],
  ["Enter", "Into the cell"],
  ["Esc", "Out of the cell; close what is open"],
  ["A", "Add a cell below"],
  ["B", "Add a cell above"],
  ["Alt + ↑ / ↓", "Move the cell"],
  ["D", "Remove the cell (it can be brought back)"],
  ["Z", "Undo"],
  ["Shift + Z", "Redo"],
  ["X", "Stop the cell"],
  ["?", "This sheet"],
];

/** Opens the sheet of keys; the header listens. */
export const HELP_EVENT = "palimpsest:keys";

export function useKeys(): void {
  const actions = useActions();
  const state = useAppState();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const notebook = currentOf(state())?.notebook;
      if (!notebook || event.defaultPrevented) return;
      const { cells } = notebook;
      const inCell = (event.target as Element).closest<HTMLElement>("[data-cell]")?.dataset["cell"];
      const id = inCell ?? state().selected ?? null;
      const at = cells.findIndex((cell) => cell.id === id);
      const command = event.ctrlKey || event.metaKey;
      if (event.key === "Enter" && id && (event.shiftKey || command)) {
        event.preventDefault();
        void actions.runCell(id);
        if (event.shiftKey) step(1);
        return;
      }
      if (event.key === "Escape" && inCell && typing(event.target)) {
        goToCell(inCell);
        return;
      }
      if (typing(event.target) || inWidget(event.target)) return;
      if (command) {
        if (event.key.toLowerCase() !== "z") return;
        event.preventDefault();
        if (event.shiftKey) actions.redo();
        else actions.undo();
        return;
      }
      const act = actionFor(event);
      if (act) {
        event.preventDefault();
        act();
      }

      function step(by: number): void {
        const next = cells[Math.max(0, Math.min(cells.length - 1, at + by))];
        if (!next) return;
        actions.select(next.id);
        goToCell(next.id);
      }

      function actionFor({ key, altKey, shiftKey }: KeyboardEvent): (() => void) | null {
        if (altKey) {
          if (!id || (key !== "ArrowUp" && key !== "ArrowDown")) return null;
          const cell = cells[at];
          return cell ? () => moveTo(actions, cell, at + (key === "ArrowUp" ? -1 : 1), cells.length) : null;
        }
        switch (key) {
          case "j":
          case "ArrowDown":
            return key === "j" || inCell ? () => step(at < 0 ? 1 : 1) : null;
          case "k":
          case "ArrowUp":
            return key === "k" || inCell ? () => step(-1) : null;
          case "Enter":
            return inCell && (event.target as HTMLElement).dataset["cell"] === inCell
              ? () => enter(event.target as HTMLElement)
              : null;
          case "a":
          case "b":
            return () => openAdd(at < 0 ? cells.length : at + (key === "a" ? 1 : 0));
          case "d":
            return cells[at] && state().lock.role !== "reader"
              ? () => remove(actions, cells[at]!, cells)
              : null;
          case "x":
            return id ? () => actions.cancelCell(id) : null;
          case "z":
            return actions.undo;
          case "Z":
            return shiftKey ? actions.redo : null;
          case "?":
            return () => dispatchEvent(new Event(HELP_EVENT));
          default:
            return null;
        }
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [actions, state]);
}

/** From a cell's frame to the first thing in its body that can be used. */
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

/** Where single keys have a meaning of their own. */
function inWidget(target: EventTarget | null): boolean {
  return Boolean(
    (target as Element | null)?.closest?.(
      '[role="menu"], [role="listbox"], [role="dialog"], [role="grid"], [role="slider"], [role="tree"], [data-own-keys]',
    ),
  );
}
