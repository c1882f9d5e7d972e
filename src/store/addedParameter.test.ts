/** @file A parameter is added by its row alone: every place that lists parameters shows it. */

import "../records/testing/addedParameter.ts";
import { expect, test } from "vitest";
import { methodHelp, methodParams } from "../../tools/methodOptions.ts";
import { ALL_HEADINGS, namesUnder, paramsText, problemsOf } from "../records/parameterText.ts";
import { PAPER, QUESTION_NAMES, savedParams, SHARP } from "../records/params.ts";

test("presets, forms, flags, check and report have it", () => {
  expect([PAPER, SHARP]).toMatchObject([{ patience: 3 }, { patience: 4 }]);
  // The forms draw these names.
  expect(ALL_HEADINGS.flatMap(namesUnder)).toContain("patience");
  expect(QUESTION_NAMES).toContain("patience");
  expect(methodHelp()).toContain("a whole number from 0 to 9 (4; paper 3)");
  expect(methodParams({ set: ["patience=7"] }, {}, SHARP)).toEqual({ ...SHARP, patience: 7 });
  expect(() => methodParams({ set: ["patience=10"] }, {}, SHARP)).toThrow("a whole number from 0 to 9");
  expect(problemsOf(Object.assign({}, SHARP, { patience: 10 }))).toEqual([
    "Patience must be a whole number from 0 to 9.",
  ]);
  expect(() => savedParams({ ...SHARP, patience: "long" }, "file: params")).toThrow(
    "params.patience must be a number",
  );
  expect(paramsText(SHARP)).toContain("4 (ψ)");
});
