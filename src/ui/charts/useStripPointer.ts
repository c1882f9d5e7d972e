/** @file Wheel, pinch and drag on the strip. The page keeps its wheel until the strip has been clicked or tabbed to. */

import { useCallback, useRef } from "react";

export interface StripPointer {
  readonly width: number;
  readonly onZoom: (factor: number, share: number) => void;
  /** Share of the width to move by. */
  readonly onPan: (share: number) => void;
}

/** A ref for the element that listens. React's own wheel listeners are passive, so these are added by hand. */
export function useStripPointer(handlers: StripPointer) {
  const latest = useRef(handlers);
  latest.current = handlers;
  return useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const pointers = new Map<number, number>();
    const shareAt = (clientX: number): number =>
      (clientX - element.getBoundingClientRect().left) / latest.current.width;
    const ends = new AbortController();
    const options = { signal: ends.signal };
    element.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) return;
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
          latest.current.onPan(event.deltaX / latest.current.width);
        else latest.current.onZoom(Math.exp(event.deltaY * 0.002), shareAt(event.clientX));
      },
      { ...options, passive: false },
    );
    element.addEventListener(
      "pointerdown",
      (event) => {
        pointers.set(event.pointerId, event.clientX);
        element.setPointerCapture(event.pointerId);
      },
      options,
    );
    element.addEventListener(
      "pointermove",
      (event) => {
        const before = pointers.get(event.pointerId);
        if (before === undefined) return;
        const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
        pointers.set(event.pointerId, event.clientX);
        if (other === undefined) latest.current.onPan((before - event.clientX) / latest.current.width);
        else {
          const [was, is] = [Math.abs(before - other), Math.abs(event.clientX - other)];
          if (was > 4 && is > 4) latest.current.onZoom(was / is, shareAt((other + event.clientX) / 2));
        }
      },
      options,
    );
    for (const name of ["pointerup", "pointercancel"] as const)
      element.addEventListener(name, (event) => pointers.delete(event.pointerId), options);
    return () => ends.abort();
  }, []);
}
