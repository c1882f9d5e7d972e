/** @file Names at points, placed so that they cover no point, no other name and not the frame. */

/** A point with its name's width in pixels. */
interface Named {
  readonly x: number;
  readonly y: number;
  readonly wide: number;
}

interface Place {
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

/** Pixels from the middle of a point that no name may cover. */
const POINT = 6;
/** Pixels that letters reach above and below their baseline. */
const [ASCENT, DESCENT] = [10, 3];

/** A place for the name of each point, in order; null if there is no room above, below, right or left of it. */
export function placeNames(
  points: readonly Named[],
  frame: { readonly width: number; readonly height: number },
): (Place | null)[] {
  const taken = points.map(({ x, y }): Box => ({
    left: x - POINT,
    right: x + POINT,
    top: y - POINT,
    bottom: y + POINT,
  }));
  return points.map(({ x, y, wide }, own) => {
    const places: readonly Place[] = [
      { x, y: y - 9, anchor: "middle" },
      { x, y: y + 17, anchor: "middle" },
      { x: x + 9, y: y + 4, anchor: "start" },
      { x: x - 9, y: y + 4, anchor: "end" },
    ];
    const found = places.find((place) => {
      const box = boxOf(place, wide);
      const inside =
        box.left >= 2 && box.right <= frame.width - 2 && box.top >= 2 && box.bottom <= frame.height - 2;
      return inside && taken.every((other, i) => i === own || !meet(box, other));
    });
    if (found) taken.push(boxOf(found, wide));
    return found ?? null;
  });
}

const SHARE_LEFT = { start: 0, middle: 0.5, end: 1 } as const;

function boxOf({ x, y, anchor }: Place, wide: number): Box {
  const left = x - SHARE_LEFT[anchor] * wide;
  return { left, right: left + wide, top: y - ASCENT, bottom: y + DESCENT };
}

const meet = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
