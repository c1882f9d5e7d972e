import { describe, expect, it } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { SHARP } from "../records/params.ts";
import { measurePace, timeAtPace } from "./enginePace.ts";

/** An engine whose clock is that of the machine it pretends to be. */
function paced(read: number, write: number) {
  let now = 0;
  let compiled = false;
  const engine: Pick<Engine, "chat" | "generate"> = {
    chat: (turn) => [...turn].map((_, i) => i),
    generate: async ([turn], { maxTokens }) => {
      now += 1000 * (turn!.length * read + (maxTokens - 1) * write) + (compiled ? 0 : 5000);
      compiled = true;
      return [""];
    },
  };
  return { engine: engine as Engine, now: () => now };
}

describe("the pace", () => {
  it("is that of reading and of writing, without what is compiled first", async () => {
    const { engine, now } = paced(0.001, 0.02);
    const pace = await measurePace(engine, now);
    expect(pace.read).toBeCloseTo(0.001, 9);
    expect(pace.write).toBeCloseTo(0.02, 9);
  });
});

describe("the time at a pace", () => {
  const pace = { read: 0.001, write: 0.01 };
  const size = { candidates: 50, facts: 40, tokens: 10, probed: 0 };

  it("grows with every step, fact and probed token; the paper's settings leave no step out", () => {
    const rules = { ...SHARP, anchors: "rules", questionsPerFact: 0 } as const;
    const [least, most] = timeAtPace(pace, rules, size);
    // 40 facts of 10 tokens with 12 of their prompts: 2.64 s a step of three reads, and 0.4 s for the routing vectors.
    expect(least).toBeCloseTo(3 * 2.64 + 0.4, 6);
    expect(most).toBeCloseTo((rules.steps + rules.refine) * 2.64 + 0.4, 6);
    const [all, same] = timeAtPace(pace, { ...rules, earlyStop: false }, size);
    expect([all, same]).toEqual([most, most]);
    expect(timeAtPace(pace, rules, { ...size, probed: 100 })[0]).toBeGreaterThan(least);
  });

  it("counts what the model writes where anchors and questions are the model's", () => {
    const byRule = timeAtPace(pace, { ...SHARP, anchors: "rules" }, size);
    const byModel = timeAtPace(pace, SHARP, size);
    const proposals = 50 * (10 * 0.001 + 5 * 0.01);
    const questions = 40 * 3 * 10 * 0.01;
    expect(byModel[0] - byRule[0]).toBeCloseTo(proposals + questions / 8, 6);
    expect(byModel[1] - byRule[1]).toBeCloseTo(proposals + questions, 6);
  });

  it("is nothing where there is nothing to do", () => {
    expect(timeAtPace(pace, SHARP, { candidates: 0, facts: 0, tokens: 0, probed: 0 })).toEqual([0, 0]);
  });
});
