import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { RunClock } from "./observeRun.ts";

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
  expect(at(0, "anchors", 0)).toEqual({ share: 0, secondsLeft: 40, between: [20, 80] });
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

it("counts a batch that took long behind quick steps, and not the time that the machine slept", () => {
  const { at } = clocked({ layers: 10, encode: 20 });
  for (let i = 1; i <= 10; i++) at(i / 100, "layers", i / 100);
  // Five layers, twelve seconds each: two were foreseen.
  for (let layer = 1; layer <= 5; layer++) at(12 * layer, "layers", layer / 5);
  expect(at(60, "encode", 0).secondsLeft).toBeGreaterThan(30);
});

it("does not count the time that the machine slept", () => {
  const { at } = clocked({ encode: 20 });
  for (let i = 0; i <= 10; i++) at(i / 2, "encode", i / 40);
  const before = at(5.5, "encode", 11 / 40).secondsLeft!;
  expect(at(3600, "encode", 11 / 40).secondsLeft).toBeCloseTo(before, 9);
});

type Stage = Parameters<RunClock["at"]>[0];
/** From one share of a stage to another, in so many seconds. */
type Stretch = readonly [stage: Stage, from: number, to: number, seconds: number];

/** A run as it went, told every second. Estimates over what was really left, by the time that had passed. */
function replayed(
  expected: ConstructorParameters<typeof RunClock>[1],
  trace: readonly Stretch[],
  elsewhere = false,
) {
  const { at, clock } = clocked(elsewhere ? null : expected);
  if (elsewhere) clock.expect(expected!, true);
  const end = trace.reduce((sum, [, , , seconds]) => sum + seconds, 0);
  let began = 0;
  const ratios = trace.flatMap(([stage, from, to, seconds]) => {
    const all = Array.from({ length: seconds }, (_, i) => {
      const now = began + i + 1;
      const { secondsLeft } = at(now, stage, from + ((to - from) * (i + 1)) / seconds);
      return { now, ratio: secondsLeft! / (end - now) };
    });
    began += seconds;
    return all;
  });
  return {
    /** The smallest and the largest ratio between two times. */
    between(after: number, before: number): readonly [number, number] {
      const some = ratios.filter(({ now }) => now > after && now < before).map(({ ratio }) => ratio);
      return [Math.min(...some), Math.max(...some)];
    },
    end,
  };
}

it("follows a machine that becomes three times slower in the middle, or quieter", () => {
  const slower = replayed({ encode: 100 }, [
    ["encode", 0, 0.5, 50],
    ["encode", 0.5, 1, 150],
  ]);
  // A fifth of what is left later it is near the truth, and stays there.
  const [least, most] = slower.between(80, slower.end);
  expect(least).toBeGreaterThan(0.75);
  expect(most).toBeLessThan(1.1);
  const quieter = replayed({ encode: 100 }, [
    ["encode", 0, 0.5, 150],
    ["encode", 0.5, 1, 50],
  ]);
  const [low, high] = quieter.between(170, quieter.end);
  expect(low).toBeGreaterThan(0.9);
  expect(high).toBeLessThan(1.5);
});

it("forgets a slow beginning", () => {
  const run = replayed({ encode: 100 }, [
    ["encode", 0, 0.1, 50],
    ["encode", 0.1, 1, 90],
  ]);
  const [least, most] = run.between(70, run.end);
  expect(least).toBeGreaterThan(0.9);
  expect(most).toBeLessThan(1.35);
});

it("leaves a forecast from a quieter time: 10 s were foreseen, 60 s are taken", () => {
  const run = replayed({ layers: 2, routing: 1, encode: 7 }, [
    ["layers", 0, 1, 12],
    ["routing", 0, 1, 6],
    ["encode", 0, 1, 42],
  ]);
  expect(run.between(12, run.end)[0]).toBeGreaterThan(0.25);
  expect(run.between(24, run.end)[0]).toBeGreaterThan(0.5);
  const [least, most] = run.between(36, run.end);
  expect(least).toBeGreaterThan(0.8);
  expect(most).toBeLessThan(1.1);
});

