import { expect, expectTypeOf, test } from "vitest";
import {
  ALL_HEADINGS,
  differences,
  namesUnder,
  paramsText,
  problemsOf,
  problemWith,
  rangeText,
  readValue,
  valueText,
  withParameter,
} from "./parameterText.ts";
import type { ChoiceKind } from "./parameterKinds.ts";
import {
  keyOf,
  ordered,
  PAPER,
  PARAMETER_NAMES,
  PARAMETERS,
  paramsOf,
  PRESETS,
  QUESTION_NAMES,
  rowOf,
  savedParams,
  savedQuestionChanges,
  savedQuestionParams,
  SHARP,
  type MethodParams,
  type ParamsOf,
  type QuestionName,
} from "./params.ts";

test("types follow from the rows", () => {
  expectTypeOf<MethodParams["read"]>().toEqualTypeOf<"top1" | "soft">();
  expectTypeOf<MethodParams["denseFloor"]>().toEqualTypeOf<number | null>();
  expectTypeOf<MethodParams["factVectors"]>().toEqualTypeOf<boolean>();
  expectTypeOf<"read" | "theta" | "beta">().toExtend<keyof ParamsOf<"read">>();
  expectTypeOf<Extract<keyof ParamsOf<"read">, "depth" | "maxFacts">>().toBeNever();
  expectTypeOf<"read" | "theta" | "maxFacts" | "routeShare">().toExtend<QuestionName>();
  expectTypeOf<Extract<QuestionName, "depth" | "factVectors">>().toBeNever();
  type Options<Row> = Row extends { kind: ChoiceKind<infer Value> } ? Value : never;
  expectTypeOf<Options<(typeof PARAMETERS)["anchors"]>>().toEqualTypeOf<"model" | "rules">();
});

test("every parameter has one heading, and both presets are valid", () => {
  expect(Object.keys(SHARP).toSorted()).toEqual(["preset", ...PARAMETER_NAMES].toSorted());
  expect(ALL_HEADINGS.flatMap(namesUnder).toSorted()).toEqual([...PARAMETER_NAMES].toSorted());
  for (const preset of Object.values(PRESETS)) expect(problemsOf(preset)).toEqual([]);
});

test("differences are those from the preset the parameters started from", () => {
  expect(differences(SHARP)).toEqual([]);
  expect(differences(PAPER)).toEqual([]);
  const changed = withParameter(withParameter(SHARP, "theta", 0.7), "denseFloor", 0.4);
  expect(differences(changed)).toEqual(["theta", "denseFloor"]);
  expect(differences(withParameter(changed, "theta", SHARP.theta))).toEqual(["denseFloor"]);
  expect(differences({ ...SHARP, preset: "paper" })).toContain("read");
});

test("values out of range are refused with the range", () => {
  expect(problemWith("theta", 1.2)).toBe("Gate must be a number from -1 to 1.");
  expect(problemWith("depth", 1.5)).toBe("Retention depth must be a whole number from 1 to 100000.");
  expect(problemWith("denseFloor", null)).toBeNull();
  expect(problemWith("denseFloor", 0.25)).toBeNull();
  // Half a token more cut a value into parts of none and one of all.
  expect(problemWith("partTokens", 14.5)).toMatch(/must be a whole number from 2 to 1024, probe, or none/);
  expect([14, null, "probe"].map((value) => problemWith("partTokens", value))).toEqual([null, null, null]);
  expect(problemWith("beta", Number.NaN)).toBe("Sharpness must be a number from 0 to 10000.");
  expect(problemWith("read", "hard")).toContain("top1, soft");
  expect(problemsOf({ ...SHARP, depth: 0, theta: 2 })).toHaveLength(2);
});

test("values are shown as words", () => {
  expect(valueText("read", "top1")).toBe("top-1 at the key");
  expect(valueText("partTokens", null)).toBe("none");
  expect(valueText("factVectors", true)).toBe("on");
  expect(valueText("learningRate", 1e-8)).toBe("1e-8");
  expect(valueText("capacity", 65_536)).toBe("65,536");
});

