/** @file What figures make of the room they have: names that fit are whole, and cells are wide enough for a word. */

import { expect, it } from "vitest";
import { lensColumns } from "./LensFigure.tsx";
import { marginText } from "./MarginsFigure.tsx";
import { nameColumn } from "./SimilarityFigure.tsx";

it("the lens scrolls at a drawer's width rather than leave its words out", () => {
  const narrow = lensColumns(440, 14);
  expect(narrow.pitch).toBeGreaterThanOrEqual(44);
  expect(narrow.width).toBeGreaterThan(440);
  expect(lensColumns(1000, 14).width).toBe(1000);
});

it("names of a similarity matrix are whole where they leave the cells their room", () => {
  // What stands beside a name in its column is 12 pixels.
  expect(nameColumn(108.4, 485) - 12).toBeGreaterThanOrEqual(108.4);
  expect(nameColumn(160, 485) - 12).toBeGreaterThanOrEqual(160);
  expect(nameColumn(400, 485)).toBe(194);
});

it("margins have hundredths, and small ones two digits that count", () => {
  expect([0.2, 0.21, 0.396, 0.00042, 0].map(marginText)).toEqual(["0.20", "0.21", "0.40", "0.00042", "0.00"]);
});
