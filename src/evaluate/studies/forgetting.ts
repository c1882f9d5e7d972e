/** @file Forgetting under attack: an attacker guesses which of two sentences was deleted. The other one was never stored. */

import { tracesOf } from "../../flow/cacheLookup.ts";
import { ruleFacts } from "../../flow/estimateRun.ts";
import { forget } from "../../flow/forget.ts";
import { memorize } from "../../flow/memorize.ts";
import { makeDocument } from "../../ingest/text.ts";
import { assert } from "../../lib/assert.ts";
import { aucOf, crossValidated, type ScorePair } from "../../lib/auc.ts";
import { groupBy } from "../../lib/group.ts";
import { omit } from "../../lib/omit.ts";
import { seeded, shuffled } from "../../lib/rng.ts";
import { mean, spread } from "../../lib/stats.ts";
import { assignLayers } from "../../plan/layers.ts";
import { digestOf } from "../../records/digest.ts";
import type { Fact } from "../../records/fact.ts";
import { charOffset, factId, type FactId } from "../../records/ids.ts";
import { renamedEntry, type Memory, type RoutingDocument } from "../../records/memory.ts";
import type { Document } from "../../records/source.ts";
import { keptMemory } from "../../records/vectors.ts";
import { factTerms, termHasher, termHashes } from "../../router/termHashes.ts";
import { Attacker, type Suspect } from "./attacker.ts";
import type { Study, StudyContext } from "./study.ts";

/** The attacks. The classifier uses the numbers of all others. */
const ATTACKS = [
  "prompt",
  "open-gate",
  "other-keys",
  "paraphrases",
  "soft-read",
  "other-residuals",
  "gradient-search",
  "writers-guess",
  "word-hashes",
  "value-hash",
  "index-gaps",
  "layers",
  "offsets",
  "anchor-order",
  "cache",
  "classifier",
] as const;
type Attack = (typeof ATTACKS)[number];
type Scores = Readonly<Partial<Record<Exclude<Attack, "classifier">, readonly ScorePair[]>>>;

interface Sentence {
  readonly fact: Fact;
  readonly id: FactId;
  readonly place: number;
}

interface Attacked {
  readonly memory: Memory;
  readonly pairs: readonly (readonly [Sentence, Sentence])[];
  readonly sentences: ReadonlyMap<FactId, Sentence>;
  readonly cached: readonly ScorePair[];
}

export const forgetting: Study = {
  axes: () => [[...ATTACKS, "retained"]],

  cost: (settings) => ({ group: () => "", encodes: 4 * settings.count("deleted"), recalls: 0 }),

  async *cases({ context, settings, wanted, note, made }) {
    const started = context.now();
    const { before, after, open, certificate } = await deletion(context, settings.count("deleted"), note);
    const few = wanted("paraphrases") ? settings.count("paraphrased") : 0;
    const controls = settings.count("controls");
    const chosen = {
      ...before,
      pairs: spread(before.pairs, controls),
      cached: spread(before.cached, controls),
    };
    // The classifier needs the scores of all others.
    const needed = (attack: Attack): boolean => wanted(attack) || wanted("classifier");
    note("positive controls");
    const found = await scoresOf(context, chosen, Math.min(few, controls), note, needed);
    // Those that read records alone take no time, and the order of anchors shows only in many pairs.
    const records = unmended(open, after);
    const left = await scoresOf(context, after, few, note, needed);
    const inputs = {
      deleted: after.pairs.length,
      facts: certificate.retained,
      vectors: after.memory.entries.length,
    };
    for (const attack of ATTACKS) {
      if (!wanted(attack)) continue;
      const [pairs, control] = [left, { ...found, ...(attack !== "classifier" && records) }].map((scores) =>
        attack === "classifier" ? classified(scores) : scores[attack],
      );
      const { auc, interval, bits } = aucOf(pairs!, context.seed);
      yield made([attack], {
        inputs: {
          ...inputs,
          attack,
          number: ATTACKS.indexOf(attack) + 1,
          pairs: pairs!.length,
          controls: control!.length,
        },
        measures: {
          ...{ auc, low: interval[0], high: interval[1], bits },
          control: aucOf(control!).auc,
        },
        milliseconds: context.now() - started,
      });
    }
    if (!wanted("retained")) return;
    const { compared, changed, moved = 0, gaps = 0 } = certificate;
    yield made(["retained"], {
      inputs: { ...inputs, attack: "retained" },
      measures: { compared, changed, moved, gaps },
      milliseconds: context.now() - started,
    });
  },
};

