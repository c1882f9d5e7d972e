/** @file A long page, of which only the visible blocks are in the document, and a line about the picked fact. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { Button, Row, Text, cx } from "../../../controls/basics.tsx";
import { useStable } from "../../../controls/useAsync.tsx";
import { count, percent } from "../../../format.ts";
import { layerColor } from "../../../charts/kit/scale.ts";
import s from "./Reader.module.css";

export interface Jump {
  readonly index: number;
  readonly selector: string;
  /** Also scrolls the notebook to the sheet, and moves the focus there. */
  readonly fromOutside: boolean;
}

/** A sentence to bring into view; a new object is a new request. */
export type Target = { readonly offset: number } | null;

export function useTarget(target: Target, follow: (offset: number) => void): void {
  const onTarget = useStable(follow);
  useEffect(() => {
    if (target) onTarget(target.offset);
  }, [target, onTarget]);
}

interface SheetProps {
  readonly label: string;
  readonly count: number;
  readonly estimate: (index: number) => number;
  /** Keeps its identity while the blocks are the same; a new identity lays out the blocks again. */
  readonly keyOf: (index: number) => number;
  readonly children: (index: number) => ReactNode;
  readonly jump: Jump | null;
  readonly onTop?: (index: number) => void;
  readonly className?: string | undefined;
  readonly facts: readonly FactRow[];
  readonly picked: FactRow | null;
  readonly onStep: (fact: FactRow) => void;
  readonly hint: string;
  readonly onOpenFact: (id: FactId) => void;
}

export function Sheet(props: SheetProps) {
  const { label, count, estimate, keyOf, children, jump, onTop, facts, picked, hint } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: estimate,
    getItemKey: keyOf,
    overscan: OVERSCAN,
    useFlushSync: false,
    onChange: ({ range }) => {
      if (range) onTop?.(range.startIndex);
    },
  });
  useJump(jump, scroller, (index) => virtualizer.scrollToIndex(index, { align: "center" }));
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const next = neighbour(event, facts, picked);
    if (next) props.onStep(next);
    // Keys that scroll mean this page, not the cells of the notebook.
    if (SCROLLING.has(event.key)) event.stopPropagation();
    if (event.key === "End") holdAtEnd(event.currentTarget);
  };
  return (
    <>
      <Text
        as="div"
        ref={scroller}
        font="serif"
        size="l"
        anywhere
        className={cx(s.sheet, props.className)}
        role="region"
        aria-label={label}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div className={s.length} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key as number}
              ref={virtualizer.measureElement}
              data-index={index}
              className={s.block}
              style={{ transform: `translateY(${start}px)` }}
            >
              {children(index)}
            </div>
          ))}
        </div>
      </Text>
      <Row wrap align="center" gap="0 var(--space-4)" tone="soft" size="s" className={s.fact} role="status">
        {picked ? <Picked fact={picked} onOpen={() => props.onOpenFact(picked.id)} /> : hint}
      </Row>
    </>
  );
}

function Picked({ fact, onOpen }: { readonly fact: FactRow; readonly onOpen: () => void }) {
  const { anchor, index, layer, exact, fidelity, offset } = fact;
  return (
    <>
      <strong className="remembered">
        {anchor} ({index})
      </strong>
      <span className={s.layer} style={{ "--layer": layerColor(layer) } as object}>
        layer {layer}
      </span>
      <span>{exact ? "exact" : `fidelity ${percent(fidelity)}`}</span>
      <span className="num">offset {count(offset)}</span>
      <Button look="quiet" size="s" icon="panel" label="Inspect" onClick={onOpen} />
    </>
  );
}

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "preventDefault">;

/** The fact that J or K leads to from the picked one; null for other keys and beyond the ends. */
export function neighbour(event: Key, facts: readonly FactRow[], picked: FactRow | null): FactRow | null {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || (key !== "j" && key !== "k") || facts.length === 0) return null;
  event.preventDefault();
  const at = picked ? facts.findIndex(({ id }) => id === picked.id) : -1;
  return key === "j" ? (facts[at + 1] ?? null) : (facts[at < 0 ? facts.length - 1 : at - 1] ?? null);
}

/** Stays at the end while the last blocks find their text and their height, until somebody scrolls elsewhere. */
function holdAtEnd(sheet: HTMLElement): void {
  let frames = 0;
  const stop = (): void => {
    frames = MOST_FRAMES;
  };
  for (const event of ["wheel", "keydown", "pointerdown"])
    sheet.addEventListener(event, stop, { once: true, passive: true });
  requestAnimationFrame(function settle() {
    if (frames++ >= MOST_FRAMES) return;
    sheet.scrollTop = sheet.scrollHeight;
    requestAnimationFrame(settle);
  });
}

function useJump(
  jump: Jump | null,
  scroller: { readonly current: HTMLDivElement | null },
  toBlock: (index: number) => void,
): void {
  const scrollToBlock = useRef(toBlock);
  scrollToBlock.current = toBlock;
  useEffect(() => {
    const sheet = scroller.current;
    if (!jump || !sheet) return;
    sheet.scrollIntoView({ block: jump.fromOutside ? "center" : "nearest" });
    if (jump.fromOutside) sheet.focus({ preventScroll: true });
    scrollToBlock.current(jump.index);
    let frames = 0;
    let seen = 0;
    let frame = requestAnimationFrame(function settle() {
      const element = sheet.querySelector(jump.selector);
      if (element) {
        centre(sheet, element);
        seen++;
      }
      // Blocks above may still find their true height: once more after the first look.
      if (seen < SETTLED && ++frames < MOST_FRAMES) frame = requestAnimationFrame(settle);
    });
    return () => cancelAnimationFrame(frame);
  }, [jump, scroller]);
}

function centre(sheet: HTMLElement, element: Element): void {
  const outer = sheet.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  const off = inner.top + Math.min(inner.height, outer.height) / 2 - (outer.top + outer.height / 2);
  if (Math.abs(off) > 1) sheet.scrollTop += off;
}

const SCROLLING = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "]);
const OVERSCAN = 3;
/** Frames in which the element was in place; frames waited for it at most (text is fetched meanwhile). */
const SETTLED = 4;
const MOST_FRAMES = 240;
