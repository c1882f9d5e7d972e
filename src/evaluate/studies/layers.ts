/** @file Layer count K: the same facts over the best K layers of the probe, assigned by Eq. 2. */

import { many } from "../../lib/format.ts";
import { planLayers } from "../../flow/layerProbe.ts";
import { openReader } from "../../memory/read.ts";
import { assignLayers } from "../../plan/layers.ts";
import { noteOf } from "./capacity.ts";
import { encodeAll, judge, KINDS, factsOf, measured, share } from "./facts.ts";
import { flowContext, presetParams, type Study, type Work } from "./study.ts";

const idOf = (kind: string, preset: string, K: number) => `layers/${kind}/${preset}/${K}`;

export const layers: Study = {
  plan: (settings) =>
    settings
      .choices("kinds", KINDS)
      .flatMap((kind) =>
        settings
          .presets()
          .flatMap((preset) =>
            settings.numbers("counts", { least: 1, whole: true }).map((K) => idOf(kind, preset, K)),
          ),
      ),

  cost: (settings) => {
    const facts = settings.count("facts");
    return { group: (id) => id, encodes: facts, recalls: facts };
  },

  async *cases({ context, settings, wanted, note }: Work) {
    const count = settings.count("facts");
    const counts = settings.numbers("counts", { least: 1, whole: true });
    for (const preset of settings.presets()) {
      const params = presetParams(context, preset);
      const ids = settings
        .choices("kinds", KINDS)
        .flatMap((kind) => counts.map((K) => idOf(kind, preset, K)));
      if (!ids.some(wanted)) continue;
      note(`${preset}: probing the layers`);
      // One ranking for all K: every candidate layer counts, independent of its share of the best.
      const probing = {
        ...flowContext(context, (text) => note(`${preset}: ${text}`)),
        params: { ...params, layerShare: 0 },
      };
      const ranked = (await planLayers(probing)).choices;
      for (const kind of settings.choices("kinds", KINDS))
        for (const K of counts) {
          if (!wanted(idOf(kind, preset, K))) continue;
          const best = ranked
            .slice(0, K)
            .map(({ layer }) => layer)
            .sort((a, b) => a - b);
          const facts = factsOf(context, kind, count);
          const from = context.now();
          const stored = await encodeAll(context, assignLayers(facts, best, params), params, (done) =>
            note(`${preset}, ${kind}, K = ${K}: ${done} of ${many(count, "fact")} encoded`, done / count),
          );
          const encoding = (context.now() - from) / count;
          note(`${preset}, ${kind}, K = ${K}: all ${many(count, "fact")} asked for`);
          const reader = openReader(context.engine, stored, params);
          try {
            const judged = await judge(context.engine, reader, stored.entries, facts, params);
            yield {
              kind: "case",
              id: idOf(kind, preset, K),
              inputs: {
                kind,
                preset,
                K: best.length,
                asked: K,
                layers: best.join(" "),
                facts: count,
                read: params.read,
              },
              measures: {
                exact: share(judged, ({ exact }) => exact),
                fidelity: measured(judged.map(({ fidelity }) => fidelity)),
                encodedExact: share(stored.entries, ({ report }) => report.exact),
                factsPerLayer: count / best.length,
                factMilliseconds: encoding,
              },
              ...noteOf(judged, facts),
              milliseconds: context.now() - from,
            };
          } finally {
            reader.dispose();
          }
        }
    }
  },
};
