/** @file Tooltips for marks that are not drawn by recharts, at the pointer or by arrow keys. */

import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import type { Row } from "../../../figures/figure.ts";
import type { Room } from "./picture.ts";
import { Tip } from "./Chart.tsx";
import type { TipWords } from "./text.ts";
import s from "../charts.module.css";

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface MarkedProps<R extends Row> {
  readonly room: Pick<Room<R>, "width" | "label" | "pick">;
  readonly rows: readonly R[];
  /** The position of a row's mark; null if it has none. */
  readonly at: (row: R) => Place | null;
  readonly tip: (row: R) => TipWords;
  /** Pixels from a mark within which the pointer means it. */
  readonly reach?: number;
  readonly children: ReactNode;
}

export function Marked<R extends Row>({ room, rows, at, tip, reach = 18, children }: MarkedProps<R>) {
  const [shown, setShown] = useState<number | null>(null);
  const row = shown === null ? undefined : rows[shown];
  const { pick, label, width } = room;
  const placeUnder = (event: PointerEvent | React.MouseEvent): number | null => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return nearestRow(rows, at, { x: event.clientX - left, y: event.clientY - top }, reach);
  };
  return (
    <div style={{ position: "relative" }}>
      <div
        role="img"
        tabIndex={0}
        aria-label={`${label} Arrow keys walk through its points.`}
        style={pick ? { cursor: "pointer" } : undefined}
        onPointerMove={(event) => setShown(placeUnder(event))}
        onPointerLeave={() => setShown(null)}
        onClick={(event) => {
          const under = placeUnder(event);
          if (under !== null) pick?.(rows[under]!);
        }}
        onKeyDown={(event) => {
          const next = walked(event, shown, rows.length);
          if (next !== undefined) setShown(next);
          if (event.key === "Enter" && row) pick?.(row);
        }}
        onBlur={() => setShown(null)}
      >
        {children}
      </div>
      <div role="status">{row && <TipAt place={at(row)} width={width} words={tip(row)} />}</div>
    </div>
  );
}

function nearestRow<R>(
  rows: readonly R[],
  at: (row: R) => Place | null,
  { x, y }: Place,
  reach: number,
): number | null {
  let [best, least] = [null as number | null, reach];
  for (const [i, row] of rows.entries()) {
    const place = at(row);
    const away = place ? Math.hypot(place.x - x, place.y - y) : Infinity;
    if (away <= least) [best, least] = [i, away];
  }
  return best;
}

/** Where a key leads from the shown mark; undefined for keys that mean nothing here. */
function walked(event: KeyboardEvent, from: number | null, count: number): number | null | undefined {
  if (event.key === "Escape" && from !== null) {
    event.stopPropagation();
    return null;
  }
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by || count === 0) return undefined;
  event.preventDefault();
  return from === null ? (by > 0 ? 0 : count - 1) : Math.max(0, Math.min(count - 1, from + by));
}

function TipAt({
  place,
  width,
  words,
}: {
  readonly place: Place | null;
  readonly width: number;
  readonly words: TipWords;
}) {
  if (!place) return null;
  const side = place.x > width / 2 ? { right: width - place.x + 12 } : { left: place.x + 12 };
  return (
    <div className={s.tipAt} style={{ ...side, top: place.y + 8 }}>
      <Tip words={words} />
    </div>
  );
}
