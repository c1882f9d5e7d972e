import fc from "fast-check";
import { expect, it } from "vitest";
import { placeNames } from "../MapFigure.tsx";

const FRAME = { width: 360, height: 260 };
const SHARE = { start: 0, middle: 0.5, end: 1 } as const;

it("names cover no point, no other name and not the frame", () => {
  const point = fc.record({
    x: fc.integer({ min: 10, max: 350 }),
    y: fc.integer({ min: 10, max: 250 }),
    wide: fc.integer({ min: 20, max: 110 }),
  });
  fc.assert(
    fc.property(fc.array(point, { maxLength: 40 }), (points) => {
      const boxes = placeNames(points, FRAME).flatMap((place, own) => {
        if (!place) return [];
        const left = place.x - SHARE[place.anchor] * points[own]!.wide;
        return [{ own, left, right: left + points[own]!.wide, top: place.y - 10, bottom: place.y + 3 }];
      });
      for (const box of boxes) {
        expect(
          Math.min(box.left, box.top, FRAME.width - box.right, FRAME.height - box.bottom),
        ).toBeGreaterThan(0);
        for (const [i, { x, y }] of points.entries())
          if (i !== box.own)
            expect(x + 6 <= box.left || x - 6 >= box.right || y + 6 <= box.top || y - 6 >= box.bottom).toBe(
              true,
            );
        for (const other of boxes)
          if (other !== box)
            expect(
              other.right <= box.left ||
                other.left >= box.right ||
                other.bottom <= box.top ||
                other.top >= box.bottom,
            ).toBe(true);
      }
    }),
  );
});

it("a lone point has its name above, and one at the edge beside it", () => {
  const [alone] = placeNames([{ x: 100, y: 100, wide: 60 }], FRAME);
  expect(alone).toEqual({ x: 100, y: 91, anchor: "middle" });
  const [edge] = placeNames([{ x: 352, y: 100, wide: 60 }], FRAME);
  expect(edge).toEqual({ x: 343, y: 104, anchor: "end" });
});
