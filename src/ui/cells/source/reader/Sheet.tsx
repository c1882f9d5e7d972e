/**
 * @file A long page of which only what is near the eye is in the document: a scroll region with blocks of unknown
 * height. The reader and the palimpsest are both written on it.
 */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import { cx } from "../../../cx.ts";
import { Text } from "../../../controls/layout.tsx";
import s from "./Sheet.module.css";

/** A place to bring into view: the block, and the element in it (a selector). */
export interface Jump {
  readonly index: number;
  readonly selector: string;
  /** Also scrolls the notebook to the sheet, and moves the focus there. */
  readonly fromOutside: boolean;
}

export interface SheetProps {
  readonly label: string;
  readonly count: number;
  /** First guess at the height of a block, in pixels. */
  readonly estimate: (index: number) => number;
  /** Keeps its identity while the blocks are the same; a new identity lays out the blocks again. */
  readonly keyOf: (index: number) => number;
  /** The content of block `index`. */
  readonly children: (index: number) => ReactNode;
  /** A new object is a new jump. */
  readonly jump: Jump | null;
  /** Called with the first visible block. */
  readonly onTop?: (index: number) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void;
  readonly className?: string | undefined;
}

export function Sheet(props: SheetProps) {
  const { label, count, estimate, keyOf, children, jump, onTop, onKeyDown, className } = props;
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
  return (
    <Text
      as="div"
      ref={scroller}
      font="serif"
      size="l"
      anywhere
      className={cx(s.sheet, className)}
      role="region"
      aria-label={label}
      tabIndex={0}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        // Keys that scroll mean this page, not the cells of the notebook.
        if (SCROLLING.has(event.key)) event.stopPropagation();
        if (event.key === "End") holdAtEnd(event.currentTarget);
      }}
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
  );
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

/** Scrolls to the block at once, and to the element in it as soon as it is there. */
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