it("takes half of what a stage was late to be the machine's doing, so that neither case is far off", () => {
  const late: Stretch = ["routing", 0, 1, 90];
  const alone = replayed({ routing: 30, encode: 100 }, [late, ["encode", 0, 1, 100]]);
  const both = replayed({ routing: 30, encode: 100 }, [late, ["encode", 0, 1, 300]]);
  expect(alone.between(80, alone.end)[1]).toBeLessThan(1.6);
  expect(alone.between(130, alone.end)[1]).toBeLessThan(1.1);
  expect(both.between(80, both.end)[0]).toBeGreaterThan(0.5);
  expect(both.between(130, both.end)[0]).toBeGreaterThan(0.75);
});

it("does not take what stands still to stand still for ever", () => {
  const { at } = clocked({ encode: 100 });
  for (let second = 1; second <= 90; second++) at(second, "encode", second / 100);
  // The last facts are hard: ten times as long as expected for nothing.
  expect(at(190, "encode", 0.9).secondsLeft).toBeLessThan(200);
  expect(at(191, "encode", 0.89).secondsLeft).toBeLessThan(200);
});

/**
 * 1.5 million words on two cores while other work came and went: seconds since routing began, and how many of 30,455
 * texts and of 19,983 facts were done.
 */
const ROUTED = [
  [15, 1632],
  [61, 5856],
  [106, 13736],
  [152, 22600],
] as const;
const ENCODED = [
  [197, 0],
  [289, 568],
  [380, 1148],
  [471, 1832],
  [562, 2359],
  [653, 2757],
  [743, 3128],
  [834, 3649],
  [925, 4170],
  [1016, 4674],
  [1107, 5173],
  [1198, 5587],
  [1289, 6192],
  [1380, 6677],
  [1471, 7191],
  [1562, 7716],
  [1653, 8245],
  [1744, 8746],
  [1835, 9237],
  [1927, 9518],
  [2018, 9897],
  [2109, 10423],
  [2200, 10868],
  [2292, 11350],
  [2383, 11800],
  [2474, 12200],
  [2566, 12825],
  [2657, 13254],
  [2748, 13787],
  [2840, 14302],
  [2931, 14861],
  [3022, 15366],
  [3113, 15793],
  [3204, 16152],
  [3295, 16467],
  [3386, 16920],
  [3477, 17420],
  [3568, 17777],
  [3659, 18199],
  [3751, 18607],
  [3842, 19037],
  [3933, 19584],
  [4009, 19892],
] as const;
const ENDED = 4015;

it("stays near the truth through a run of an hour, in which the forecast was a fourth too long", () => {
  const { at } = clocked({ routing: 170, encode: 4363 });
  at(0, "routing", 0);
  const left = [
    ...ROUTED.map(([second, texts]) => [second, at(second, "routing", texts / 30_455)] as const),
    ...ENCODED.map(([second, facts]) => [second, at(second, "encode", facts / 19_983)] as const),
  ];
  const ratios = left.map(([second, { secondsLeft }]) => secondsLeft! / (ENDED - second));
  expect(Math.min(...ratios)).toBeGreaterThan(0.75);
  // A few seconds before the end a few seconds are much.
  expect(Math.max(...ratios.slice(0, -1))).toBeLessThan(1.25);
});

