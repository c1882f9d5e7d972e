/** @file Parts of recorded runs, as runs of their own. */

import type { Run } from "../../src/records/run.ts";

/** The cases of one preset; what then is the same in all of them is no input any more. */
export const ofPreset = (run: Run, preset: "sharp" | "paper"): Run => ({
  header: { ...run.header, id: `${run.header.id} ${preset}`, params: { ...run.header.params, preset } },
  cases: run.cases
    .filter(({ inputs }) => inputs["preset"] === preset)
    .map((one) => ({
      ...one,
      inputs: Object.fromEntries(Object.entries(one.inputs).filter(([name]) => name !== "preset")),
    })),
});
