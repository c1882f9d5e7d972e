/** @file Studies over several layers: deletion, the number of layers K, and the length of parts. */

import { many } from "../../lib/format.ts";
import { assert, present } from "../../lib/assert.ts";
import { layerIndex } from "../../records/ids.ts";
import { sameTokens } from "../../memory/fidelity.ts";
import { assignLayers } from "../../plan/layers.ts";
import { encodeAll, factsOf, judgeAll, noteOf, recallMeasures } from "./facts.ts";
import {
  byStem,
  measured,
  presetParams,
  share,
  type Study,
  type Reader,
  type StudyContext,
} from "./study.ts";
import { omit } from "../../lib/omit.ts";
import { encodeAll as collected, planLayers } from "../../flow/layerProbe.ts";
import { ruleFacts } from "../../flow/estimateRun.ts";
import { mean, median, spread } from "../../lib/stats.ts";
import { dot, norm } from "../../lib/vector.ts";
import type { MethodParams } from "../../records/params.ts";
import { partsOf, startOf } from "../../memory/parts.ts";
import type { PlannedFact } from "../../records/fact.ts";
import { byFact, type MemoryEntry } from "../../records/memory.ts";

const nameOf = (n: number) => String(n + 1).padStart(3, "0");

/** Deletion locality: some facts are deleted; each fact is a case, asked for before and after. */
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

/** Layer count K: the same facts over the best K layers of the probe, assigned by Eq. 2. */
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
              ...recallMeasures(judged),
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

const lengthsOf = (settings: Reader) => settings.numbers("lengths", 2, true);
const layersOf = (settings: Reader) => settings.numbers("layers", 0, true);

/** Facts that are encoded before the clock starts, so that the first length does not pay for setup. */
const WARM_FACTS = 2;

const startsOf = (settings: Reader) => settings.choices("starts", ["writer", "learned", "zero"] as const);

/**
 * Part length: facts of a text in parts of several maximum lengths, their δ from several starts. Longer parts need fewer vectors,
 * until they are halved.
 */
export const parts: Study = {
  axes: (settings) => [lengthsOf(settings), startsOf(settings)],

  cost: (settings) => ({ group: (id) => id, encodes: settings.count("facts"), recalls: 0 }),

  async *cases({ context, settings, wanted, note, made }) {
    const planned = await factsFrom(context, settings);
    const starts = startsOf(settings);
    const lengths = lengthsOf(settings).filter((length) => starts.some((start) => wanted(length, start)));
    const encode = (
      facts: readonly PlannedFact[],
      change: Pick<MethodParams, "partTokens" | "start">,
      onDone: (done: number) => void,
    ) =>
      collected(
        context.engine,
        facts,
        { ...context.params, ...change },
        { signal: context.signal, onProgress: ({ done }) => onDone(done) },
      );
    for (const partTokens of lengths)
      for (const start of starts)
        await encode(planned.slice(0, WARM_FACTS), { partTokens, start }, () => note("making ready"));
    for (const length of lengths) {
      let first: readonly MemoryEntry[] | undefined;
      for (const start of starts) {
        // The first one is compared with the others, also when its own case was made before.
        if (first && !wanted(length, start)) continue;
        const from = context.now();
        const entries = await encode(planned, { partTokens: length, start }, (done) =>
          note(
            `parts of at most ${length} tokens from ${start}: ${done} of ${many(planned.length, "fact")}`,
            done / planned.length,
          ),
        );
        const milliseconds = context.now() - from;
        const facts = byFact(entries);
        const reports = entries.map(({ report }) => report);
        if (wanted(length, start))
          yield made([length, start], {
            inputs: {
              // A model without a writer begins at the learned start.
              ...{ length, start: startOf(context.engine, { start }), facts: facts.length },
              layers: layersOf(settings).join(" "),
            },
            measures: {
              exact: share(facts, (those) => those.every(({ report }) => report.exact)),
              halved: halvedShare(context, planned, facts, length),
              vectors: entries.length / facts.length,
              tokensPerVector: mean(entries.map(({ tokens }) => tokens)),
              stepsTaken: mean(reports.map(({ steps }) => steps)),
              margin: median(reports.map(({ margin }) => margin)),
              deltaNorm: mean(reports.map((report) => report.deltaNorm)),
              likeFirst: first ? meanCosine(first, entries) : null,
              factMilliseconds: milliseconds / facts.length,
            },
            milliseconds,
          });
        first ??= entries;
      }
    }
  },
};

/** Mean cosine of the residuals of the same parts; null if no part was cut alike. */
function meanCosine(a: readonly MemoryEntry[], b: readonly MemoryEntry[]): number | null {
  const keyOf = ({ id, part, start, tokens }: MemoryEntry) => [id, part, start, tokens].join();
  const others = new Map(a.map((entry) => [keyOf(entry), entry.residual]));
  return measured(
    b.flatMap((entry) => {
      const other = others.get(keyOf(entry));
      return other ? [dot(entry.residual, other) / (norm(entry.residual) * norm(other))] : [];
    }),
  );
}

/** Facts of the context's text, evenly spread over it, at the layers of the settings in turns. */
async function factsFrom({ document, params }: StudyContext, settings: Reader): Promise<PlannedFact[]> {
  const text = present(
    document,
    () => "bench: parts: a text is needed to take facts from; choose a document",
  );
  const { facts } = await ruleFacts([text], params);
  const layers = layersOf(settings).map(layerIndex);
  const chosen = spread(facts, settings.count("facts"));
  return chosen.map((fact, i) => ({ fact, layer: layers[i % layers.length]! }));
}

/** Share of facts that needed more vectors than they were cut into at first. */
function halvedShare(
  { engine, params }: StudyContext,
  planned: readonly PlannedFact[],
  facts: readonly (readonly MemoryEntry[])[],
  length: number,
): number | null {
  const cut = new Map(
    planned.map(({ fact }) => [fact.id, partsOf(engine, fact, { ...params, partTokens: length }).length]),
  );
  return share(facts, (those) => those.length > cut.get(those[0]!.id)!);
}
