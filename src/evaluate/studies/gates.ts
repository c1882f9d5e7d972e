/**
 * @file Gate sweep, θ × β. Open gates and weights follow from similarities that are computed once; the soft read is recalled
 * at every point.
 */

import { openVectors, type StoredVectors } from "../../memory/address.ts";
import { layerIndex } from "../../records/ids.ts";
import { recallPrompt, valueTokens } from "../../memory/prompt.ts";
import { openReader, tracedRead } from "../../memory/read.ts";
import type { Fact } from "../../records/fact.ts";
import { encodeAll, factsOf, judge, noteOf } from "./facts.ts";
import { byStem, measured, presetParams, share, type StudyContext, type Study } from "./study.ts";

export const gates: Study = {
  axes: (settings) => [settings.kinds(), settings.numbers("thetas", -1), settings.numbers("betas", 0)],

  cost: (settings) => ({
    group: (id) => byStem(byStem(id)),
    encodes: settings.count("facts"),
    recalls: settings.count("asked"),
  }),

  async *cases(work) {
    const { context, settings, wanted, note } = work;
    const layer = layerIndex(settings.count("layer", 0));
    const [count, asked] = [settings.count("facts"), settings.count("asked")];
    const grid = settings
      .numbers("thetas", -1)
      .flatMap((theta) => settings.numbers("betas", 0).map((beta) => ({ theta, beta })));
    for (const kind of settings.kinds()) {
      const left = grid.filter(({ theta, beta }) => wanted(kind, theta, beta));
      if (left.length === 0) continue;
      const facts = factsOf(context, kind, count);
      const planned = facts.map((fact) => ({ fact, layer }));
      const stored = await encodeAll(work, planned, presetParams(context, context.params.preset), kind);
      const { entries } = stored;
      const seen = await similarities(context, stored, facts);
      const reader = openReader(context.engine, stored, { read: "soft", theta: 0, beta: 1 });
      try {
        for (const { theta, beta } of left) {
          note(`${kind}: θ = ${theta}, β = ${beta}`);
          const from = context.now();
          const params = { read: "soft", theta, beta } as const;
          const isOpen = (row: Float32Array) => tracedRead(entries, row, params, []).gateOpen;
          const others = seen.map(
            ({ rows, key }) => rows.filter((row, t) => t !== key && isOpen(row)).length,
          );
          const reads = seen.map(({ rows, key }) => tracedRead(entries, rows[key]!, params, [key]));
          const judged = await judge(context.engine, reader, entries.slice(0, asked), facts, params);
          yield work.made([kind, theta, beta], {
            inputs: { kind, theta, beta, layer, facts: count, asked: Math.min(asked, count) },
            measures: {
              exact: share(judged, ({ exact }) => exact),
              fidelity: measured(judged.map(({ fidelity }) => fidelity)),
              keyOpen: share(reads, ({ gateOpen }) => gateOpen),
              otherOpen: measured(others),
              ownWeight: measured(
                reads.map((read, i) => read.competitors.find(({ id }) => id === entries[i]!.id)?.weight ?? 0),
              ),
            },
            ...noteOf(judged, facts),
            milliseconds: context.now() - from,
          });
        }
      } finally {
        reader.dispose();
      }
    }
  },
};

/** s_i at every position of prompt and value, saved for all points of the grid. */
async function similarities(
  { engine }: StudyContext,
  { entries, centres }: StoredVectors,
  facts: readonly Fact[],
): Promise<{ rows: Float32Array[]; key: number }[]> {
  const vectors = openVectors(engine, entries, centres);
  try {
    const seen: { rows: Float32Array[]; key: number }[] = [];
    for (const fact of facts) {
      const prompt = recallPrompt(engine, fact);
      const ids = [...prompt.ids, ...valueTokens(engine, fact, prompt, fact.value).slice(0, -1)];
      const rows = await vectors.similarity(await engine.readActivations(ids, vectors.layer));
      seen.push({ rows, key: prompt.keyPosition });
    }
    return seen;
  } finally {
    vectors.dispose();
  }
}
