import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { anyNumber, checked, count, number, object, readBy, text, type Infer } from "./check.ts";

const cell = object({
  title: text(),
  size: v.optional(count()),
  tags: v.array(text()),
  mode: v.picklist(["a", "b"]),
});
const cells = v.object({ cells: v.array(cell) });
const good: Infer<typeof cell> = { title: "t", tags: ["x"], mode: "a" };

describe("a checked value", () => {
  it("has the known fields alone, and is a new one", () => {
    const given = { ...good, size: 3, other: 1 };
    expect(checked(cell, given, "")).toEqual({ ...good, size: 3 });
    expect(Object.keys(checked(cell, good, ""))).toEqual(["title", "tags", "mode"]);
  });

  it.each([
    [{ ...good, title: 7 }, "test: cells[1].title is 7; text is expected"],
    [{ ...good, title: undefined }, "test: cells[1].title is missing; text is expected"],
    [{ tags: [], mode: "a" }, "test: cells[1].title is missing; a value is expected"],
    [{ ...good, size: -1 }, "test: cells[1].size is -1; a whole number, 0 or more is expected"],
    [{ ...good, size: "1" }, 'test: cells[1].size is "1"; a whole number, 0 or more is expected'],
    [{ ...good, tags: ["x", null] }, "test: cells[1].tags[1] is null; text is expected"],
    [{ ...good, tags: { length: 1 } }, 'test: cells[1].tags is {"length":1}; a list is expected'],
    [{ ...good, mode: "banana" }, 'test: cells[1].mode is "banana"; "a" or "b" is expected'],
    [[], "test: cells[1] is []; an object is expected"],
  ])("%j is refused with place, value and expectation", (value, message) => {
    if (Array.isArray(value)) return expect(() => checked(cell, value, "test: ")).toThrow(/title is missing/);
    expect(() => checked(cells, { cells: [good, value] }, "test: ")).toThrow(new Error(message));
  });

  it("of a function goes on from the place", () => {
    const own = v.object({
      params: readBy((_, place): number => {
        throw new Error(`${place}.theta must be a number; found null`);
      }),
    });
    expect(() => checked(own, { params: {} }, "memory: ")).toThrow(
      "memory: params.theta must be a number; found null",
    );
  });

  it("is a number that JSON has, or any", () => {
    for (const odd of [NaN, Infinity]) {
      expect(() => checked(number(), odd, "")).toThrow(/a number is expected/);
      expect(checked(anyNumber, odd, "")).toBe(odd);
    }
  });
});
