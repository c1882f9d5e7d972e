import { expect, it } from "vitest";
import { asInRun, warmed } from "./trialRates.ts";

const rate = (total: number, units: number) => ({ total, units });

it("takes the time of parts from the warm ones, and what was computed for a step from all", () => {
  const cold = { step: rate(1, 100), part: rate(9, 3), tries: rate(150, 100), slots: rate(300, 100) };
  const warm = { step: rate(4, 400), part: rate(2, 4), tries: rate(450, 400), slots: rate(500, 400) };
  const { step, part, tries, slots } = warmed(cold, warm);
  expect(part).toEqual(rate(2, 4));
  expect(tries).toEqual(rate(600, 500));
  expect(slots).toEqual(rate(800, 500));
  // 0.01 s a token-step in batches that computed 1.25 tokens for it; together they computed 1.6.
  expect(step!.total / step!.units).toBeCloseTo((0.01 * 1.6) / 1.25, 9);
});

it("goes by the cold steps where the warm ones are hardly any", () => {
  const cold = { step: rate(1, 100), part: rate(9, 3), tries: rate(150, 100), slots: rate(300, 100) };
  const warm = { step: rate(1, 2), part: rate(2, 1), tries: rate(2, 2), slots: rate(6, 2) };
  const { step, part } = warmed(cold, warm);
  expect(step!.total / step!.units).toBeCloseTo(0.01, 9);
  expect(part).toEqual(rate(2, 1));
});

it("makes the batches fuller, and their pace for what they compute stays", () => {
  const trial = { step: rate(4, 400), part: rate(2, 4), slots: rate(800, 400) };
  const { step, slots, part } = asInRun(trial);
  expect(step!.total).toBeLessThan(4);
  expect(step!.total / slots!.total).toBeCloseTo(4 / 800, 12);
  expect(part).toEqual(trial.part);
  expect(asInRun({ step: rate(4, 400) })).toEqual({ step: rate(4, 400) });
});
