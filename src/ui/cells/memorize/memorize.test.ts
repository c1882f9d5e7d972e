import { layerIndex } from "../../../records/ids.ts";
import { expect, test } from "vitest";
import type { Progress } from "../../../records/progress.ts";
import { planBudget } from "../../../plan/budget.ts";
import type { MemorizeSummary } from "../../../records/notebook.ts";
import {
  armsOf,
  boundSentence,
  budgetSpoken,
  costSentence,
  skippedSentence,
  encodedText,
  headline,
  unstored,
} from "./Summary.tsx";
import {
  advance,
  countText,
  curvePoints,
  isDone,
  leftText,
  lossAxes,
  NEW_RUN,
  paceText,
} from "../frame/RunLive.tsx";

test("the arms of Eq. 1 agree with the plan of the budget", () => {
  for (const [anchors, depth, layers, capacity, stored] of [
    [20, 14, 12, 4096, 0],
    [500, 14, 2, 100, 0],
    [500, 14, 2, 100, 150],
    [0, 14, 2, 100, 0],
    [10, 3, 1, 30, 0],
  ] as const) {
    const budget = planBudget(anchors, { depth, layers, capacity, stored });
    const { information, room, facts } = armsOf(budget);
    expect(facts).toBe(budget.facts);
    expect(information <= room ? "information" : "capacity").toBe(budget.bound);
  }
});

test("what binds is said in each case", () => {
  const said = (anchors: number, layers: number, capacity: number, stored = 0): string =>
    boundSentence(planBudget(anchors, { depth: 14, layers, capacity, stored }));
  expect(said(20, 12, 4096)).toContain("at most its 14 latest facts");
  expect(said(500, 2, 100)).toContain("the leading 200 anchors keep their latest fact each");
  expect(said(100, 2, 200)).toContain("each anchor keeps its 4 latest facts");
  expect(said(0, 2, 200)).toContain("nothing to store");
  expect(budgetSpoken(planBudget(20, { depth: 14, layers: 12, capacity: 4096, stored: 5 }))).toBe(
    "B is the smaller of 280 (m hat 14 times 20 anchors) and 49,147 (12 layers times capacity 4,096, less 5 stored): 280 facts.",
  );
});

test("the cost has the time, or says when it will be known", () => {
  expect(costSentence({ seconds: 130, bytes: 210_000 })).toBe(
    "About 2 min 10 s and about 210 KB of storage.",
  );
  expect(costSentence({ seconds: null, bytes: 210_000 })).toBe(
    "About 210 KB of storage. The time is known once the run has started.",
  );
});

test("sentences that will be left out are named with the reason", () => {
  expect(skippedSentence({ skipped: 2 })).toBe(
    "2 sentences will be left out: too long for the model’s window, or with characters that its tokenizer changes.",
  );
});

/** Folds reports that come `step` milliseconds apart; a report has the latest line of every stage, as the state keeps it. */
function fold(reports: readonly Progress[], step = 1000) {
  const stages = new Map<string, Progress>();
  return reports.reduce((view, report, i) => {
    stages.set(report.stage, report);
    return advance(view, [...stages.values()], (i + 1) * step);
  }, NEW_RUN);
}

test("one line per stage, with counts, rate and time left", () => {
  const view = fold([
    { stage: "read", done: 60, total: null },
    { stage: "read", done: 120, total: 120, note: "43 candidates" },
    { stage: "anchors", done: 12, total: 43 },
    { stage: "anchors", done: 24, total: 43 },
    { stage: "anchors", done: 36, total: 43 },
  ]);
  expect(view.map(({ stage }) => stage)).toEqual(["read", "anchors"]);
  const anchors = view[1]!;
  expect(anchors.begun).toBe(2000);
  expect(countText(anchors)).toBe("36 of 43 candidates");
  // 36 candidates in the 3 s since the reading ended.
  expect(paceText(anchors)).toBe("12 candidates/s");
});

test("what is left of the whole run is said in as many digits as an estimate has", () => {
  const left = (secondsLeft: number | null, done = 49) =>
    leftText({ stage: "encode", done, total: 49, run: { share: 0.5, secondsLeft } });
  expect(left(null)).toBe("");
  expect([left(3, 10), left(3, 40), left(3, 48)]).toEqual([
    "39 facts left",
    "the last 9 facts",
    "the last fact",
  ]);
  expect([3, 7.4, 63, 404].map((seconds) => left(seconds))).toEqual([
    "nearly done",
    "about 5 s left",
    "about 1 min left",
    "about 6 min 40 s left",
  ]);
});

test("an uncertain time left is a range, and a longer one than before has its reason", () => {
  const left = (least: number, most: number, reason?: string) => {
    const run = { share: 0, secondsLeft: least, between: [least, most] as const, ...(reason && { reason }) };
    return leftText({ stage: "encode", done: 0, total: 49, run });
  };
  expect([left(32, 124), left(3, 12), left(61, 62), left(60, 240, "slower than estimated")]).toEqual([
    "30 s to 2 min left",
    "up to 10 s left",
    "about 1 min left",
    "1 min to 4 min left: slower than estimated",
  ]);
});

