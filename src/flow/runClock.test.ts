import { expect, it } from "vitest";
import { RunClock } from "./runClock.ts";

/** A clock whose time is set by hand, in seconds. */
function clocked(expected: ConstructorParameters<typeof RunClock>[1]) {
  const time = { seconds: 0 };
  const clock = new RunClock(() => 1000 * time.seconds, expected);
  const at = (seconds: number, ...where: Parameters<RunClock["at"]>) => {
    time.seconds = seconds;
    return clock.at(...where);
  };
  return { clock, at };
}

it("counts the stages to come, and ends where all is done", () => {
  const { at } = clocked({ anchors: 10, encode: 30 });
  expect(at(0, "anchors", 0)).toEqual({ share: 0, secondsLeft: 40 });
  expect(at(5, "anchors", 0.5)).toMatchObject({ secondsLeft: 35, share: expect.closeTo(5 / 40, 9) });
  expect(at(10, "encode", 0)).toMatchObject({ secondsLeft: 30, share: expect.closeTo(0.25, 9) });
  expect(at(40, "encode", 1)).toEqual({ share: 1, secondsLeft: 0 });
});

it("leaves the forecast for the run's own pace as that shows", () => {
  const { at } = clocked({ encode: 20 });
  at(0, "encode", 0);
  // A quarter took as long as all should have: three more are left.
  const { secondsLeft } = at(20, "encode", 0.25);
  expect(secondsLeft).toBeGreaterThan(30);
  expect(secondsLeft).toBeLessThan(60);
  expect(at(60, "encode", 0.8).secondsLeft).toBeCloseTo(15, -1);
});

it("moves at every report and never goes back, also where nothing is done yet", () => {
  const { at } = clocked({ layers: 2, encode: 20 });
  const shares = [1, 2, 4, 8, 16].map((second) => at(second, "layers", 0).share);
  shares.push(...[17, 18, 30].map((second) => at(second, "encode", 0).share));
  for (const [i, share] of shares.entries()) if (i > 0) expect(share).toBeGreaterThanOrEqual(shares[i - 1]!);
  expect(shares[1]).toBeGreaterThan(shares[0]!);
  expect(shares.at(-1)).toBeLessThan(1);
});

it("says nothing where nothing is known, but for the pace of the last stage", () => {
  const { at } = clocked(null);
  expect(at(3, "anchors", 0.5).secondsLeft).toBeNull();
  expect(at(4, "encode", 0).secondsLeft).toBeNull();
  expect(at(8, "encode", 0.02).secondsLeft).toBeNull();
  expect(at(14, "encode", 0.25).secondsLeft).toBeCloseTo(30, 9);
});

it("takes better knowledge of the stages to come", () => {
  const { clock, at } = clocked({ anchors: 1, encode: 5 });
  at(0, "anchors", 0);
  clock.expect({ encode: 50 });
  expect(at(1, "anchors", 1).secondsLeft).toBe(50);
});

it("does not count pauses", () => {
  const { at } = clocked({ encode: 20 });
  for (let i = 0; i <= 10; i++) at(i / 2, "encode", i / 40);
  const before = at(5.5, "encode", 11 / 40).secondsLeft!;
  expect(at(3600, "encode", 11 / 40).secondsLeft).toBeCloseTo(before, 9);
});
