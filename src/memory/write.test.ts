/** @file A memory that the bundled model's writer made is exact, most of it without a step; `paper` never asks the writer. */

import { expect, it } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { intercept } from "../engine/intercept.ts";
import { HAS_WRITER } from "../engine/testing/models.ts";
import { useBundled } from "../engine/testing/useBundled.ts";
import { PAPER, SHARP, type MethodParams } from "../records/params.ts";
import { sayAlone } from "./parts.ts";
import { encodeFacts } from "./encode.ts";
import { encodeAll, fact, facts } from "./testing/facts.ts";

const shared = useBundled();
const LAYERS = [3, 4, 5];
const PARAMS: MethodParams = { ...SHARP, partTokens: 14 };

/** The engine, and the names of the calls on it. */
function counted(): { engine: Engine; calls: string[] } {
  const calls: string[] = [];
  const engine = intercept(shared.engine, (name, call) => {
    calls.push(name);
    return call();
  });
  return { engine, calls };
}

// Skipped until the bundled model ships its writer: a random one makes no part exact.
it.runIf(HAS_WRITER)(
  "makes every fact exact, most of them without a step, all layers in one batch",
  async () => {
    const { engine, calls } = counted();
    const planned = facts(LAYERS, 16);
    const entries = await encodeAll(engine, planned, PARAMS);
    expect(entries.every(({ report }) => report.exact && report.started === "written")).toBe(true);
    expect(entries.filter(({ report }) => report.steps === 0).length).toBeGreaterThan(0.9 * entries.length);
    expect(calls.filter((name) => name === "write")).toHaveLength(1);
    expect(Math.min(...entries.map(({ report }) => report.margin))).toBeGreaterThanOrEqual(PARAMS.margin);
    const said = await sayAlone(engine, entries);
    expect(said.map((tokens) => engine.decode(tokens).trim())).toEqual(
      planned.map(({ fact: { value } }) => value),
    );
  },
);

it.runIf(HAS_WRITER)(
  "makes the few parts that it cannot say wait for later turns, and loses none",
  async () => {
    const planned = facts(LAYERS, 20);
    const odd = planned[20]!;
    const changed = { ...odd, fact: { ...odd.fact, value: "qzx\t£0.07" } };
    const groups: string[][] = [];
    for await (const entries of encodeFacts(shared.engine, planned.with(20, changed), PARAMS, { soon: true }))
      groups.push([...new Set(entries.map(({ id }) => id))]);
    expect(groups.flat().toSorted()).toEqual(planned.map(({ fact: { id } }) => id).toSorted());
    expect(groups.at(-1)).toEqual([odd.fact.id]);
  },
);

it("leaves layers that it was not trained for, and what it cannot say, to Adam", async () => {
  const { engine } = shared;
  const odd = {
    ...fact("Mary", 9, 5),
    fact: { ...fact("Mary", 9, 5).fact, value: "qzx\t£0.07 \\frac{9}{xq}" },
  };
  const entries = await encodeAll(engine, [...facts([1], 4), odd], PARAMS);
  expect(entries.every(({ report }) => report.exact)).toBe(true);
  expect(entries.slice(0, 4).every(({ report }) => report.started === "zero" && report.steps > 0)).toBe(true);
});

it("is not asked under paper, nor where δ starts at zero", async () => {
  const { engine, calls } = counted();
  for (const params of [{ ...PAPER, steps: 2, refine: 0 }, { ...PARAMS, start: "zero" } as const]) {
    const entries = await encodeAll(engine, facts([5], 2), params);
    expect(entries.every(({ report }) => report.started === "zero")).toBe(true);
  }
  expect(calls).not.toContain("write");
});