it("takes from another machine how long the stages are beside each other, and says nothing before it has done some", () => {
  const { clock, at } = clocked(null);
  expect(at(0.1, "read", 1).secondsLeft).toBeNull();
  clock.expect({ anchors: 10, encode: 30 }, true);
  // Three times slower here.
  expect(at(0.5, "anchors", 0.01)).toMatchObject({ secondsLeft: null });
  const near = (seconds: number | null, truth: number) => {
    expect(seconds).toBeGreaterThan(0.8 * truth);
    expect(seconds).toBeLessThan(1.2 * truth);
  };
  const first = at(6, "anchors", 0.2);
  near(first.secondsLeft, 114);
  expect(first.share).toBeGreaterThan(0);
  near(at(30, "anchors", 1).secondsLeft, 90);
  clock.expect({ encode: 40 }, true);
  near(at(30, "encode", 0).secondsLeft, 120);
});

const threeStages = (factor: number) => ({
  estimated: { anchors: 60 * factor, routing: 20 * factor, encode: 220 * factor },
  trace: [
    ["anchors", 0, 1, 60],
    ["routing", 0, 1, 20],
    ["encode", 0, 1, 220],
  ] satisfies Stretch[],
});

it.each([1 / 3, 1 / 2, 1, 2])(
  "is within a factor of two after the first tenth, with an estimate of %d times the truth",
  (factor) => {
    const { estimated, trace } = threeStages(factor);
    const run = replayed(estimated, trace);
    const [least, most] = run.between(run.end / 10, run.end);
    expect(least).toBeGreaterThan(0.5);
    expect(most).toBeLessThan(2);
  },
);

it.each([1 / 8, 1 / 4, 1 / 2, 2, 4, 8])(
  "is within a factor of two after the first tenth, with rates of a machine that took %d times as long",
  (factor) => {
    const { estimated, trace } = threeStages(factor);
    const run = replayed(estimated, trace, true);
    const [least, most] = run.between(run.end / 10, run.end);
    expect(least).toBeGreaterThan(0.5);
    expect(most).toBeLessThan(2);
  },
);

/** Runs of the bundled model on two busy cores: what the clock was told, and when. */
const RECORDED = JSON.parse(readFileSync("src/flow/testing/recordedRuns.json", "utf8")) as readonly {
  readonly name: string;
  readonly elsewhere: boolean;
  readonly seconds: Record<string, number>;
  readonly end: number;
  readonly log: readonly (
    | readonly [number, Record<string, number>, boolean]
    | readonly [number, Stage, number]
  )[];
}[];

describe.each(RECORDED)("in a recorded run, $name", ({ seconds, elsewhere, end, log }) => {
  /** What was shown, with the truth, for a machine that becomes `slower` times as slow after 40 % of the run. */
  function shown(slower: number) {
    const time = { seconds: 0 };
    const clock = new RunClock(() => 1000 * time.seconds, seconds, elsewhere);
    const stretched = (at: number) => at + Math.max(0, at - 0.4 * end) * (slower - 1);
    return log.flatMap((row) => {
      time.seconds = stretched(row[0]);
      if (typeof row[1] === "object") clock.expect(row[1], row[2] as boolean);
      else {
        const { secondsLeft: left, ...rest } = clock.at(row[1], row[2] as number);
        return left === null ? [] : [{ left, ...rest, truth: stretched(end) - time.seconds }];
      }
      return [];
    });
  }

  it("is a range at first, which holds the truth", () => {
    const [first] = shown(1);
    expect(first!.truth).toBeGreaterThan(first!.between![0]);
    expect(first!.truth).toBeLessThan(first!.between![1]);
  });

  it.each([1, 3])("never jumps upward by more than half without a reason (%d times slower)", (slower) => {
    let least = Infinity;
    let [jumps, reasons] = [0, 0];
    for (const { left, between, reason } of shown(slower)) {
      const most = Math.max(5, between?.[1] ?? left);
      if (reason) reasons++;
      if (most > 1.5 * least) {
        jumps++;
        expect(reason).toMatch(/^(slower|more facts) than estimated$/);
        least = most;
      }
      least = Math.min(least, most);
    }
    if (slower > 1) expect(jumps).toBeGreaterThan(0);
    expect(reasons).toBeGreaterThanOrEqual(jumps);
  });
});
