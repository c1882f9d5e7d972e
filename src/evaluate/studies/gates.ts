/**
 * @file Gate sweep, θ × β. Open gates and weights follow from similarities that are computed once; the soft read is recalled
 * at every point.
 */

import { many } from "../../lib/format.ts";
import { openVectors, type StoredVectors } from "../../memory/address.ts";
import { layerIndex } from "../../records/ids.ts";
import { recallPrompt, valueTokens } from "../../memory/prompt.ts";
import { openReader, tracedRead } from "../../memory/read.ts";
import type { Fact } from "../../records/fact.ts";
import { noteOf } from "./capacity.ts";
import { encodeAll, judge, KINDS, factsOf, measured, share } from "./facts.ts";
import { byStem, presetParams, type StudyContext, type Study, type Work } from "./study.ts";

const idOf = (kind: string, theta: number, beta: number) => `gates/${kind}/${theta}/${beta}`;

export const gates: Study = {
  plan: (settings) =>
    settings
      .choices("kinds", KINDS)
      .flatMap((kind) =>
        settings
          .numbers("thetas", { least: -1 })
          .flatMap((theta) => settings.numbers("betas", { least: 0 }).map((beta) => idOf(kind, theta, beta))),
      ),

  cost: (settings) => ({
    group: (id) => byStem(byStem(id)),
    encodes: settings.count("facts"),
    recalls: settings.count("asked"),
  }),

  async *cases({ context, settings, wanted, note }: Work) {
    const layer = layerIndex(settings.count("layer", 0));
    const [count, asked] = [settings.count("facts"), settings.count("asked")];
    for (const kind of settings.choices("kinds", KINDS)) {
      const grid = settings
        .numbers("thetas")
        .flatMap((theta) => settings.numbers("betas").map((beta) => ({ theta, beta })));
      const left = grid.filter(({ theta, beta }) => wanted(idOf(kind, theta, beta)));
      if (left.length === 0) continue;
      const facts = factsOf(context, kind, count);
      const planned = facts.map((fact) => ({ fact, layer }));
      const stored = await encodeAll(context, planned, presetParams(context, context.params.preset), (done) =>
        note(`${kind}: ${done} of ${many(count, "fact")} encoded`, done / count),
      );
      const { entries } = stored;
      const seen = await similarities(context, stored, facts);
      const reader = openReader(context.engine, stored, { read: "soft", theta: 0, beta: 1 });
      try {
        for (const { theta, beta } of left) {
          note(`${kind}: θ = ${theta}, β = ${beta}`);
          const from = context.now();
          const params = { read: "soft", theta, beta } as const;
          const reads = seen.map(({ rows, key }, i) => ({
            key: tracedRead(entries, rows[key]!, params, [key]),
            others: rows.filter((row, t) => t !== key && tracedRead(entries, row, params, []).gateOpen)
              .length,
            own: entries[i]!.id,
          }));
          const judged = await judge(context.engine, reader, entries.slice(0, asked), facts, params);
          yield {
            kind: "case",
            id: idOf(kind, theta, beta),
            inputs: { kind, theta, beta, layer, facts: count, asked: Math.min(asked, count) },
            measures: {
              exact: share(judged, ({ exact }) => exact),
              fidelity: measured(judged.map(({ fidelity }) => fidelity)),
              keyOpen: share(reads, ({ key }) => key.gateOpen),
              otherOpen: measured(reads.map(({ others }) => others)),
              ownWeight: measured(
                reads.map(({ key, own }) => key.competitors.find(({ id }) => id === own)?.weight ?? 0),
              ),
            },
            ...noteOf(judged, facts),
            milliseconds: context.now() - from,
          };
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
