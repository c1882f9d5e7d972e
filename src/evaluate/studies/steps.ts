/** @file Steps schedule: the same facts encoded with different numbers of guided and refinement steps. */

import { assert } from "../../lib/assert.ts";
import { layerIndex } from "../../records/ids.ts";
import { encodeAll, factsOf } from "./facts.ts";
import { measured, presetParams, share, type Reader, type Study } from "./study.ts";

/** "40+20" as numbers. */
function schedulesOf(settings: Reader): { name: string; steps: number; refine: number }[] {
  return settings.words("schedules").map((name) => {
    const [, steps, refine] = /^(\d+)\+(\d+)$/.exec(name) ?? [];
    assert(
      steps !== undefined && Number(steps) > 0,
      () => `bench: steps: "${name}" is not a schedule; expected guided + refinement steps such as 40+20`,
    );
    return { name, steps: Number(steps), refine: Number(refine) };
  });
}

export const steps: Study = {
  axes: (settings) => [settings.kinds(), settings.presets(), schedulesOf(settings).map(({ name }) => name)],

  cost: (settings) => ({ group: (id) => id, encodes: settings.count("facts"), recalls: 0 }),

  async *cases(work) {
    const { context, settings } = work;
    const layer = layerIndex(settings.count("layer", 0));
    const count = settings.count("facts");
    for (const kind of settings.kinds())
      for (const preset of settings.presets())
        for (const { name, steps, refine } of schedulesOf(settings)) {
          if (!work.wanted(kind, preset, name)) continue;
          const params = { ...presetParams(context, preset), steps, refine };
          const planned = factsOf(context, kind, count).map((fact) => ({ fact, layer }));
          const from = context.now();
          const { entries } = await encodeAll(work, planned, params, `${preset}, ${kind}, ${name} steps`);
          const milliseconds = context.now() - from;
          yield work.made([kind, preset, name], {
            inputs: { kind, preset, schedule: name, guided: steps, refine, layer, facts: count },
            measures: {
              exact: share(entries, ({ report }) => report.exact),
              fidelity: measured(entries.map(({ report }) => report.fidelity)),
              stepsTaken: measured(entries.map(({ report }) => report.steps)),
              factMilliseconds: milliseconds / count,
            },
            milliseconds,
          });
        }
  },
};
