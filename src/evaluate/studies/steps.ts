/** @file Steps schedule: the same facts encoded with different numbers of guided and refinement steps. */

import { many } from "../../lib/format.ts";
import { assert } from "../../lib/assert.ts";
import { layerIndex } from "../../records/ids.ts";
import { encodeAll, KINDS, factsOf, measured, share } from "./facts.ts";
import { presetParams, type Reader, type Study, type Work } from "./study.ts";

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

const idOf = (kind: string, preset: string, name: string) => `steps/${kind}/${preset}/${name}`;

export const steps: Study = {
  plan: (settings) =>
    settings
      .choices("kinds", KINDS)
      .flatMap((kind) =>
        settings
          .presets()
          .flatMap((preset) => schedulesOf(settings).map(({ name }) => idOf(kind, preset, name))),
      ),

  cost: (settings) => ({ group: (id) => id, encodes: settings.count("facts"), recalls: 0 }),

  async *cases({ context, settings, wanted, note }: Work) {
    const layer = layerIndex(settings.count("layer", 0));
    const count = settings.count("facts");
    for (const kind of settings.choices("kinds", KINDS))
      for (const preset of settings.presets())
        for (const { name, steps, refine } of schedulesOf(settings)) {
          if (!wanted(idOf(kind, preset, name))) continue;
          const params = { ...presetParams(context, preset), steps, refine };
          const planned = factsOf(context, kind, count).map((fact) => ({ fact, layer }));
          const from = context.now();
          const { entries } = await encodeAll(context, planned, params, (done) =>
            note(
              `${preset}, ${kind}, ${name} steps: ${done} of ${many(count, "fact")} encoded`,
              done / count,
            ),
          );
          const milliseconds = context.now() - from;
          yield {
            kind: "case",
            id: idOf(kind, preset, name),
            inputs: { kind, preset, schedule: name, guided: steps, refine, layer, facts: count },
            measures: {
              exact: share(entries, ({ report }) => report.exact),
              fidelity: measured(entries.map(({ report }) => report.fidelity)),
              stepsTaken: measured(entries.map(({ report }) => report.steps)),
              factMilliseconds: milliseconds / count,
            },
            milliseconds,
          };
        }
  },
};
