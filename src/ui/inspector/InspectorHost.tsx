/** @file The drawer on the right: one thing in full. What it shows is drawn by the panel of its kind. */

import { Suspense, useEffect, useRef } from "react";
import { useActions, useApp } from "../app.tsx";
import { IconButton } from "../controls/Button.tsx";
import { GuardedBody } from "../cells/frame/GuardedBody.tsx";
import { PANELS, type AnyPanel } from "./registry.ts";
import s from "./InspectorHost.module.css";

export function InspectorHost() {
  const target = useApp((state) => state.inspector);
  const { inspect } = useActions();
  const drawer = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const open = target !== null;
  useEffect(() => {
    if (open) {
      before.current = document.activeElement;
      drawer.current?.focus();
    } else if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  }, [open]);
  const panel = target ? PANELS[target.kind] : undefined;
  if (!target || !panel) return null;
  const Panel = panel.Panel as AnyPanel;
  return (
    <aside
      ref={drawer}
      tabIndex={-1}
      className={s.drawer}
      aria-label={panel.title}
      data-own-keys
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) inspect(null);
      }}
    >
      <header className={s.header}>
        <h2 className={s.title}>{panel.title}</h2>
        <IconButton
          icon="close"
          label="Close"
          keys="Esc"
          size="s"
          onClick={() => {
            inspect(null);
          }}
        />
      </header>
      <GuardedBody key={JSON.stringify(target)}>
        <Suspense fallback={null}>
          <Panel target={target} />
        </Suspense>
      </GuardedBody>
    </aside>
  );
}
