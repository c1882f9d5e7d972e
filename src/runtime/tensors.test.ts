import { expect, it } from "vitest";
import { piecesOf } from "./tensors.ts";

const floats = (...dims: number[]) =>
  ({ type: "float32", dims, bytes: 4 * dims.reduce((n, dim) => n * dim, 1) }) as const;

it("puts the ends of rows to the beginning, a piece for each index in front of the axis", () => {
  expect(piecesOf("x", floats(2, 3, 5), floats(2, 3, 5))).toEqual([{ start: 0, target: 0, bytes: 120 }]);
  const whole = { axis: 2, begins: [0, 0] };
  expect(piecesOf("x", floats(2, 1, 2, 5), floats(2, 1, 2, 5), whole)).toHaveLength(1);
  expect(piecesOf("x", floats(2, 1, 2, 5), floats(2, 1, 3, 5), whole)).toEqual([
    { start: 0, target: 0, bytes: 40 },
    { start: 40, target: 60, bytes: 40 },
  ]);
  expect(piecesOf("x", floats(2, 2, 2, 5), floats(2, 2, 3, 5), { axis: 2, begins: [0, 1] })).toEqual([
    { start: 0, target: 0, bytes: 40 },
    { start: 40, target: 60, bytes: 40 },
    { start: 100, target: 120, bytes: 20 },
    { start: 140, target: 180, bytes: 20 },
  ]);
  // The opening of all rows stays in front.
  expect(
    piecesOf("x", floats(2, 1, 5, 5), floats(2, 1, 6, 5), { axis: 2, opening: 2, begins: [0, 1] }),
  ).toEqual([
    { start: 0, target: 0, bytes: 40 },
    { start: 40, target: 40, bytes: 60 },
    { start: 100, target: 120, bytes: 40 },
    { start: 160, target: 160, bytes: 40 },
  ]);
  // Also where it is as long there: what is left behind the end is not written.
  expect(piecesOf("x", floats(1, 2, 5), floats(1, 2, 5), { axis: 1, begins: [1] })).toEqual([
    { start: 20, target: 0, bytes: 20 },
  ]);
});

it("refuses what has no place there, naming both", () => {
  const ends = { axis: 1, begins: [0, 1] };
  expect(() => piecesOf("it", floats(2, 4, 5), floats(2, 3, 5), ends)).toThrow(
    "it is float32[2,3,5]; float32[2,4,5] has no place there",
  );
  for (const dims of [
    [2, 1, 4],
    [1, 1, 5],
    [2, 1],
    [2, 1, 5, 1],
  ])
    expect(() => piecesOf("it", floats(...dims), floats(2, 3, 5), ends)).toThrow(/has no place/);
  expect(() => piecesOf("it", floats(2, 2, 5), floats(2, 3, 5))).toThrow(/has no place/);
  expect(() => piecesOf("it", { ...floats(2, 2, 5), type: "int32" }, floats(2, 3, 5), ends)).toThrow(/int32/);
  for (const begins of [[0], [0, 2], [-1, 0]])
    expect(() => piecesOf("it", floats(2, 2, 5), floats(2, 3, 5), { axis: 1, begins })).toThrow(
      `it: 2 rows of 2 cannot begin at ${begins.join(", ")}`,
    );
  expect(() =>
    piecesOf("it", floats(2, 2, 5), floats(2, 3, 5), { axis: 1, opening: 1, begins: [0, 1] }),
  ).toThrow("it: 2 rows of 2 cannot begin at 1 + 0, 1");
});
