/** @file Very many points of a map on canvas. */

import { useCallback, useMemo } from "react";
import { resolved } from "./kit/colors.ts";
import { usePainter } from "./kit/painters.ts";
import type { Room } from "./kit/FigureFrame.tsx";
import { ends, type MapRow } from "./MapFigure.tsx";

const INSET = 16;

export function PointCloud({
  rows,
  both,
  color,
  width,
  height,
  pick,
}: {
  readonly rows: readonly MapRow[];
  /** What the axes hold. */
  readonly both: readonly MapRow[];
  readonly color: (row: MapRow) => string;
  readonly height: number;
} & Pick<Room, "width" | "pick">) {
  const place = useMemo(() => {
    const [[left, right], [low, high]] = [ends(both, ({ x }) => x), ends(both, ({ y }) => y)];
    const across = (width - 2 * INSET) / (right - left);
    const down = (height - 2 * INSET) / (high - low);
    return {
      x: (row: MapRow) => INSET + (row.x - left) * across,
      y: (row: MapRow) => height - INSET - (row.y - low) * down,
    };
  }, [both, width, height]);
  const paint = useCallback(
    (context: CanvasRenderingContext2D, element: Element) => {
      context.globalAlpha = rows.length > 20_000 ? 0.5 : 0.7;
      // One colour after the other: to change it costs more than to draw a point.
      for (const [named, points] of byColor(rows, color)) {
        context.fillStyle = mixed(element, named);
        for (const row of points) context.fillRect(place.x(row) - 1.25, place.y(row) - 1.25, 2.5, 2.5);
      }
    },
    [rows, color, place],
  );
  const canvas = usePainter(width, height, paint);
  return (
    <canvas
      ref={canvas}
      style={{ width, height, ...(pick ? { cursor: "pointer" } : {}) }}
      aria-hidden="true"
      onClick={({ clientX, clientY, currentTarget }) => {
        const box = currentTarget.getBoundingClientRect();
        const away = (row: MapRow) =>
          Math.hypot(place.x(row) - clientX + box.left, place.y(row) - clientY + box.top);
        const near = rows.reduce<MapRow | null>(
          (best, row) => (best && away(best) <= away(row) ? best : row),
          null,
        );
        if (near && away(near) <= REACH) pick?.(near);
      }}
    />
  );
}

/** Pixels from a point within which a click means it. */
const REACH = 12;

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