test("the parameters of a stage are picked from the rows", () => {
  expect(paramsOf(SHARP, "read")).toMatchObject({ read: "top1", theta: 0.6, beta: 50 });
  expect(paramsOf(SHARP, "read")).not.toHaveProperty("maxFacts");
  const route = Object.keys(paramsOf(PAPER, "route"));
  expect(route).toEqual(expect.arrayContaining(["maxFacts", "maxAnchors", "routeShare", "factVectors"]));
  expect(route).not.toContain("theta");
  // Vectors of facts are made while memorising: no question can ask for them.
  const asked = ["read", "theta", "beta", "maxFacts", "maxAnchors", "routeShare"];
  expect(QUESTION_NAMES).toEqual(expect.arrayContaining(asked));
  expect(QUESTION_NAMES).not.toContain("factVectors");
});

test("a cost key tells apart what its stages read, and nothing else", () => {
  const key = keyOf(SHARP, "encode");
  expect(keyOf({ ...SHARP, theta: 0.1 }, "encode")).toBe(key);
  for (const name of Object.keys(paramsOf(SHARP, "encode")))
    expect(keyOf({ ...SHARP, [name]: "other" } as unknown as MethodParams, "encode")).not.toBe(key);
});

test("typed values are read by their kind, or refused", () => {
  const read = (name: keyof typeof PARAMETERS, text: string) => readValue(rowOf(name).kind, text);
  expect(read("theta", "0.7")).toBe(0.7);
  expect(read("theta", "2")).toBeUndefined();
  expect(read("theta", " ")).toBeUndefined();
  expect(read("steps", "1.5")).toBeUndefined();
  expect(read("learningRate", "1e-2")).toBe(1e-2);
  expect(read("partTokens", "none")).toBeNull();
  expect(read("theta", "none")).toBeUndefined();
  expect([read("factVectors", "on"), read("factVectors", "off"), read("factVectors", "1")]).toEqual([
    true,
    false,
    undefined,
  ]);
  expect(read("schedule", "ours")).toBe("ours");
  expect(read("schedule", "mine")).toBeUndefined();
  expect(rangeText(rowOf("denseFloor").kind)).toBe("a number from -1 to 1, or calibrated");
});

test("the report shows every parameter under its heading", () => {
  const text = paramsText(SHARP);
  for (const name of PARAMETER_NAMES) expect(text).toContain(valueText(name, SHARP[name]));
  expect(text).toContain("Read: read top-1 at the key, gate 0.6 (θ), sharpness 50 (β).");
});

test("a saved record is checked by kind, not by range, and keeps known fields alone", () => {
  expect(savedParams({ ...PAPER, theta: 7, gone: 1 }, "file: params")).toEqual({ ...PAPER, theta: 7 });
  const wrong = (change: object) => () => savedParams({ ...SHARP, ...change }, "file: params");
  expect(wrong({ read: "banana" })).toThrow('file: params.read must be one of: top1, soft; found "banana"');
  expect(wrong({ theta: "0.6" })).toThrow('file: params.theta must be a number; found "0.6"');
  expect(wrong({ denseFloor: undefined })).toThrow(
    "file: params.denseFloor must be a number or null; found nothing",
  );
  expect(wrong({ preset: "blunt" })).toThrow("file: params.preset must be one of: paper, sharp");
  expect(() => savedParams([], "file: params")).toThrow("must be an object");
});

test("a missing field of a saved record gets the value of the record's preset", () => {
  const { theta, read } = PAPER;
  expect(savedParams({ preset: "paper", theta }, "file")).toEqual(PAPER);
  expect(savedParams({ preset: "sharp", theta: 0.7 }, "file")).toEqual({ ...SHARP, theta: 0.7 });
  expect(savedQuestionParams({ theta, read }, "file")).toMatchObject({
    read: "soft",
    beta: 50,
    maxFacts: 24,
  });
  expect(savedQuestionChanges({ theta: 0.7, depth: 3 }, "file")).toEqual({ theta: 0.7 });
});

test("equal parameters are equal as JSON, in whatever order their fields were set", () => {
  const shuffled = Object.fromEntries(Object.entries(SHARP).reverse()) as MethodParams;
  expect(JSON.stringify(shuffled)).not.toBe(JSON.stringify(SHARP));
  expect(JSON.stringify(ordered(shuffled))).toBe(JSON.stringify(SHARP));
});
