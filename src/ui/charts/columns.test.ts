/** @file Layout of figures: names that fit are not cut, and cells have room for a word. */

import { expect, it } from "vitest";
import { LENS_WIDTHS } from "./GridFigures.tsx";
import { cellWidth, labelColumn } from "./kit/HeatGrid.tsx";
import { marginText } from "./PlainFigures.tsx";

it("the lens scrolls at a drawer's width rather than leave its words out", () => {
  const left = 80;
  const narrow = cellWidth(440, left, 14, LENS_WIDTHS);
  expect(narrow).toBeGreaterThanOrEqual(44);
  expect(left + 14 * narrow).toBeGreaterThan(440);
  expect(left + 14 * cellWidth(1000, left, 14, LENS_WIDTHS)).toBeCloseTo(1000);
});

it("names of a similarity matrix are whole where they leave the cells their room", () => {
  // A name has 8 pixels of space.
  expect(labelColumn(108.4, 485) - 8).toBeGreaterThanOrEqual(108.4);
  expect(labelColumn(160, 485) - 8).toBeGreaterThanOrEqual(160);
  expect(labelColumn(400, 485)).toBe(194);
});

it("margins have hundredths, and small ones two digits that count", () => {
  expect([0.2, 0.21, 0.396, 0.00042, 0].map(marginText)).toEqual(["0.20", "0.21", "0.40", "0.00042", "0.00"]);
});
