import { expect, it } from "vitest";
import { SHARP } from "../../records/params.ts";
import { timeAtPace } from "./pace.ts";

const pace = { fact: 0.002, step: 0.001, write: 0.01 };
const size = { candidates: 50, facts: 40, tokens: 10, probed: 0 };
const rules = { ...SHARP, anchors: "rules" } as const;

it("grows with every step, fact and probed token; where no fact stops early, every step counts", () => {
  expect(timeAtPace(pace, rules, size)).toEqual([400 * (0.002 + 4 * 0.001), 400 * (0.002 + 20 * 0.001)]);
  const all = 400 * (0.002 + 60 * 0.001);
  expect(timeAtPace(pace, { ...rules, earlyStop: false }, size)).toEqual([all, all]);
  expect(timeAtPace(pace, rules, { ...size, probed: 100 })[0]).toBeCloseTo(500 * 0.006, 9);
  // Fewer steps than an easy fact takes bound both.
  expect(timeAtPace(pace, { ...rules, steps: 3 }, size)).toEqual([400 * 0.005, 400 * 0.005]);
});

it("counts what the model writes where anchors and questions are the model's", () => {
  const byRule = timeAtPace(pace, rules, size);
  const byModel = timeAtPace(pace, SHARP, size);
  const proposals = 50 * 5 * 0.01;
  const questions = 40 * 3 * 10 * 0.01;
  expect(byModel[0] - byRule[0]).toBeCloseTo(proposals + questions / 8, 9);
  expect(byModel[1] - byRule[1]).toBeCloseTo(proposals + questions, 9);
});

it("is nothing where there is nothing to do", () => {
  expect(timeAtPace(pace, SHARP, { candidates: 0, facts: 0, tokens: 0, probed: 0 })).toEqual([0, 0]);
});
