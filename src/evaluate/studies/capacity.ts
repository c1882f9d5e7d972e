/**
 * @file Capacity of one layer: the same facts are recalled while more and more facts are stored at their layer. Encoding does
 * not depend on other facts, so each fact is encoded once per preset.
 */

import { assert } from "../../lib/assert.ts";
import { spread } from "../../lib/stats.ts";
import { dot } from "../../lib/vector.ts";
import type { MemoryEntry } from "../../records/memory.ts";
import { layerIndex } from "../../records/ids.ts";
import { encodeAll, factsOf, judgeAll, noteOf } from "./facts.ts";
import { byStem, measured, presetParams, share, type Reader, type Study } from "./study.ts";

const sizesOf = (settings: Reader) => settings.numbers("sizes", 1, true).toSorted((a, b) => a - b);

export const capacity: Study = {
  axes: (settings) => [settings.kinds(), settings.presets(), sizesOf(settings)],

  cost: (settings) => ({
    group: byStem,
    encodes: sizesOf(settings).at(-1)!,
    recalls: settings.count("fixed"),
  }),

  async *cases(work) {
    const { context, settings, wanted, note } = work;
    const layer = layerIndex(settings.count("layer", 0));
    const fixed = settings.count("fixed");
    const sizes = sizesOf(settings);
    assert(
      fixed <= sizes[0]!,
      () =>
        `bench: capacity: ${fixed} facts are asked for, but the smallest store holds ${sizes[0]}; lower fixed`,
    );
    for (const kind of settings.kinds())
      for (const preset of settings.presets()) {
        const left = sizes.filter((size) => wanted(kind, preset, size));
        if (left.length === 0) continue;
        const params = presetParams(context, preset);
        const facts = factsOf(context, kind, left.at(-1)!);
        const planned = facts.map((fact) => ({ fact, layer }));
        const started = context.now();
        const all = await encodeAll(work, planned, params, `${preset}, ${kind}`);
        const encoding = (context.now() - started) / facts.length;
        const asked = all.entries.slice(0, fixed);
        for (const size of left) {
          note(`${preset}, ${kind}: ${fixed} facts asked for among ${size}`);
          const from = context.now();
          const stored = { ...all, entries: all.entries.slice(0, size) };
          const judged = await judgeAll(context, stored, asked, facts, params);
          const reads = judged.map(({ recalled }) => recalled.read);
          yield work.made([kind, preset, size], {
            inputs: { kind, preset, size, layer, fixed, read: params.read, keyCentre: params.keyCentre },
            measures: {
              exact: share(judged, ({ exact }) => exact),
              fidelity: measured(judged.map(({ fidelity }) => fidelity)),
              won: share(judged, ({ won }) => won),
              // α of the fact's own key; 0 if it is not among the strongest.
              ownWeight: measured(
                reads.map(
                  ({ competitors }, i) => competitors.find(({ id }) => id === asked[i]!.id)?.weight ?? 0,
                ),
              ),
              runnerUp: measured(reads.flatMap(({ competitors }) => competitors[1]?.similarity ?? [])),
              indexOnly: likeness(stored.entries, (a, b) => a.anchor === b.anchor),
              anchorOnly: likeness(stored.entries, (a, b) => a.index === b.index),
              openPositions: measured(reads.map(({ openPositions }) => openPositions.length)),
              encodedExact: share(asked, ({ report }) => report.exact),
              encodingMilliseconds: encoding,
            },
            ...noteOf(judged, facts),
            milliseconds: context.now() - from,
          });
        }
      }
  },
};

const COMPARED = 64;

/** Mean cosine of keys that differ in one thing alone: of one anchor in the index, of one index in the anchor. */
function likeness(
  entries: readonly MemoryEntry[],
  alike: (a: MemoryEntry, b: MemoryEntry) => boolean,
): number | null {
  const pairs = spread(entries, COMPARED).flatMap((one) =>
    entries.filter((other) => other !== one && alike(one, other)).map((other) => dot(one.key, other.key)),
  );
  return measured(pairs);
}
