/** @file Deletion locality: some facts are deleted; each fact is a case, asked for before and after. */

import { many } from "../../lib/format.ts";
import { assert } from "../../lib/assert.ts";
import { layerIndex } from "../../records/ids.ts";
import { sameTokens } from "../../memory/fidelity.ts";
import { assignLayers } from "../../plan/layers.ts";
import { encodeAll, factsOf, judgeAll } from "./facts.ts";
import { byStem, presetParams, type Study } from "./study.ts";

const nameOf = (n: number) => String(n + 1).padStart(3, "0");

export const deletion: Study = {
  axes: (settings) => [
    settings.kinds(),
    settings.presets(),
    Array.from({ length: settings.count("facts", 2) }, (_, n) => nameOf(n)),
  ],

  cost: (settings) => ({ group: byStem, encodes: settings.count("facts", 2), recalls: 2 }),

  async *cases(work) {
    const { context, settings, wanted, note } = work;
    const [count, removed] = [settings.count("facts", 2), settings.count("deleted")];
    const every = many(count, "fact");
    assert(
      removed < count,
      () => `bench: deletion: ${removed} of ${every} are to be deleted; some must stay`,
    );
    const layers = settings.numbers("layers", 0, true).map(layerIndex);
    const [keyCentre = "store"] = settings.choices("keyCentre", ["store", "none"] as const);
    for (const kind of settings.kinds()) {
      const facts = factsOf(context, kind, count);
      const gone = new Set(
        Array.from({ length: removed }, (_, i) => facts[Math.floor((i * count) / removed)]!.id),
      );
      for (const preset of settings.presets()) {
        if (!facts.some((_, n) => wanted(kind, preset, nameOf(n)))) continue;
        const params = { ...presetParams(context, preset), keyCentre };
        const started = context.now();
        const all = await encodeAll(work, assignLayers(facts, layers, params), params, `${preset}, ${kind}`);
        const { entries } = all;
        note(`${preset}, ${kind}: all ${every} asked for before the deletion`);
        const before = await judgeAll(context, all, entries, facts, params);
        note(`${preset}, ${kind}: all ${every} asked for after ${removed} are deleted`);
        const rest = { ...all, entries: entries.filter(({ id }) => !gone.has(id)) };
        const after = await judgeAll(context, rest, entries, facts, params);
        const full = before.filter(({ exact }) => exact).length;
        const milliseconds = (context.now() - started) / count;
        for (const [n, { id }] of facts.entries()) {
          if (!wanted(kind, preset, nameOf(n))) continue;
          const [was, is] = [before[n]!, after[n]!];
          const deleted = gone.has(id);
          // Only facts that were recalled before can be lost.
          const notes = [
            ...(deleted ? [`“${was.recalled.text}”, then “${is.recalled.text}”`] : []),
            ...(full < count
              ? [`${full} of ${every} came back before; the others cannot show locality`]
              : []),
          ];
          yield work.made([kind, preset, nameOf(n)], {
            inputs: { kind, preset, keyCentre, fact: n + 1, layer: entries[n]!.layer, deleted },
            measures: {
              exactBefore: Number(was.exact),
              exactAfter: Number(is.exact),
              changed: Number(!sameTokens(was.recalled.tokens, is.recalled.tokens)),
              injectedAfter: Number(is.recalled.read.openPositions.length > 0),
            },
            ...(notes.length > 0 && { note: notes.join("; ") }),
            milliseconds,
          });
        }
      }
    }
  },
};