test("reading counts the sentences of all texts, and says at its end how many are candidates", () => {
  const [line] = fold([{ stage: "read", done: 74_000, total: null }]);
  expect([isDone(line!), countText(line!)]).toEqual([false, "74,000 sentences"]);
  const read = { stage: "read", done: 148_528, total: 148_528, note: "37,132 candidates" } as const;
  expect(isDone(read)).toBe(true);
  expect(countText(read)).toBe("148,528 sentences, 37,132 candidates");
});

test("a slow pace is said by the time of one", () => {
  const pace = (stage: "encode" | "routing", seconds: number) => {
    const begun = { stage, done: 0, total: 99 } as const;
    const [line] = fold([begun, { ...begun, done: 10 }], 1000 * seconds);
    return paceText(line!);
  };
  expect(pace("encode", 220)).toBe("22 s a fact");
  expect(pace("encode", 1500)).toBe("2 min 30 s a fact");
  expect(pace("encode", 100)).toBe("0.1 facts/s");
  expect(pace("routing", 200)).toBe("20 s a vector");
});

test("a line that is not heard of again keeps its time", () => {
  const view = fold([
    { stage: "read", done: 43, total: 120 },
    { stage: "encode", done: 1, total: 9 },
    { stage: "encode", done: 2, total: 9 },
  ]);
  expect(view[0]!.latest).toBe(1000);
  expect(view[1]!.latest).toBe(3000);
});

test("the curves of all batches stay, on axes over whole decades that hold every one", () => {
  const encode = (batch: number, ...losses: number[]) =>
    ({
      stage: "encode",
      done: batch,
      total: 9,
      encode: { layer: layerIndex(0), batch, facts: 2, losses, share: 0 },
    }) as const;
  const view = fold([encode(1, 100), encode(1, 100, 10), encode(2, 10), encode(2, 10, 1, 0)]);
  const { curves } = view[0]!;
  expect(curves.map(({ batch, losses }) => [batch, losses.length])).toEqual([
    [1, 2],
    [2, 3],
  ]);
  const axes = lossAxes(curves);
  expect(axes).toEqual({ steps: 3, domain: [1e-4, 100], ticks: [1e-4, 1e-3, 0.01, 0.1, 1, 10, 100] });
  expect(curvePoints(curves[0]!.losses, axes, 100, 60)).toBe("0.0,0.0 50.0,10.0");
  // A loss of nothing lies on the floor.
  expect(curvePoints(curves[1]!.losses, axes, 100, 60)).toBe("0.0,10.0 50.0,20.0 100.0,60.0");
  expect(lossAxes([])).toEqual({ steps: 2, domain: [1, 10], ticks: [1, 10] });
});

test("the headline says how much is word for word", () => {
  const summary = {
    sources: [{ title: "The Lamp" }],
    encoded: 43,
    exact: 37,
    total: 43,
  } as unknown as MemorizeSummary;
  expect(headline(summary)).toBe("43 facts of “The Lamp” are in memory: 37 recalled word for word, 6 not.");
  expect(headline({ ...summary, encoded: 1, exact: 0 })).toMatch(/not recalled word for word\.$/);
  expect(headline({ ...summary, exact: 43, total: 50 })).toBe(
    "43 facts of “The Lamp” are in memory, in addition to 7 older ones: all recalled word for word.",
  );
  expect(headline({ ...summary, encoded: 0 })).toBe("No fact was added; the memory has 43 facts.");
  expect(headline(summary, 41)).toBe(
    "43 facts of “The Lamp” were memorised: 37 recalled word for word, 6 not. The memory has changed since: it holds 41 facts now.",
  );
});

test("what an earlier run left is among the encoded facts, and said so", () => {
  const said = (encoded: number, resumed: number) => encodedText({ encoded, resumed } as MemorizeSummary);
  expect(said(12, 12)).toBe("12 facts, all of them left over from an interrupted run");
  expect(said(20, 12)).toBe("20 facts, 12 of them left over from an interrupted run");
  expect(said(1, 1)).toBe("1 fact, left over from an interrupted run");
  expect(said(12, 0)).toBe("12 facts");
});

test("what is in no fact is said with its reasons, before and after", () => {
  const budget = { depth: 14, bound: "information", perAnchor: 14 } as const;
  const kept = { sentences: 529, candidates: 234, retained: 198 };
  expect(unstored(kept, budget, "before")).toBe(
    "331 of 529 sentences will not be stored: 295 by the filter (see the parameters); 36 by Eq. 1: an anchor keeps its 14 latest facts.",
  );
  expect(unstored({ ...kept, retained: 234 }, budget, "after")).toMatch(/^295 of 529 .* the parameters\)\.$/);
  expect(
    unstored(
      { ...kept, candidates: 529, retained: 528 },
      { ...budget, bound: "capacity", perAnchor: 9 },
      "after",
    ),
  ).toBe("1 of 529 sentences is not stored: 1 by Eq. 1: the layers have no room for more.");
  expect(
    unstored({ ...kept, candidates: 529, retained: 528 }, { ...budget, bound: "capacity" }, "after"),
  ).toContain("1 by Eq. 1: an anchor keeps its 14 latest facts.");
  expect(unstored({ sentences: 3, candidates: 3, retained: 3 }, budget, "after")).toBeNull();
});
