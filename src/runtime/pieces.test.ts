import { expect, it } from "vitest";
import { piecesOf } from "./pieces.ts";

const floats = (...dims: number[]) =>
  ({ type: "float32", dims, bytes: 4 * dims.reduce((n, dim) => n * dim, 1) }) as const;

it("puts a tensor as long on all axes but one into another, a piece for each index in front of that axis", () => {
  expect(piecesOf("x", floats(2, 3, 5), floats(2, 3, 5))).toEqual([{ start: 0, target: 0, bytes: 120 }]);
  expect(piecesOf("x", floats(2, 1, 5), floats(2, 3, 5), { axis: 1, from: 2 })).toEqual([
    { start: 0, target: 40, bytes: 20 },
    { start: 20, target: 100, bytes: 20 },
  ]);
});

it("refuses what has no place there, naming both", () => {
  const at = { axis: 1, from: 2 };
  expect(() => piecesOf("it", floats(2, 2, 5), floats(2, 3, 5), at)).toThrow(
    "it is float32[2,3,5]; float32[2,2,5] has no place there at 2 of axis 1",
  );
  for (const dims of [
    [2, 1, 4],
    [1, 1, 5],
    [2, 1],
    [2, 1, 5, 1],
  ])
    // prettier-ignore
    expect(() => piecesOf("it", floats(...dims), floats(2, 3, 5), at)).toThrow(/has no place/);
  expect(() => piecesOf("it", { ...floats(2, 1, 5), type: "int32" }, floats(2, 3, 5), at)).toThrow(/int32/);
});
