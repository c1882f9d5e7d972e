/**
 * @file Capacity of one layer: the same facts are recalled while more and more facts are stored at their layer. Encoding does
 * not depend on other facts, so each fact is encoded once per preset.
 */

import { many } from "../../lib/format.ts";
import { assert } from "../../lib/assert.ts";
import { spread } from "../../lib/stats.ts";
import { dot } from "../../lib/vector.ts";
import type { MemoryEntry } from "../../records/memory.ts";
import type { GatedRead } from "../../records/answer.ts";
import { layerIndex, type FactId } from "../../records/ids.ts";
import { openReader } from "../../memory/read.ts";
import { encodeAll, judge, KINDS, factsOf, measured, share } from "./facts.ts";
import { byStem, presetParams, type Reader, type Study, type Work } from "./study.ts";

const sizesOf = (settings: Reader) =>
  settings.numbers("sizes", { least: 1, whole: true }).toSorted((a, b) => a - b);

const idOf = (kind: string, preset: string, size: number) => `capacity/${kind}/${preset}/${size}`;

export const capacity: Study = {
  plan: (settings) =>
    settings
      .choices("kinds", KINDS)
      .flatMap((kind) =>
        settings.presets().flatMap((preset) => sizesOf(settings).map((size) => idOf(kind, preset, size))),
      ),

  cost: (settings) => ({
    group: byStem,
    encodes: sizesOf(settings).at(-1)!,
    recalls: settings.count("fixed"),
  }),

  async *cases({ context, settings, wanted, note }: Work) {
    const layer = layerIndex(settings.count("layer", 0));
    const fixed = settings.count("fixed");
    const sizes = sizesOf(settings);
    assert(
      fixed <= sizes[0]!,
      () =>
        `bench: capacity: ${fixed} facts are asked for, but the smallest store holds ${sizes[0]}; lower fixed`,
    );
    for (const kind of settings.choices("kinds", KINDS))
      for (const preset of settings.presets()) {
        const left = sizes.filter((size) => wanted(idOf(kind, preset, size)));
        if (left.length === 0) continue;
        const params = presetParams(context, preset);
        const facts = factsOf(context, kind, left.at(-1)!);
        const planned = facts.map((fact) => ({ fact, layer }));
        const started = context.now();
        const { entries, centres } = await encodeAll(context, planned, params, (done) =>
          note(`${preset}, ${kind}: ${done} of ${many(facts.length, "fact")} encoded`, done / facts.length),
        );
        const encoding = (context.now() - started) / facts.length;
        for (const size of left) {
          note(`${preset}, ${kind}: ${fixed} facts asked for among ${size}`);
          const from = context.now();
          const reader = openReader(context.engine, { entries: entries.slice(0, size), centres }, params);
          try {
            const asked = entries.slice(0, fixed);
            const judged = await judge(context.engine, reader, asked, facts, params);
            yield {
              kind: "case",
              id: idOf(kind, preset, size),
              inputs: { kind, preset, size, layer, fixed, read: params.read, keyCentre: params.keyCentre },
              measures: {
                exact: share(judged, ({ exact }) => exact),
                fidelity: measured(judged.map(({ fidelity }) => fidelity)),
                won: share(judged, ({ won }) => won),
                ownWeight: measured(judged.map(({ recalled: { id, read } }) => ownWeight(id, read))),
                runnerUp: measured(
                  judged.flatMap(({ recalled }) => recalled.read.competitors[1]?.similarity ?? []),
                ),
                indexOnly: likeness(entries.slice(0, size), (a, b) => a.anchor === b.anchor),
                anchorOnly: likeness(entries.slice(0, size), (a, b) => a.index === b.index),
                openPositions: measured(judged.map(({ recalled }) => recalled.read.openPositions.length)),
                encodedExact: share(asked, ({ report }) => report.exact),
                encodingMilliseconds: encoding,
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

/** Keys that are compared with all others. */
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

/** α of the fact's own key; 0 if it is not among the strongest. */
const ownWeight = (id: FactId, { competitors }: GatedRead): number =>
  competitors.find((one) => one.id === id)?.weight ?? 0;

/** The first fact that came back wrong, in words. */
export function noteOf(
  judged: readonly { readonly exact: boolean; readonly recalled: { readonly text: string } }[],
  facts: readonly { readonly value: string }[],
): { note: string } | Record<string, never> {
  const at = judged.findIndex(({ exact }) => !exact);
  return at < 0 ? {} : { note: `“${facts[at]!.value}” came back as “${judged[at]!.recalled.text}”` };
}
