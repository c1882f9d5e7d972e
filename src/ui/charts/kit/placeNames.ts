/** @file Names beside points: where each can stand without covering a point, another name or the frame. */

/** A point with its name's width in pixels. */
export interface Named {
  readonly x: number;
  readonly y: number;
  readonly wide: number;
}

/** Where a name's baseline begins, and how it is set from there. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Pixels from a point's middle to what nothing may cover. */
const POINT = 6;
/** Pixels that letters reach above and below their baseline. */
const [ASCENT, DESCENT] = [10, 3];

/** A place for the name of each point, first come first served; null where every side of it is taken. `order`: which side is best. */
export function placeNames(
  points: readonly Named[],
  frame: { readonly width: number; readonly height: number },
  order: readonly Side[] = ["above", "below", "right", "left"],
): (Place | null)[] {
  const taken = points.map(({ x, y }): Box => ({
    left: x - POINT,
    right: x + POINT,
    top: y - POINT,
    bottom: y + POINT,
  }));
  return points.map((point, own) => {
    const sides = sidesOf(point);
    const found = order
      .map((side) => sides[side])
      .find((place) => {
        const box = boxOf(place, point.wide);
        const inside =
          box.left >= 2 && box.right <= frame.width - 2 && box.top >= 2 && box.bottom <= frame.height - 2;
        return inside && taken.every((other, i) => i === own || !meet(box, other));
      });
    if (found) taken.push(boxOf(found, point.wide));
    return found ?? null;
  });
}

export type Side = "above" | "below" | "right" | "left" | "above left" | "below left";

const sidesOf = ({ x, y }: Named): Readonly<Record<Side, Place>> => ({
  above: { x, y: y - 9, anchor: "middle" },
  below: { x, y: y + 17, anchor: "middle" },
  right: { x: x + 9, y: y + 4, anchor: "start" },
  left: { x: x - 9, y: y + 4, anchor: "end" },
  "above left": { x: x + 4, y: y - 9, anchor: "end" },
  "below left": { x: x + 4, y: y + 17, anchor: "end" },
});

const SHARE_LEFT = { start: 0, middle: 0.5, end: 1 } as const;

function boxOf({ x, y, anchor }: Place, wide: number): Box {
  const left = x - SHARE_LEFT[anchor] * wide;
  return { left, right: left + wide, top: y - ASCENT, bottom: y + DESCENT };
}

const meet = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
