import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moved, selected, zoomed } from "./StripFigure.tsx";

const length = fc.integer({ min: 200, max: 1_000_000 });

describe("the strip's view", () => {
  it("stays inside the text and keeps a width, whatever is done to it", () => {
    const step = fc.record({
      kind: fc.constantFrom("zoom", "move", "select"),
      x: fc.double({ min: 0, max: 1, noNaN: true }),
      y: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(length, fc.array(step, { maxLength: 20 }), (characters, steps) => {
        let view = { from: 0, to: characters };
        for (const { kind, x, y } of steps) {
          if (kind === "zoom")
            view = zoomed(view, 0.2 + 2 * y, view.from + x * (view.to - view.from), characters);
          else if (kind === "move") view = moved(view, x - y, characters);
          else view = selected(view, x * characters, y * characters, characters);
          expect(view.from).toBeGreaterThanOrEqual(0);
          expect(view.to).toBeLessThanOrEqual(characters);
          expect(view.to - view.from).toBeGreaterThanOrEqual(59);
        }
      }),
    );
  });

  it("zooms about the place that is pointed at", () => {
    const view = zoomed({ from: 0, to: 1000 }, 0.5, 250, 1000);
    expect(view).toEqual({ from: 125, to: 625 });
  });
});
