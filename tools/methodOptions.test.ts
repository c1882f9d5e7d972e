/** @file Parameters of the method on a command line. */

import { describe, expect, it } from "vitest";
import { PAPER, PARAMETER_NAMES, SHARP } from "../src/records/params.ts";
import { methodHelp, methodParams } from "./methodOptions.ts";

describe("parameters on a command line", () => {
  it("changes the base, or the preset that is named", () => {
    expect(methodParams({}, {}, PAPER)).toEqual(PAPER);
    expect(methodParams({ preset: "paper" }, {}, SHARP)).toEqual(PAPER);
    const set = ["partTokens=none", "schedule=paper", "spareRoom=off", "theta=0.7"];
    expect(methodParams({ set }, {}, SHARP)).toEqual({
      ...SHARP,
      partTokens: null,
      schedule: "paper",
      spareRoom: false,
      theta: 0.7,
    });
  });

  it("takes a shorthand for a --set, which wins over it", () => {
    const given = { batch: "3", set: ["steps=9"] };
    expect(methodParams(given, { batch: "encodeBatch" }, SHARP)).toEqual({
      ...SHARP,
      steps: 9,
      encodeBatch: 3,
    });
    expect(methodParams({ steps: "4", set: ["steps=9"] }, { steps: "steps" }, SHARP).steps).toBe(9);
  });

  it("lists every parameter with its range and what the presets have", () => {
    const help = methodHelp();
    for (const name of PARAMETER_NAMES) expect(help).toMatch(new RegExp(`^ {4}${name} .* \\(.+\\)$`, "m"));
    expect(help).toContain("a whole number from 2 to 1024, probe, or none (probe; paper none)");
  });
});