/** Memorises the texts without the sentences that are never stored, and deletes as many others. */
async function deletion(context: StudyContext, count: number, note: (text: string) => void) {
  const documents = [context.document!, ...(context.others ?? [])];
  const random = seeded(context.seed);
  const sentences = new Map<FactId, Sentence>();
  const pairs: (readonly [Sentence, Sentence])[] = [];
  const texts: Document[] = [];
  for (const document of documents) {
    const { facts, candidates } = await ruleFacts([document], context.params);
    const chosen = shuffled(pairsOf(facts, random), random).slice(0, Math.ceil(count / documents.length));
    // A sentence goes with the white space behind it.
    const starts = candidates.map(({ sentence }) => sentence.start as number);
    const ends = new Map(starts.map((start, i) => [start, starts[i + 1] ?? document.text.length]));
    const cuts = chosen.map(([, never]) => [never.offset as number, ends.get(never.offset)!] as const);
    const text = makeDocument(document.title, without(document.text, cuts));
    const moved = (offset: number): number =>
      cuts.reduce((sum, [start, end]) => (start < offset ? sum - (end - start) : sum), offset);
    const never = new Set(chosen.map(([, one]) => one.id));
    const sentenceOf = (fact: Fact): Sentence => {
      const id = factId(never.has(fact.id) ? "never stored" : text.id, charOffset(moved(fact.offset)));
      return { fact, id, place: texts.length * 1e9 + fact.offset };
    };
    for (const fact of facts) if (!never.has(fact.id)) sentences.set(sentenceOf(fact).id, sentenceOf(fact));
    pairs.push(...chosen.map(([a, b]) => [sentenceOf(a), sentenceOf(b)] as const));
    texts.push(text);
  }
  note(`${texts.length} texts are memorised`);
  const { memory: whole } = await memorize(
    { ...context, onProgress: ({ stage, done }) => note(`${stage} ${done}`) },
    texts,
  );
  const stored = (await context.store.load())!;
  const known = new Map(
    whole.routing.flatMap(({ anchor, facts }) =>
      facts.map((fact) => [fact.id, { ...fact, anchor }] as const),
    ),
  );
  const digests = new Set([...known.values()].map(({ digest }) => digest));
  const isStored = ({ fact }: Sentence): boolean =>
    whole.salts.some((salt) => digests.has(digestOf(fact.value, salt)));
  // A sentence that the text has twice is still stored once.
  const usable = pairs.filter(([gone, never]) => {
    const one = known.get(gone.id);
    const once = [...known.values()].filter(({ digest }) => digest === one?.digest).length === 1;
    return one?.anchor === gone.fact.anchor && once && !isStored(never);
  });
  assert(
    usable.length > 0,
    () => "study: forgetting: the text has no anchor with three facts; choose a longer text",
  );
  const traces = usable.map((pair) => pair.map(({ fact }) => fact.value.replace(/\s+/g, " ")));
  const cached = async (): Promise<ScorePair[]> => {
    const found = await context.cache?.known(traces.flat(1).flatMap((text) => tracesOf(text)[0] ?? ""));
    return traces.map((_, i) => [Number(found?.[2 * i] ?? 0), Number(found?.[2 * i + 1] ?? 0)]);
  };
  const all = { pairs: usable, sentences };
  const before: Attacked = { ...all, memory: stored, cached: await cached() };
  note(`${usable.length} facts are deleted`);
  const ids = new Set(usable.map(([gone]) => gone.id));
  const given = { ...context, compareAtMost: COMPARED };
  const { certificate, renamed } = await forget(given, keptMemory(stored), ids);
  const memory = (await context.store.load())!;
  const now = new Map(
    [...sentences].map(([id, one]) => [renamed.get(id) ?? id, { ...one, id: renamed.get(id) ?? id }]),
  );
  const after = { pairs: usable, sentences: now, memory, cached: await cached() };
  const routing = stored.routing.map((document) => ({
    ...document,
    facts: document.facts.filter(({ id }) => !ids.has(id)),
  }));
  const entries = stored.entries.map((entry) => renamedEntry(entry, renamed));
  const memoryWithGaps = { ...stored, routing: routing.filter(({ facts }) => facts.length > 0) };
  const open = { ...before, memory: memoryWithGaps, formerLayers: entries };
  return { before, after, open, certificate };
}

/** Retained facts whose recall is compared token by token. */
const COMPARED = 1024;

const TOGETHER = 3;

