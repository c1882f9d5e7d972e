/** @file The drawer on the right; a panel per kind draws its content. */

import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { FactId } from "../../records/ids.ts";
import { useActions, useApp } from "../app.tsx";
import { IconButton, Row, Text } from "../controls/basics.tsx";
import { GuardedBody, lazily, useWindowEvent } from "../controls/useAsync.tsx";
import { isEditable } from "../controls/page.ts";
import { count } from "../format.ts";
import { factHash, factOfHash, isFactHash, stepped, useFactOrder } from "./fact/useFact.ts";
import s from "./InspectorHost.module.css";

const DevicePanel = lazily(async () => (await import("../cells/model/DevicePanel.tsx")).DevicePanel);
const FactPanel = lazily(async () => (await import("./fact/FactPanel.tsx")).FactPanel);

export function InspectorHost() {
  const target = useApp((state) => state.inspector);
  const { inspect } = useActions();
  const drawer = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const open = target !== null;
  const fact = target === "device" ? null : target;
  const leaving = useApp(({ memory }) => memory.leaving);
  useFactLink(fact);
  useEffect(() => {
    if (open) {
      before.current = document.activeElement;
      drawer.current?.focus();
    } else if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  }, [open]);
  useEffect(() => {
    // Keep the focus in the drawer if the focused element is gone, so that its keys still work.
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (target && lost) drawer.current?.focus({ preventScroll: true });
  }, [target, leaving]);
  // Also from the page behind the panel; there, Escape keeps its own meaning in a field.
  useWindowEvent(
    "keydown",
    ({ key, target, defaultPrevented }: globalThis.KeyboardEvent) => {
      // In a dialog, such as the talk, Escape closes only the dialog.
      if (key !== "Escape" || defaultPrevented || (target as Element).closest?.("dialog")) return;
      if (!isEditable(target) || drawer.current?.contains(target as Node)) inspect(null);
    },
    open,
  );
  const ids = useFactOrder(fact ?? ("" as FactId));
  const at = fact ? ids.indexOf(fact) : -1;
  // The place of a deleted fact stays, so that one can step on from it.
  const [lastAt, setLastAt] = useState(-1);
  if (lastAt !== at && (at >= 0 || !fact)) setLastAt(at);
  if (!target) return null;
  const step = (by: 1 | -1): void => {
    const next = fact && stepped(ids, fact, by, lastAt);
    if (next) inspect(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const by = fact && !takesKeys(event) ? STEPS[event.key] : undefined;
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  };
  const title = fact ? "Fact" : "Device";
  return (
    <aside
      ref={drawer}
      tabIndex={-1}
      className={s.drawer}
      aria-label={title}
      data-own-keys
      data-inspector={title.toLowerCase()}
      onKeyDown={onKeyDown}
    >
      <Row as="header" align="center" justify="between" className={s.header}>
        <h2 className={s.title}>{title}</h2>
        <Row as="span" align="center" gap="0.4rem" inline>
          {fact && (
            <Row as="span" align="center" gap="0.1rem" inline>
              {at >= 0 && (
                <Text tone="soft" size="s" whiteSpace="nowrap" style={{ marginRight: "0.35rem" }}>
                  <span className="num">{count(at + 1)}</span> of{" "}
                  <span className="num">{count(ids.length)}</span>
                </Text>
              )}
              {NAV.map(({ by, ...button }) => (
                <IconButton
                  key={by}
                  size="s"
                  {...button}
                  aria-disabled={!fact || stepped(ids, fact, by, lastAt) === null}
                  onClick={() => step(by)}
                />
              ))}
            </Row>
          )}
          <IconButton icon="close" label="Close" keys="Esc" size="s" onClick={() => inspect(null)} />
        </Row>
      </Row>
      <GuardedBody key={title}>{fact ? <FactPanel id={fact} /> : <DevicePanel />}</GuardedBody>
    </aside>
  );
}

const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** Whether the pressed element uses the keys itself: a field, a slider, a scrolled table. */
function takesKeys({ target, currentTarget, key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true;
  const element = target as HTMLElement;
  const own =
    'input, textarea, select, [role="slider"], [role="radio"], [role="menu"], [role="combobox"], [role="listbox"]';
  if (element.closest(own)) return true;
  // Arrows scroll and walk through charts; only on the drawer itself and its buttons do they step.
  const arrow = key.startsWith("Arrow");
  return arrow && element !== currentTarget && element.closest("button, header") === null;
}

/** Keeps the shown fact in the address, and shows the fact of an address that is opened. */
function useFactLink(shown: FactId | null): void {
  const { inspect } = useActions();
  const notebook = useApp(({ currentId }) => currentId);
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (shown) history.replaceState(null, "", factHash(shown));
    else if (before.current && isFactHash(location.hash))
      history.replaceState(null, "", location.pathname + location.search);
    before.current = shown;
  }, [shown]);

  // After the effect above: the fact of a notebook that was left is out of the address when this one looks.
  useEffect(() => {
    if (!notebook) return;
    const show = (): void => {
      const id = factOfHash(location.hash);
      if (id) inspect(id);
    };
    show();
    addEventListener("hashchange", show);
    return () => removeEventListener("hashchange", show);
  }, [notebook, inspect]);
}

const NAV = [
  { by: -1, icon: "up", label: "Previous fact", keys: "K" },
  { by: 1, icon: "down", label: "Next fact", keys: "J" },
] as const;
