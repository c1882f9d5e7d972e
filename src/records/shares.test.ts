import { expect, it } from "vitest";
import { failuresOf, sharesOf, type Attribution, type JudgedQuestion } from "./judge.ts";

const judged = (change: Partial<Attribution>, answerable = true): JudgedQuestion => ({
  answerable,
  judgement: {
    stored: true,
    routed: true,
    recalled: true,
    shown: true,
    short: "none",
    marked: false,
    notInMemory: false,
    failed: "answer",
    ...change,
  },
});

it("shares are taken of the questions they are about, with intervals", () => {
  const rows = [
    judged({ short: "right", failed: null }),
    judged({ recalled: false, shown: false, failed: "reconstruction", notInMemory: true }),
    judged({ short: "wrong", marked: true }),
    judged({ stored: false, routed: false, recalled: false, failed: null }, false),
    judged({ stored: false, routed: false, recalled: false, short: "wrong" }, false),
  ];
  const shares = sharesOf(rows);
  expect(shares.right).toMatchObject({ n: 2, of: 5 });
  expect(shares.stored).toMatchObject({ n: 3, of: 3 });
  expect(shares.shownOfRecalled).toMatchObject({ n: 2, of: 2 });
  expect(shares.rightShort).toMatchObject({ n: 1, of: 3 });
  expect([shares.wrongUnmarked.n, shares.wrongMarked.n, shares.falseNotInMemory.n]).toEqual([1, 1, 1]);
  expect(shares.right.interval[0]).toBeCloseTo(0.118, 3);
  expect(failuresOf(rows)).toEqual({ extraction: 0, routing: 0, reconstruction: 1, answer: 2 });
  expect(sharesOf([]).right).toEqual({ n: 0, of: 0, interval: [0, 1] });
});