/** Pairs of facts with one anchor, in any order; the fact between them stays, so that their places differ. */
const pairsOf = (facts: readonly Fact[], random: () => number): [Fact, Fact][] =>
  [...groupBy(facts, ({ anchor }) => anchor).values()].flatMap((own) =>
    Array.from({ length: Math.floor(own.length / TOGETHER) }, (_, i): [Fact, Fact] => {
      const [a, b] = [own[TOGETHER * i]!, own[TOGETHER * i + 2]!];
      return random() < 0.5 ? [a, b] : [b, a];
    }),
  );

const without = (text: string, cuts: readonly (readonly [number, number])[]): string =>
  cuts
    .toSorted(([a], [b]) => b - a)
    .reduce((left, [start, end]) => left.slice(0, start) + left.slice(end), text);

async function scoresOf(
  { engine }: StudyContext,
  attacked: Attacked,
  few: number,
  note: (text: string) => void,
  needed: (attack: Attack) => boolean,
): Promise<Scores> {
  const { memory, pairs, cached } = attacked;
  const attacker = new Attacker(engine, memory);
  const view = viewOf(attacked);
  const suspects = pairs.flatMap((pair) => pair.map((one) => view.suspect(one)));
  const each = async (name: string, of: (one: Suspect) => Promise<number>, count = pairs.length) => {
    const found: number[] = [];
    for (const one of suspects.slice(0, 2 * count)) {
      if (found.length % 50 === 0) note(`${name}: ${found.length / 2} of ${count} pairs`);
      found.push(await of(one));
    }
    return paired(found);
  };
  const here = (of: (one: Sentence) => number): ScorePair[] => pairs.map(([a, b]) => [of(a), of(b)]);
  const attacks: Readonly<Record<keyof Scores, () => readonly ScorePair[] | Promise<readonly ScorePair[]>>> =
    {
      prompt: async () => paired(await attacker.prompt(suspects)),
      "open-gate": () => each("open gate", (one) => attacker.openGate(one)),
      "other-keys": () => each("other keys", (one) => attacker.otherKeys(one)),
      paraphrases: () => each("paraphrases", (one) => attacker.paraphrases(one), Math.min(few, pairs.length)),
      "soft-read": () => each("soft read", (one) => attacker.softRead(one)),
      "other-residuals": () => each("other residuals", (one) => attacker.otherResiduals(one)),
      "gradient-search": async () => paired(await attacker.gradientSearch(suspects)),
      "writers-guess": async () => paired(await attacker.writersGuess(suspects)),
      "word-hashes": () => here(view.wordHashes),
      "value-hash": () => here(view.valueHash),
      "index-gaps": () => here(view.gap),
      layers: () => here(view.layers),
      offsets: () => here(view.offsets),
      "anchor-order": () => here(view.anchorOrder),
      cache: () => cached,
    };
  const scores = new Map<string, readonly ScorePair[]>();
  for (const [attack, find] of Object.entries(attacks))
    if (needed(attack as Attack)) scores.set(attack, await find());
  return Object.fromEntries(scores);
}

interface Gaps extends Attacked {
  readonly formerLayers: Memory["entries"];
}

/** Controls: a deletion that leaves all gaps, and one that closes them but leaves each entry at the layer of its former index. */
function unmended(gaps: Gaps, { memory, sentences }: Attacked): Scores {
  const { pairs, formerLayers: entries } = gaps;
  const { gap, offsets, anchorOrder } = viewOf(gaps);
  const { layers } = viewOf({ ...gaps, sentences, memory: { ...memory, entries } });
  const both = (of: (one: Sentence) => number): ScorePair[] => pairs.map(([a, b]) => [of(a), of(b)]);
  return {
    "index-gaps": both(gap),
    layers: both(layers),
    offsets: both(offsets),
    "anchor-order": both(anchorOrder),
  };
}

const paired = (scores: readonly number[]): ScorePair[] =>
  Array.from({ length: scores.length / 2 }, (_, i) => [scores[2 * i]!, scores[2 * i + 1]!]);

