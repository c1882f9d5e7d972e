import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layersOf, layersText } from "./ProbeCell.tsx";

describe("lists of layers", () => {
  it("read back as they were written", () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60), { minLength: 1 }), (numbers) => {
        const layers = layersOf(numbers.join(" "), null)!;
        expect([...layers]).toEqual(numbers.toSorted((a, b) => a - b));
        expect(layersOf(layersText(layers), null)).toEqual(layers);
      }),
    ));

  it("stay below the number of layers; nothing named means all", () => {
    expect(layersOf("1, 3-9", 6)).toEqual([1, 3, 4, 5]);
    expect(layersOf("x, -", 6)).toBeNull();
    expect(layersText(null)).toBe("");
  });
});
