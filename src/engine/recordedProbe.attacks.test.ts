/** @file Recorded probes that lie: what a model's folder says of its layers is believed where a probe could have found it. */

import { expect } from "vitest";
import { attacks } from "../lib/testing/attacks.ts";
import { makeFolder } from "../weights/testing/files.ts";
import { readRecordedProbe, RECORDED_PROBE } from "./localEngine.ts";

const LAYER = { layer: 1, exactRate: 1, fidelity: 1, cost: 0.1, work: 9 };
const TRIED = { longest: 14, exactRate: 1, vectors: 4, steps: 20 };
const GOOD = {
  ...{ sha256: "a", encode: "b", machine: "c" },
  layers: [LAYER],
  parts: { longest: 14, tried: [TRIED] },
  cost: { anchors: { seconds: 2, units: 50 } },
};
const read = (probe: unknown) =>
  readRecordedProbe(
    makeFolder({ [RECORDED_PROBE]: typeof probe === "string" ? probe : JSON.stringify(probe) }),
  );
const none = (probe: unknown) => async () => expect(await read(probe)).toBeNull();
const parts = (longest: number) => none({ ...GOOD, parts: { ...GOOD.parts, longest } });
const layer = (change: object) => none({ ...GOOD, layers: [{ ...LAYER, ...change }] });

attacks("model folders", {
  "a recorded probe that says what is so": async () => expect(await read(GOOD)).toEqual(GOOD),
  "a recorded probe that is no JSON": none("{]"),
  "a recorded probe whose longest part has no token": {
    fault: "no text could be memorised with the model: parts of at most 0 tokens were asked for",
    attack: parts(0),
  },
  "a recorded probe whose longest part is longer than any": parts(1e9),
  "a recorded probe that names a layer twice": {
    fault: "no text could be memorised with the model: the layer was probed twice",
    attack: none({ ...GOOD, layers: [LAYER, LAYER] }),
  },
  "a recorded probe of a million layers": {
    fault: "all of them were taken along into every run",
    attack: none({ ...GOOD, layers: Array.from({ length: 100_000 }, (_, i) => ({ ...LAYER, layer: i })) }),
  },
  "a recorded probe of a share past 1": {
    fault: "the layer stood before all that were probed, as exact to 100000 %",
    attack: layer({ exactRate: 1000 }),
  },
  "a recorded run of less than no time": none({
    ...GOOD,
    cost: { anchors: { seconds: -1, units: 1 } },
  }),
  "a recorded run of a stage that is none": none({
    ...GOOD,
    cost: { __proto: { seconds: 1, units: 1 } },
  }),
  "a recorded probe of a cost below 0": { fault: "it was believed", attack: layer({ cost: -1 }) },
});