/** Scores of a sentence by the records of a memory. */
function viewOf({ memory, sentences }: Attacked) {
  const documents = new Map(memory.routing.map((document) => [document.anchor, document]));
  const layerOf = new Map(memory.entries.map(({ id, layer }) => [id, layer]));
  const hashers = memory.salts.map(termHasher);
  const records = JSON.stringify(
    memory.routing.map(({ facts }) => facts.map(({ digest, terms }) => [digest, terms])),
  );
  const placed = memory.routing
    .flatMap(({ facts }) => facts.flatMap(({ id }) => sentences.get(id) ?? []))
    .toSorted((a, b) => a.place - b.place);
  const offsetAt = ({ id }: Sentence): number => Number(id.slice(id.lastIndexOf(":") + 1));
  const firstOf = ({ facts }: RoutingDocument): number =>
    Math.min(...facts.map(({ id }) => sentences.get(id)?.place ?? Infinity));
  const firsts = memory.routing.map((document) => ({ order: document.order, place: firstOf(document) }));
  /** Facts of the sentence's anchor that stand before it and after it in the texts. */
  const around = ({ fact, id, place }: Sentence) => {
    const facts = (documents.get(fact.anchor)?.facts ?? []).filter((one) => one.id !== id);
    const known = facts.flatMap((one) => {
      const at = sentences.get(one.id)?.place;
      return at === undefined ? [] : { ...one, place: at };
    });
    const sorted = known.toSorted((a, b) => a.place - b.place);
    const rank = sorted.filter((one) => one.place < place).length;
    return { sorted, rank };
  };
  const planned = (one: Sentence, index: number): Suspect => {
    const order = documents.get(one.fact.anchor)?.order ?? 0;
    const fact = { ...one.fact, id: one.id, index, anchorOrder: order };
    return { fact, layer: assignLayers([fact], memory.layers, memory.params)[0]!.layer };
  };
  return {
    suspect(one: Sentence): Suspect {
      const stored = documents.get(one.fact.anchor)?.facts.find(({ id }) => id === one.id);
      if (stored) return planned(one, stored.index);
      const { sorted, rank } = around(one);
      return planned(one, (sorted[rank - 1]?.index ?? 0) + 1);
    },
    /** Share of its word hashes that one fact of its anchor has. */
    wordHashes({ fact }: Sentence): number {
      const shares = hashers.flatMap((hasher) => {
        const own = termHashes(fact.value, hasher);
        return (documents.get(fact.anchor)?.facts ?? []).map((stored) => {
          const hashes = new Set(factTerms(stored).value.split(" "));
          return mean(own.map((hash) => Number(hashes.has(hash))));
        });
      });
      return Math.max(0, ...shares);
    },
    valueHash: ({ fact }: Sentence): number =>
      Number(memory.salts.some((salt) => records.includes(digestOf(fact.value, salt)))),
    /** Whether an index is free between the facts before and after it. */
    gap(one: Sentence): number {
      const { sorted, rank } = around(one);
      const [last, next] = [sorted[rank - 1]?.index ?? 0, sorted[rank]?.index];
      return next === undefined ? 0 : Math.max(0, next - last - 1);
    },
    /** Whether the layers of the facts before and after it fit different indices. */
    layers(one: Sentence): number {
      const { sorted, rank } = around(one);
      const count = memory.layers.length;
      const shiftOf = (at: number): number => {
        const fact = sorted[at];
        const layer = layerOf.get(fact?.id ?? one.id);
        if (!fact || layer === undefined) return 0;
        const expected = memory.layers.indexOf(planned(sentences.get(fact.id)!, fact.index).layer);
        return (memory.layers.indexOf(layer) - expected + count) % count;
      };
      return rank < sorted.length ? Number(shiftOf(rank - 1) !== shiftOf(rank)) : 0;
    },
    /** How near the stretch between the facts before and after it comes to its length, in characters. */
    offsets({ fact, place }: Sentence): number {
      const at = placed.findIndex((one) => one.place > place);
      const [last, next] = [placed.slice(0, at).findLast((one) => one.place < place), placed[at]];
      const inOne = last && next && next.place - last.place < 1e8;
      const hole = inOne ? offsetAt(next) - offsetAt(last) - last.fact.value.length : 0;
      return -Math.abs(hole - fact.value.length - 1);
    },
    /** Whether it may be the first of an anchor that is numbered before one whose first fact is earlier. */
    anchorOrder(one: Sentence): number {
      const document = documents.get(one.fact.anchor);
      if (!document || around(one).rank > 0) return 0;
      const place = firstOf(document);
      return Number(firsts.some((other) => other.order > document.order && other.place < place));
    },
  };
}

/** Scores of a classifier over the numbers of every attack that has one for each pair. */
function classified(scores: Scores): ScorePair[] {
  const columns = Object.values(omit(scores, "paraphrases")) as (readonly ScorePair[])[];
  return crossValidated(
    columns[0]!.map((_, i) => [columns.map((one) => one[i]![0]), columns.map((one) => one[i]![1])]),
  );
}
