import { describe, expect, it } from "vitest";
import { type Exchange, withExchange, withoutExchange, fusedScore, keptFirst, traceLine } from "./stages.ts";
import { anchorRow, answerOf, exchange, recalledFact, stampOf } from "./testing/answers.ts";
import { changed, settingsLine } from "../../parameters/ReadSettings.tsx";
import { cosine, gateState, marginText } from "../../facts/words.ts";

describe("trace", () => {
  it("says in one line what happened", () => {
    expect(traceLine(answerOf())).toBe("How it was found: 1 anchor routed, 1 fact recalled, 860 ms");
    const shut = recalledFact({ read: { ...recalledFact().read, openPositions: [] } });
    expect(traceLine(answerOf({ recalled: [recalledFact(), shut] }))).toContain(
      "2 facts recalled, 1 gate shut",
    );
    expect(traceLine(answerOf({ recalled: [] }))).toContain("0 facts recalled, ");
  });

  it("puts the anchors that were kept before those cut", () => {
    const cut = Array.from({ length: 4 }, (_, i) => anchorRow({ anchor: String(i), kept: false }));
    const kept = anchorRow();
    expect(keptFirst([...cut.slice(0, 2), kept, ...cut.slice(2)])).toEqual([kept, ...cut]);
  });

  it("gives own, runner-up and margin where keys lie close together", () => {
    expect(marginText({ own: 0.99998, runnerUp: 0.99986 })).toBe(
      "own 0.999, runner-up 0.999, margin 0.00012",
    );
    expect(marginText({ own: 0.9, runnerUp: null })).toBe("own 0.900, no other key at its layer");
  });

  it("names a gate whose key was another fact's", () => {
    const fact = recalledFact();
    expect(gateState(fact)).toBe("open");
    expect(gateState({ ...fact, read: { ...fact.read, openPositions: [] } })).toBe("another key won");
    expect(gateState({ ...fact, read: { ...fact.read, gateOpen: false, openPositions: [] } })).toBe("closed");
  });

  it("does not call a cosine 1 that is not", () => {
    expect([0.5, 0.99961, 1, 0.99999962].map(cosine)).toEqual(["0.500", "0.999", "1.000", "1.000"]);
  });

  it("writes fused scores so that neighbours differ", () => {
    expect(fusedScore(2 / 61)).toBe("32.8");
    expect(fusedScore(1 / 60 + 1 / 61)).not.toBe(fusedScore(2 / 61));
  });

  it("keeps and says which settings differ", () => {
    const { settings } = answerOf();
    expect(changed({ theta: 0.6, beta: 60 }, settings)).toEqual({ beta: 60 });
    expect(changed({ theta: 0.6, read: "top1" }, settings)).toBeNull();
    expect(settingsLine(null)).toBe("");
    expect(settingsLine({ theta: 0.7, read: "soft", maxFacts: 1 })).toBe(
      "read soft, everywhere, gate 0.7 (θ), facts per question 1",
    );
  });
});

describe("history of questions", () => {
  it("removes one exchange, and the output with the last", () => {
    const at = "2026-11-21T13:00:00.000Z";
    const output = { history: [exchange({}, { at }), exchange()], stamp: stampOf() };
    const left = withoutExchange(output, at);
    expect(left?.history).toEqual([exchange()]);
    expect(withoutExchange(left!, exchange().stamp.at)).toBeNull();
  });

  it("puts only the removed exchange back, in its place", () => {
    const [old, mid, late] = ["10", "11", "12"].map((hour) =>
      exchange({}, { at: `2026-11-21T${hour}:00:00.000Z` }),
    ) as [Exchange, Exchange, Exchange];
    const before = { history: [mid, old], stamp: mid.stamp };
    const now = { history: [late, old], stamp: late.stamp };
    const { at } = mid.stamp;
    expect(withExchange(now, before, at)).toEqual({ history: [late, mid, old], stamp: late.stamp });
    // Only the one that was removed.
    expect(withExchange(null, before, at)).toEqual({ history: [mid], stamp: mid.stamp });
    expect(withExchange(now, null, at)).toBe(now);
  });
});
