import { expect, test } from "vitest";
import type { Progress } from "../../../records/progress.ts";
import { planBudget } from "../../../plan/budget.ts";
import { layerIndex } from "../../../records/ids.ts";
import type { MemorizeSummary } from "../../../records/notebook.ts";
import { armsOf, boundSentence, budgetSpoken, costSentence } from "./budgetText.ts";
import { encodedText, headline } from "./summaryText.ts";
import { advance, countText, curvePoints, isDone, NEW_RUN, paceText, STAGES } from "./runView.ts";

test("the arms of Eq. 1 agree with the plan of the budget", () => {
  for (const [anchors, depth, layers, capacity, stored] of [
    [20, 14, 12, 4096, 0],
    [500, 14, 2, 100, 0],
    [500, 14, 2, 100, 150],
    [0, 14, 2, 100, 0],
    [10, 3, 1, 30, 0],
  ] as const) {
    const budget = planBudget(anchors, { depth, layers, capacity, stored });
    const { information, room, facts, perAnchor } = armsOf(budget);
    expect(facts).toBe(budget.facts);
    expect(perAnchor).toBe(budget.perAnchor);
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

test("the cost says what is not known", () => {
  const estimate = {
    candidates: 43,
    anchors: 20,
    facts: 280,
    layers: 3,
    capacity: 4096,
    depth: 14,
    bound: "information",
    bytes: 210_000,
    time: { from: 12, to: 130, measured: false },
  } as const;
  expect(costSentence(estimate)).toBe(
    "Between 12 s and 2 min 10 s, depending on how many steps the facts take, and about 210 KB of storage. After a run the time is known better.",
  );
  expect(costSentence({ ...estimate, time: { from: 75, to: 75, measured: true } })).toBe(
    "About 1 min 15 s and about 210 KB of storage, going by the facts this machine encoded last.",
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
  expect(paceText(anchors)).toBe("12 candidates/s, about 583 ms left");
});

test("the engine's own pace of encoding is said as it is", () => {
  const encode = {
    layer: layerIndex(2),
    batch: 1,
    facts: 32,
    losses: [4, 2],
    factsPerSecond: 1.25,
    secondsLeft: 75,
  };
  const [line] = fold([{ stage: "encode", done: 16, total: 110, encode }]);
  expect(paceText(line!)).toBe("1.3 facts/s, about 1 min 15 s left");
  const [early] = fold([
    { stage: "encode", done: 0, total: 110, encode: { ...encode, factsPerSecond: null, secondsLeft: null } },
  ]);
  expect(paceText(early!)).toBe("");
});

test("reading counts the sentences of all texts, and says at its end how many are candidates", () => {
  const [line] = fold([{ stage: "read", done: 74_000, total: null }]);
  expect([isDone(line!), countText(line!)]).toEqual([false, "74,000 sentences"]);
  const read = { stage: "read", done: 148_528, total: 148_528, note: "37,132 candidates" } as const;
  expect(isDone(read)).toBe(true);
  expect(countText(read)).toBe("148,528 sentences, 37,132 candidates");
});

test("a slow pace is said by the time of one", () => {
  const encode = { layer: layerIndex(2), batch: 1, facts: 1, losses: [4], secondsLeft: null };
  const pace = (factsPerSecond: number) =>
    paceText(fold([{ stage: "encode", done: 1, total: 9, encode: { ...encode, factsPerSecond } }])[0]!);
  expect(pace(1 / 22)).toBe("22 s a fact");
  expect(pace(1 / 150)).toBe("2 min 30 s a fact");
  expect(pace(0.1)).toBe("0.1 facts/s");
  expect(pace(1234)).toBe("1,234 facts/s");
  const slow = fold(
    [
      { stage: "routing", done: 0, total: 9 },
      { stage: "routing", done: 1, total: 9 },
    ],
    20_000,
  );
  expect(paceText(slow[0]!)).toBe("20 s an anchor, about 2 min 40 s left");
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

test("the curve lies in its box", () => {
  const points = curvePoints([4, 2, 1, 0], 100, 20).split(" ");
  expect(points).toEqual(["0.0,0.0", "33.3,10.0", "66.7,15.0", "100.0,20.0"]);
  expect(curvePoints([1], 100, 20)).toBe("");
});

test("the stages are in the order of the method", () =>
  expect(STAGES).toEqual(["read", "anchors", "layers", "budget", "questions", "routing", "encode"]));

test("the headline says how much is word for word", () => {
  const summary = {
    sources: [{ title: "The Lamp" }],
    encoded: 43,
    exact: 37,
    total: 43,
  } as unknown as MemorizeSummary;
  expect(headline(summary)).toBe(
    "43 facts of “The Lamp” are in memory: the model says 37 of them word for word, and 6 in part.",
  );
  expect(headline({ ...summary, exact: 43, total: 50 })).toBe(
    "43 facts of “The Lamp” are in memory, beside 7 older ones: the model says each of them word for word.",
  );
  expect(headline({ ...summary, encoded: 0 })).toBe("Nothing new was found; the memory holds 43 facts.");
});

test("what an earlier run left is among the encoded facts, and said so", () => {
  const said = (encoded: number, resumed: number) => encodedText({ encoded, resumed } as MemorizeSummary);
  expect(said(12, 12)).toBe("12 facts, all of them left by an earlier run");
  expect(said(20, 12)).toBe("20 facts, 12 of them left by an earlier run");
  expect(said(1, 1)).toBe("1 fact, left by an earlier run");
  expect(said(12, 0)).toBe("12 facts");
});
