/** @file The drawer on the right; a panel per kind draws its content. */

import { Suspense, lazy, useEffect, useRef, type ComponentType, type KeyboardEvent } from "react";
import { useActions, useApp } from "../app.tsx";
import { IconButton } from "../controls/Button.tsx";
import { GuardedBody } from "../controls/GuardedBody.tsx";
import { stepped } from "./fact/order.ts";
import { useFactOrder } from "./fact/useFact.ts";
import type { FactId } from "../../records/ids.ts";
import { Row, Text } from "../controls/layout.tsx";
import type { InspectorTarget } from "../../state/types.ts";
import { factHash, factOfHash, isFactHash } from "./fact/factLink.ts";
import { count } from "../format.ts";
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
    // Keep the focus in the drawer if the focused element is gone, so that its keys still work.
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

type Kind = InspectorTarget["kind"];
type Draws<K extends Kind> = ComponentType<{ readonly target: Extract<InspectorTarget, { kind: K }> }>;

interface PanelType<K extends Kind> {
  readonly title: string;
  readonly Panel: Draws<K>;
  /** Shown in the header of the drawer. */
  readonly Tools?: Draws<K>;
}

/** The panel of any kind, given its target. */
type AnyPanel = ComponentType<{ readonly target: InspectorTarget }>;

const PANELS: { readonly [K in Kind]?: PanelType<K> } = {
  device: {
    title: "Device",
    Panel: lazy(() =>
      import("../cells/model/DevicePanel.tsx").then(({ DevicePanel }) => ({ default: DevicePanel })),
    ),
  },
  fact: {
    title: "Fact",
    Panel: lazy(() => import("./fact/FactPanel.tsx").then(({ FactPanel }) => ({ default: FactPanel }))),
    Tools: FactNav,
  },
};

function useFactLink(target: InspectorTarget | null): void {
  const { inspect } = useActions();
  const notebook = useApp(({ currentId }) => currentId);
  const shown = target?.kind === "fact" ? target.id : null;
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
      if (id) inspect({ kind: "fact", id });
    };
    show();
    addEventListener("hashchange", show);
    return () => removeEventListener("hashchange", show);
  }, [notebook, inspect]);
}

function FactNav({ target: { id } }: { readonly target: { readonly id: FactId } }) {
  const { inspect } = useActions();
  const ids = useFactOrder(id);
  const at = ids.indexOf(id);
  const go = (by: number) => () => {
    const next = stepped(ids, id, by);
    if (next) inspect({ kind: "fact", id: next });
  };
  return (
    <Row as="span" align="center" gap="0.1rem" inline>
      {at >= 0 && (
        <Text tone="soft" size="s" whiteSpace="nowrap" style={{ marginRight: "0.35rem" }}>
          <span className="num">{count(at + 1)}</span> of <span className="num">{count(ids.length)}</span>
        </Text>
      )}
      <IconButton
        icon="up"
        size="s"
        label="Previous fact"
        keys="K"
        aria-disabled={at <= 0}
        onClick={go(-1)}
      />
      <IconButton
        icon="down"
        size="s"
        label="Next fact"
        keys="J"
        aria-disabled={at < 0 || at === ids.length - 1}
        onClick={go(1)}
      />
    </Row>
  );
}
