/** @file The width of whatever holds a drawing, as it changes. */

import { useCallback, useState, type RefCallback } from "react";

/** A ref for the holder, and its width in whole pixels; 0 until it is laid out. */
export function useWidth(): readonly [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((holder: HTMLElement | null) => {
    if (!holder) return undefined;
    const measure = (): void => setWidth(Math.floor(holder.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(holder);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
