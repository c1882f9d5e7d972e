/** @file docs/method.md names every parameter, and none that there is not. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAPER, PARAMETER_NAMES, type ParameterName } from "./params.ts";

const text = readFileSync(new URL("../../docs/method.md", import.meta.url), "utf8");
/** Fields with the paper's value, as the tables have them: `depth` = 14. */
const named = [...text.matchAll(/`(\w+)` = ([^,;|]+?)(?= ?[,;|])/g)].map(([, name, value]) => ({
  name: name!,
  value: value!,
}));

const shown = (name: ParameterName): string => {
  const value = PAPER[name];
  if (typeof value === "boolean") return value ? "on" : "off";
  return value === null ? "none" : String(value);
};

test("every parameter that it names exists, with the value that the preset `paper` has", () => {
  for (const { name, value } of named) {
    const known = PARAMETER_NAMES.find((one) => one === name);
    expect(known, name).toBeDefined();
    expect(`${name} = ${value}`).toBe(`${name} = ${shown(known!)}`);
  }
});

test("every row of PARAMETERS is named", () => {
  expect(PARAMETER_NAMES.filter((one) => !named.some(({ name }) => name === one))).toEqual([]);
});

test("every file that it names is there", () => {
  const files = [...text.matchAll(/`((?:src|tools)\/[\w/.-]+\.(?:ts|json))`/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(20);
  for (const file of files)
    expect(() => readFileSync(new URL(`../../${file}`, import.meta.url)), file).not.toThrow();
});
