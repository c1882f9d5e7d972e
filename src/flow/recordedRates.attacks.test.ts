/** @file What a model's folder says a run took: numbers that no run gives may not reach what a person is told. */

import { expect } from "vitest";
import { readRecordedProbe, RECORDED_PROBE } from "../engine/localEngine.ts";
import { openText } from "../engine/text.ts";
import { BUNDLED } from "../engine/testing/models.ts";
import { attacks } from "../lib/testing/attacks.ts";
import { ANY, engineOf } from "../memory/testing/tokenizers.ts";
import { secondsOf } from "../plan/estimate.ts";
import type { StageWork } from "../records/cost.ts";
import { keyOf } from "../records/params.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { makeFolder } from "../weights/testing/files.ts";
import { estimateRun } from "./estimateRun.ts";
import { withRecordedLayers } from "./layerProbe.ts";
import { RunClock } from "./observeRun.ts";
import { context, QUICK } from "./testing/runs.ts";

const MODEL = { layers: 6, dModel: 64, dFf: 256, vocabulary: 1000 };
const WORK: StageWork = { read: 100, anchors: 5, questions: 5, routing: 100, encode: 2400 };
const STAGES = ["read", "anchors", "questions", "routing", "encode"] as const;

const probe = (cost: unknown, layers: readonly number[] = [1]) => ({
  ...{ sha256: "a", encode: keyOf(QUICK, "encode"), machine: "c" },
  layers: layers.map((layer) => ({
    layer,
    exactRate: 1,
    fidelity: 1,
    cost: 0.1,
    work: layer === 900 ? 0 : 9,
  })),
  parts: { longest: 14, tried: [{ longest: 14, exactRate: 1, vectors: 4, steps: 20 }] },
  ...(cost === undefined ? {} : { cost }),
});
const read = (content: unknown) =>
  readRecordedProbe(makeFolder({ [RECORDED_PROBE]: JSON.stringify(content) }));

/** Either the probe is none, or every report of a run that goes by it has numbers. */
async function clocked(seconds: number, units: number): Promise<void> {
  const rates = Object.fromEntries(STAGES.map((stage) => [stage, { seconds, units }]));
  const found = await read(probe(rates));
  if (!found?.cost) return;
  let now = 0;
  const clock = new RunClock(() => now);
  clock.at("read", 0);
  clock.expect(secondsOf(found.cost, WORK), true);
  for (const stage of STAGES)
    for (const done of [0.25, 0.5, 1]) {
      now += 1000;
      const { share, secondsLeft } = clock.at(stage, done);
      expect(share, "the share that is done").toBeLessThanOrEqual(1);
      if (secondsLeft !== null) expect(secondsLeft, "seconds left").toBeLessThan(1e9);
    }
  expect(clock.at("encode", 1).share, "at the end").toBe(1);
}

attacks("model folders", {
  "a recorded run as runs are": () => clocked(2, 50),
  "a recorded run of 1e308 seconds": {
    fault:
      'the seconds left were NaN: the bar stood at 0 to the end, and the page said "the last 30 facts" from the start',
    attack: () => clocked(1e308, 1e-308),
  },
  "a recorded run without work": { fault: "the same", attack: () => clocked(1, 0) },
  "a recorded run of hardly any work": { fault: "the same", attack: () => clocked(1e300, 1e-300) },
  "a recorded run that took no time": {
    fault: "the bar was full before anything was encoded, and stayed there",
    attack: async () => {
      const rates = Object.fromEntries(STAGES.map((stage) => [stage, { seconds: 0, units: 1 }]));
      const found = await read(probe(rates));
      if (!found?.cost) return;
      let now = 0;
      const clock = new RunClock(() => now);
      clock.expect(secondsOf(found.cost, WORK), true);
      now += 1000;
      expect(clock.at("read", 1).share, "before anything is encoded").toBeLessThan(1);
    },
  },
  "a recorded probe of layers that the model lacks": {
    fault: "forecasts put facts at layer 900 of 6",
    attack: async () => {
      const text = await openText(await nodeModelFiles(BUNDLED), ANY);
      const found = await read(probe(undefined, [0, 1, 2, 3, 4, 900]));
      const model = {
        ...MODEL,
        name: "m",
        architecture: "a",
        sha256: "a",
        window: 2048,
        precision: "f32" as const,
      };
      const engine = Object.assign(engineOf(text), { model, recorded: found });
      const { probed = [] } = withRecordedLayers({ engine, params: QUICK, probed: [] });
      const nothing = { characters: 9, sentences: 0, candidates: [], facts: [] };
      const { layers } = await estimateRun(context(engine, { probed }), nothing, null, {});
      expect(Math.max(...layers)).toBeLessThan(6);
    },
  },
});
