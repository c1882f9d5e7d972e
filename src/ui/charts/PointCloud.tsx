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
      context.globalAlpha = rows.length > 20_000 ? 0.5 : 0.7;
      // One colour after the other: to change it costs more than to draw a point.
      for (const [named, points] of byColor(rows, color)) {
        context.fillStyle = mixed(element, named);
        for (const { x, y } of points)
          context.fillRect(
            INSET + (x - left) * across - 1.25,
            height - INSET - (y - low) * down - 1.25,
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

function byColor(rows: readonly MapRow[], color: (row: MapRow) => string): ReadonlyMap<string, MapRow[]> {
  const groups = new Map<string, MapRow[]>();
  for (const row of rows) {
    const named = color(row);
    const group = groups.get(named);
    if (group) group.push(row);
    else groups.set(named, [row]);
  }
  return groups;
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
