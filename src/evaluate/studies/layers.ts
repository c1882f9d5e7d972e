/** @file Layer count K: the same facts over the best K layers of the probe, assigned by Eq. 2. */

import { many } from "../../lib/format.ts";
import { omit } from "../../lib/omit.ts";
import { planLayers } from "../../flow/layerProbe.ts";
import { assignLayers } from "../../plan/layers.ts";
import { encodeAll, factsOf, judgeAll, noteOf } from "./facts.ts";
import { measured, presetParams, share, type Study } from "./study.ts";

export const layers: Study = {
  axes: (settings) => [settings.kinds(), settings.presets(), settings.numbers("counts", 1, true)],

  cost: (settings) => {
    const facts = settings.count("facts");
    return { group: (id) => id, encodes: facts, recalls: facts };
  },

  async *cases(work) {
    const { context, settings, wanted, note } = work;
    const count = settings.count("facts");
    const counts = settings.numbers("counts", 1, true);
    for (const preset of settings.presets()) {
      const params = presetParams(context, preset);
      if (!settings.kinds().some((kind) => counts.some((K) => wanted(kind, preset, K)))) continue;
      note(`${preset}: probing the layers`);
      // One ranking for all K: every candidate layer counts, independent of its share of the best.
      const { choices } = await planLayers({
        ...omit(context, "onProgress"),
        params: { ...params, layerShare: 0 },
        onProgress: ({ stage, done, total }) =>
          note(`${preset}: ${stage} ${done}${total === null ? "" : ` of ${total}`}`),
      });
      for (const kind of settings.kinds())
        for (const K of counts) {
          if (!wanted(kind, preset, K)) continue;
          const best = choices
            .slice(0, K)
            .map(({ layer }) => layer)
            .sort((a, b) => a - b);
          const facts = factsOf(context, kind, count);
          const label = `${preset}, ${kind}, K = ${K}`;
          const from = context.now();
          const stored = await encodeAll(work, assignLayers(facts, best, params), params, label);
          const encoding = (context.now() - from) / count;
          note(`${label}: all ${many(count, "fact")} asked for`);
          const judged = await judgeAll(context, stored, stored.entries, facts, params);
          const layers = best.join(" ");
          yield work.made([kind, preset, K], {
            inputs: { kind, preset, K: best.length, asked: K, layers, facts: count, read: params.read },
            measures: {
              exact: share(judged, ({ exact }) => exact),
              fidelity: measured(judged.map(({ fidelity }) => fidelity)),
              encodedExact: share(stored.entries, ({ report }) => report.exact),
              factsPerLayer: count / best.length,
              factMilliseconds: encoding,
            },
            ...noteOf(judged, facts),
            milliseconds: context.now() - from,
          });
        }
    }
  },
};
