/** @file A trace tells of the recall that happened: the same tokens, the same gates, the same similarities. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { regate } from "../figures/gates.ts";
import { type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { PAPER, SHARP } from "../records/params.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { encodeAll, facts } from "./testing/facts.ts";
import { openReader, traceLens, traceRecall } from "./read.ts";

describe("traces", () => {
  let opened: Opened;
  let entries: MemoryEntry[];
  const planned = facts([2], 12);
  beforeAll(async () => {
    opened = await bundled();
    entries = await encodeAll(opened.engine, planned, SHARP);
  });
  afterAll(() => leavesNothing(opened));

  it.each([
    ["the default gate", { theta: 0.6, beta: 50 }],
    ["a gate that lets prompt positions through, blunt weights", { theta: 0.3, beta: 8 }],
    ["a gate that never opens", { theta: 1, beta: 50 }],
  ])("gives what ordinary recall gives, with %s", async (_, gate) => {
    const { engine } = opened;
    const target = entries[5]!;
    const trace = await traceRecall(engine, { entries }, target, gate, planned[5]!.fact.value);
    for (const read of ["soft", "top1"] as const) {
      const reader = openReader(engine, { entries }, { read, ...gate });
      const [recalled] = await reader.recall([target]);
      reader.dispose();
      const pass = trace[read];
      expect(pass.decoded.map(({ id }) => id)).toEqual(recalled!.tokens);
      expect(
        pass.decoded
          .map(({ text }) => text)
          .join("")
          .trim(),
      ).toBe(recalled!.text);
      expect(pass.fed).toHaveLength(trace.promptTokens + target.tokens - 1);
      const gates = regate(trace, pass, gate);
      expect(gates[trace.keyPosition]!.best).toBeCloseTo(recalled!.read.similarity, 4);
      // The soft read's gate as the model ran it, position by position, against the one from saved activations.
      if (read === "soft")
        expect(gates.flatMap(({ open, position }) => (open ? [position] : []))).toEqual(
          recalled!.read.openPositions,
        );
    }
  });

  it("knows the value's tokens", async () => {
    const trace = await traceRecall(opened.engine, { entries }, entries[0]!, PAPER, planned[0]!.fact.value);
    expect(
      trace
        .value!.map(({ text }) => text)
        .join("")
        .trim(),
    ).toBe(planned[0]!.fact.value);
  });

  it("of a value in parts shows what its vector says", async () => {
    const { engine } = opened;
    const whole = await traceRecall(engine, { entries }, entries[0]!, SHARP, planned[0]!.fact.value);
    const { tokens } = entries[0]!;
    const first = { ...entries[0]!, tokens: 3 };
    const second = { ...entries[0]!, part: 2, start: 3, tokens: tokens - 3 };
    const trace = await traceRecall(
      engine,
      { entries: [first, second] },
      first,
      SHARP,
      planned[0]!.fact.value,
    );
    expect(trace.value).toEqual(whole.value!.slice(0, 3));
  });

  it("sees δ lift the right token", async () => {
    const lens = await traceLens(opened.engine, entries[3]!, planned[3]!.fact.value);
    expect(entries[3]!.report.exact).toBe(true);
    expect(lens.steps).toHaveLength(entries[3]!.tokens);
    for (const { right, chosen, withDelta } of lens.steps) {
      expect(chosen.id).toBe(right.id);
      expect(withDelta.at(-1)!.right.rank).toBe(1);
      expect(withDelta.at(-1)!.top[0]!.id).toBe(chosen.id);
    }
    const ranks = lens.steps.map(({ withoutDelta }) => withoutDelta.at(-1)!.right.rank);
    expect(Math.max(...ranks)).toBeGreaterThan(1);
  });
});
