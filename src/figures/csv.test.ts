/** @file A figure that was written and read again is the same figure, whatever its texts and numbers. */

import { execFileSync, spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCsv, toJson, toPython, type Figure, type Row, type Value, type ValueType } from "./figure.ts";
import { fromCsv, fromJson } from "./testing/readFigure.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "",
    "'",
    "=1+1",
    '"',
    'a"b',
    "a,b",
    "a\r\nb",
    "\n",
    "-5",
    "# x: 1",
    "null",
    "true",
    " ",
    "\t@",
  ),
);
const valueOf = (type: ValueType): fc.Arbitrary<Value> => {
  const byType = { number: fc.double(), text, boolean: fc.boolean() };
  return fc.option<Value>(byType[type], { nil: null });
};
const types = fc.array(fc.constantFrom<ValueType>("number", "text", "boolean"), {
  minLength: 1,
  maxLength: 5,
});

const anyFigure: fc.Arbitrary<Figure> = types.chain((chosen) => {
  const row = fc
    .tuple(...chosen.map(valueOf))
    .map((values): Row => Object.fromEntries(values.map((value, i) => [`c${i}`, value])));
  return fc.record({
    kind: fc.constant("made"),
    id: fc.string(),
    title: text,
    caption: text,
    columns: fc
      .tuple(...chosen.map(() => fc.tuple(text, text)))
      .map((names) => names.map(([label, unit], i) => ({ name: `c${i}`, label, unit, type: chosen[i]! }))),
    rows: fc.array(row, { maxLength: 6 }),
    guides: fc.array(
      fc.record({
        axis: fc.constantFrom("x" as const, "y" as const),
        value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
        label: text,
      }),
    ),
    source: fc.record({ at: text, backend: text, model: text, app: text, run: text }),
  });
});

describe("a figure as a file", () => {
  it("reads back from CSV as it was", () => {
    fc.assert(
      fc.property(anyFigure, (figure) => void expect(fromCsv(toCsv(figure))).toEqual(figure)),
      { numRuns: 400 },
    );
  });

  it("reads back from CSV that a spreadsheet saved with its own line ends", () => {
    const figure = fc
      .sample(anyFigure, { numRuns: 40, seed: 1 })
      .filter((f) => !/[\r\n]/.test(JSON.stringify(f.rows)));
    for (const one of figure) {
      const plain = toCsv(one);
      if (/"[^"]*\n/.test(plain)) continue;
      expect(fromCsv(plain.replaceAll("\n", "\r\n"))).toEqual(one);
    }
  });

  it("reads back from JSON as it was", () => {
    fc.assert(fc.property(anyFigure, (figure) => void expect(fromJson(toJson(figure))).toEqual(figure)));
  });

  it("refuses what is no figure", () => {
    const [figure] = fc.sample(anyFigure, { numRuns: 1, seed: 3 });
    expect(() => fromCsv("a,b\n1,2\n")).toThrow(/format "none"/);
    expect(() => fromCsv(toCsv(figure!).replace("figure 1", "figure 9"))).toThrow(/figure 9/);
    const numbers = { ...figure!, columns: [{ name: "n", label: "n", unit: "", type: "number" as const }] };
    const csv = toCsv({ ...numbers, rows: [{ n: 1 }] });
    expect(() => fromCsv(csv.replace(/\n1\n$/, "\nmany\n"))).toThrow(/"many" in row 1 is not a number/);
    expect(() => fromCsv(csv.replace(/\n1\n$/, "\n1,2\n"))).toThrow(/row 1 has 2 cells/);
    expect(() => fromJson("{}")).toThrow(/format "none"/);
  });

  it("keeps text from being taken for a formula", () => {
    const [figure] = fc.sample(anyFigure, { numRuns: 1, seed: 3 });
    const columns = [{ name: "t", label: "t", unit: "", type: "text" as const }];
    expect(toCsv({ ...figure!, columns, rows: [{ t: "=HYPERLINK(1)" }] })).toContain("\n'=HYPERLINK(1)\n");
  });
});

const PLAIN = `
import json
def plain(v):
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(v), v) if isinstance(v, float) else v
print(json.dumps({name: [plain(v) for v in values] for name, values in data.items()}))
`;

it.skipIf(spawnSync("python3", ["--version"]).status !== 0)(
  "a figure that was copied as Python has the same numbers there [needs python3]",
  () => {
    const figures = fc.sample(anyFigure, 40);
    const input = figures.map((figure) => toPython(figure) + PLAIN).join("\n");
    const lines = execFileSync("python3", ["-"], { input, encoding: "utf8" }).trimEnd().split("\n");
    const shown = (value: Value) =>
      typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      figures.map(({ columns, rows }) =>
        Object.fromEntries(columns.map(({ name }) => [name, rows.map((row) => shown(row[name]!))])),
      ),
    );
  },
);
