/** @file Studies of one layer: its capacity, its gates, and the steps to encode its facts. */

import { assert } from "../../lib/assert.ts";
import { spread } from "../../lib/stats.ts";
import { dot } from "../../lib/vector.ts";
import type { MemoryEntry } from "../../records/memory.ts";
import { layerIndex } from "../../records/ids.ts";
import { encodeAll, factsOf, judge, judgeAll, noteOf, recallMeasures } from "./facts.ts";
import {
  byStem,
  measured,
  presetParams,
  share,
  type Reader,
  type Study,
  type StudyContext,
} from "./study.ts";
import { openVectors, type StoredVectors } from "../../memory/layers.ts";
import { recallPrompt, valueTokens } from "../../memory/parts.ts";
import { openReader, tracedRead } from "../../memory/read.ts";
import type { GatedRead } from "../../records/answer.ts";
import type { Fact } from "../../records/fact.ts";

const sizesOf = (settings: Reader) => settings.numbers("sizes", 1, true).toSorted((a, b) => a - b);

/** Capacity of one layer: the same facts are recalled while more and more facts are stored there. Each is encoded once. */
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
              ...recallMeasures(judged),
              won: share(judged, ({ won }) => won),
              ownWeight: ownWeight(reads, asked),
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

/** Mean α of the facts' own keys; 0 for one that is not among the strongest. */
const ownWeight = (reads: readonly Pick<GatedRead, "competitors">[], own: readonly MemoryEntry[]) =>
  measured(reads.map(({ competitors }, i) => competitors.find(({ id }) => id === own[i]!.id)?.weight ?? 0));

const COMPARED = 64;

/** Mean cosine of keys that differ in one thing alone: of one anchor in the index, of one index in the anchor. */
function likeness(entries: readonly MemoryEntry[], alike: (a: MemoryEntry, b: MemoryEntry) => boolean) {
  const pairs = spread(entries, COMPARED).flatMap((one) =>
    entries.filter((other) => other !== one && alike(one, other)).map((other) => dot(one.key, other.key)),
  );
  return measured(pairs);
}

/** Gate sweep, θ × β, from similarities that are computed once; the soft read is recalled at every point. */
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
              ...recallMeasures(judged),
              keyOpen: share(reads, ({ gateOpen }) => gateOpen),
              otherOpen: measured(others),
              ownWeight: ownWeight(reads, entries),
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

const schedulesOf = (settings: Reader): { name: string; steps: number; refine: number }[] =>
  settings.words("schedules").map((name) => {
    const [, steps, refine] = /^(\d+)\+(\d+)$/.exec(name) ?? [];
    assert(
      steps !== undefined && Number(steps) > 0,
      () => `bench: steps: "${name}" is not a schedule; expected guided + refinement steps such as 40+20`,
    );
    return { name, steps: Number(steps), refine: Number(refine) };
  });

/** Steps schedule: the same facts encoded with different numbers of guided and refinement steps. */
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
