/** @file Very many points of a map on canvas. */

import { useCallback } from "react";
import { resolved } from "./kit/colors.ts";
import { usePainter } from "./kit/painters.ts";
import type { MapRow } from "./MapFigure.tsx";

const INSET = 16;

export function PointCloud({
  rows,
  color,
  width,
  height,
}: {
  readonly rows: readonly MapRow[];
  readonly color: (row: MapRow) => string;
  readonly width: number;
  readonly height: number;
}) {
  const paint = useCallback(
    (context: CanvasRenderingContext2D, element: Element) => {
      let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
      for (const { x, y } of rows) {
        [left, right] = [Math.min(left, x), Math.max(right, x)];
        [low, high] = [Math.min(low, y), Math.max(high, y)];
      }
      const across = (width - 2 * INSET) / (right - left || 1);
      const down = (height - 2 * INSET) / (high - low || 1);
      const plain = new Map<string, string>();
      context.globalAlpha = rows.length > 20_000 ? 0.5 : 0.7;
      for (const row of rows) {
        const named = color(row);
        let fill = plain.get(named);
        if (fill === undefined) plain.set(named, (fill = mixed(element, named)));
        context.fillStyle = fill;
        context.fillRect(
          INSET + (row.x - left) * across - 1.25,
          height - INSET - (row.y - low) * down - 1.25,
          2.5,
          2.5,
        );
      }
    },
    [rows, color, width, height],
  );
  const canvas = usePainter(width, height, paint);
  return <canvas ref={canvas} style={{ width, height }} aria-hidden="true" />;
}

/** A colour with variables in it as the browser computes it; canvas knows no variables. */
function mixed(element: Element, color: string): string {
  if (!color.startsWith("color-mix")) return resolved(element, color);
  const probe = document.createElement("span");
  probe.style.color = color;
  element.parentElement!.append(probe);
  const computed = getComputedStyle(probe).color;
  probe.remove();
  return computed;
}
