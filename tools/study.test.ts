/** @file The command line of studies: what it understands and what it refuses. */

import { describe, expect, it } from "vitest";
import { PAPER } from "../src/records/params.ts";
import { parseCommand } from "./study.ts";

describe("npm run study", () => {
  it("takes a study's own settings as they are typed, and common options", () => {
    const args = ["capacity", "--sizes", "16,32", "--fixed", "8", "--preset", "paper", "--seed", "9"];
    expect(parseCommand(args)).toMatchObject({
      study: "capacity",
      settings: { sizes: "16,32", fixed: 8 },
      params: PAPER,
      seed: 9,
      backend: "cpu",
    });
    expect(parseCommand(["deletion"]).settings).toEqual({});
  });

  it.each([
    [["speed"], /--study is "speed", expected one of: capacity, deletion/],
    [[], /expected one of/],
    [["capacity", "--sizes", "many"], /sizes is "many"/],
    [["capacity", "--fixed", "few"], /--fixed is "few"/],
    [["capacity", "--seed", "1.5"], /--seed is "1.5"/],
    [["layers", "--sizes", "4"], /--sizes/],
    [["steps", "--schedules", "40"], /not a schedule/],
  ])("refuses %j", (args, message) => {
    expect(() => parseCommand(args)).toThrow(message);
  });
});
