/** @file Canvases that can be painted again: for another theme, another density, and for export. */

import { useEffect, useRef } from "react";

/** Paints on a context scaled so that one unit is one CSS pixel; colours are resolved against `element`. */
export type Painter = (context: CanvasRenderingContext2D, element: Element) => void;

const painters = new WeakMap<HTMLCanvasElement, Painter>();

/** The drawing of a canvas at `scale`, in the theme that holds now; null for a canvas that is not ours. */
export function repainted(canvas: HTMLCanvasElement, scale: number): HTMLCanvasElement | null {
  const painter = painters.get(canvas);
  if (!painter) return null;
  const copy = document.createElement("canvas");
  const { width, height } = canvas.getBoundingClientRect();
  copy.width = Math.round(width * scale);
  copy.height = Math.round(height * scale);
  const context = copy.getContext("2d")!;
  context.scale(scale, scale);
  painter(context, canvas);
  return copy;
}

/** A ref for a canvas of `width` by `height` CSS pixels that `paint` draws on, again whenever the theme changes. */
export function usePainter(width: number, height: number, paint: Painter) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    if (!canvas) return;
    painters.set(canvas, paint);
    const draw = (): void => {
      const density = devicePixelRatio;
      canvas.width = Math.round(width * density);
      canvas.height = Math.round(height * density);
      const context = canvas.getContext("2d")!;
      context.scale(density, density);
      paint(context, canvas);
    };
    draw();
    const watch = new MutationObserver(draw);
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => watch.disconnect();
  }, [width, height, paint]);
  return ref;
}
