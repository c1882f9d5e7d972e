/** @file The drawer on the right: one thing in full. What it shows is drawn by the panel of its kind. */

import { Suspense, useEffect, useRef, type KeyboardEvent } from "react";
import { useActions, useApp } from "../app.tsx";
import { IconButton } from "../controls/Button.tsx";
import { GuardedBody } from "../cells/frame/GuardedBody.tsx";
import { stepped } from "./fact/order.ts";
import { useFactOrder } from "./fact/useFact.ts";
import { PANELS, type AnyPanel } from "./registry.ts";
import { useFactLink } from "./useFactLink.ts";
import type { FactId } from "../../records/ids.ts";
import { Row } from "../controls/layout.tsx";
import s from "./InspectorHost.module.css";

export function InspectorHost() {
  const target = useApp((state) => state.inspector);
  const { inspect } = useActions();
  const drawer = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const open = target !== null;
  useFactLink(target);
  useEffect(() => {
    if (open) {
      before.current = document.activeElement;
      drawer.current?.focus();
    } else if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  }, [open]);
  useEffect(() => {
    // What had the focus may belong to the fact before: the keys of the drawer must not be lost with it.
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (target && lost) drawer.current?.focus({ preventScroll: true });
  }, [target]);
  const ids = useFactOrder(target?.kind === "fact" ? target.id : NO_FACT);
  const panel = target ? PANELS[target.kind] : undefined;
  if (!target || !panel) return null;
  const Panel = panel.Panel as AnyPanel;
  const Tools = panel.Tools as AnyPanel | undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape") inspect(null);
    const by = target.kind === "fact" && !takesKeys(event) ? STEPS[event.key] : undefined;
    if (by === undefined || target.kind !== "fact") return;
    event.preventDefault();
    const next = stepped(ids, target.id, by);
    if (next) inspect({ kind: "fact", id: next });
  };
  return (
    <aside
      ref={drawer}
      tabIndex={-1}
      className={s.drawer}
      aria-label={panel.title}
      data-own-keys
      data-inspector={target.kind}
      onKeyDown={onKeyDown}
    >
      <Row as="header" align="center" justify="between" className={s.header}>
        <h2 className={s.title}>{panel.title}</h2>
        <Row as="span" align="center" gap="0.4rem" inline>
          {Tools && <Tools target={target} />}
          <IconButton icon="close" label="Close" keys="Esc" size="s" onClick={() => inspect(null)} />
        </Row>
      </Row>
      <GuardedBody key={target.kind === "fact" ? target.kind : JSON.stringify(target)}>
        <Suspense fallback={null}>
          <Panel target={target} />
        </Suspense>
      </GuardedBody>
    </aside>
  );
}

const NO_FACT = "" as FactId;
const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** Whether the keys mean something where they were pressed: in a field, on a slider, in a scrolled table. */
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
