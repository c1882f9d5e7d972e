/** @file Forgetting under attack: an attacker guesses which of two sentences was deleted. The other one was never stored. */

import { oneLine } from "../../extract/anchorKey.ts";
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
import { digestOf } from "../../records/digest.ts";
import type { Fact } from "../../records/fact.ts";
import { charOffset, factId, offsetOf, type FactId } from "../../records/ids.ts";
import { renamedEntry, routingFacts, type Memory } from "../../records/memory.ts";
import type { Document } from "../../records/source.ts";
import { ATTACKS, type Attack } from "../../records/studies.ts";
import { keptMemory } from "../../records/vectors.ts";
import { factTerms, termHasher, termHashes } from "../../router/termHashes.ts";
import { layerFor, modelAttacks } from "./attacker.ts";
import type { Reader, Study, StudyContext } from "./study.ts";

const NAMES = Object.keys(ATTACKS) as Attack[];
type Scores = Partial<Record<Attack, readonly ScorePair[]>>;

/** A fact with its place among all texts. */
interface Sentence extends Fact {
  readonly place: number;
}

interface Attacked {
  readonly memory: Memory;
  /** A deleted sentence, and one that was never stored. */
  readonly pairs: readonly (readonly [Sentence, Sentence])[];
  /** The sentences that are stored, which the attacker knows. */
  readonly sentences: ReadonlyMap<FactId, Sentence>;
  /** Sentences of the pairs that the cache finds. */
  readonly cached: ReadonlySet<string>;
}

export const forgetting: Study = {
  axes: () => [[...NAMES, "retained"]],

  cost: (settings) => ({ group: () => "", encodes: 4 * settings.count("deleted"), recalls: 0 }),

  async *cases({ context, settings, wanted, note, made }) {
    const started = context.now();
    const [few, controls] = [settings.count("paraphrased"), settings.count("controls")];
    const { before, after, gaps, misplaced, certificate } = await deletion(context, settings, note);
    const scores = (attacked: Attacked, attacks: readonly Attack[]): Promise<Scores> =>
      scoresOf(context, attacked, attacks, few, note);
    // The classifier uses the numbers of all other attacks that have one for each pair.
    const needed = NAMES.filter((one) => wanted(one) || (wanted("classifier") && one !== "paraphrases"));
    note("positive controls");
    const found = {
      ...(await scores({ ...before, pairs: spread(before.pairs, controls) }, needed)),
      // These read records alone, which takes no time, and the order of anchors shows only in many pairs.
      ...(await scores(gaps, ["index-gaps", "offsets", "anchor-order"])),
      ...(await scores(misplaced, ["layers"])),
    };
    const left = await scores(after, needed);
    const inputs = {
      deleted: after.pairs.length,
      facts: certificate.retained,
      vectors: after.memory.entries.length,
    };
    for (const [i, attack] of NAMES.entries()) {
      if (!wanted(attack)) continue;
      const [pairs, control] = [left[attack]!, found[attack]!];
      yield made([attack], {
        inputs: { ...inputs, attack, number: i + 1, pairs: pairs.length, controls: control.length },
        measures: { ...aucOf(pairs, context.seed), control: aucOf(control).auc },
        milliseconds: context.now() - started,
      });
    }
    if (!wanted("retained")) return;
    const { compared, changed, moved = 0, gaps: numbers = 0 } = certificate;
    yield made(["retained"], {
      inputs: { ...inputs, attack: "retained" },
      measures: { compared, changed, moved, gaps: numbers },
      milliseconds: context.now() - started,
    });
  },
};

/** Memorises the texts without the sentences that are never stored, and deletes as many others. */
async function deletion(context: StudyContext, settings: Reader, note: (text: string) => void) {
  const documents = [context.document!, ...(context.others ?? [])];
  const each = Math.ceil(settings.count("deleted") / documents.length);
  const random = seeded(context.seed);
  const sentences = new Map<FactId, Sentence>();
  const pairs: [Sentence, Sentence][] = [];
  const texts: Document[] = [];
  for (const document of documents) {
    const { facts, candidates } = await ruleFacts([document], context.params);
    const chosen = shuffled(pairsOf(facts, random), random).slice(0, each);
    const never = new Set(chosen.map(([, one]) => one));
    // A sentence goes with the white space behind it.
    const starts = [...candidates.map(({ sentence }) => sentence.start as number), document.text.length];
    const cuts = [...never].map(({ offset }) => ({ offset, end: starts.find((start) => start > offset)! }));
    const left = cuts
      .toSorted((a, b) => b.offset - a.offset)
      .reduce((text, { offset, end }) => text.slice(0, offset) + text.slice(end), document.text);
    const text = makeDocument(document.title, left);
    const moved = (at: number): number =>
      cuts.reduce((sum, { offset, end }) => (offset < at ? sum - (end - offset) : sum), at);
    const sentenceOf = (fact: Fact): Sentence => {
      const id = factId(never.has(fact) ? "never stored" : text.id, charOffset(moved(fact.offset)));
      return { ...fact, id, place: texts.length * 1e9 + fact.offset };
    };
    for (const one of facts.filter((fact) => !never.has(fact)).map(sentenceOf)) sentences.set(one.id, one);
    pairs.push(...chosen.map(([a, b]): [Sentence, Sentence] => [sentenceOf(a), sentenceOf(b)]));
    texts.push(text);
  }
  note(`${texts.length} texts are memorised`);
  await memorize({ ...context, onProgress: ({ stage, done }) => note(`${stage} ${done}`) }, texts);
  const stored = (await context.store.load())!;
  const known = routingFacts(stored.routing);
  const anchors = new Map(
    stored.routing.flatMap(({ anchor, facts }) => facts.map(({ id }) => [id, anchor] as const)),
  );
  const copies = groupBy(known.values(), ({ digest }) => digest);
  // A sentence that the text has twice is still stored once.
  const usable = pairs.filter(
    ([gone, never]) =>
      anchors.get(gone.id) === gone.anchor &&
      copies.get(known.get(gone.id)!.digest)!.length === 1 &&
      !stored.salts.some((salt) => copies.has(digestOf(never.value, salt))),
  );
  assert(
    usable.length > 0,
    () => "study: forgetting: the text has no anchor with three facts; choose a longer text",
  );
  const traces = usable.flat().map(({ value }) => oneLine(value));
  const cached = async (): Promise<ReadonlySet<string>> => {
    const found = await context.cache?.known(traces);
    return new Set(traces.filter((_, i) => found?.[i]));
  };
  const before: Attacked = { memory: stored, pairs: usable, sentences, cached: await cached() };
  note(`${usable.length} facts are deleted`);
  const ids = new Set(usable.map(([gone]) => gone.id));
  const given = { ...context, compareAtMost: COMPARED };
  const { certificate, renamed } = await forget(given, keptMemory(stored), ids);
  const memory = (await context.store.load())!;
  const now = [...sentences.values()].map((one) => ({ ...one, id: renamed.get(one.id) ?? one.id }));
  const after: Attacked = {
    ...{ memory, pairs: usable, cached: await cached() },
    sentences: new Map(now.map((one) => [one.id, one])),
  };
  // Controls: a deletion that leaves all gaps, and one that closes them but leaves each entry at the layer of its former index.
  const routing = stored.routing.map(({ facts, ...document }) => ({
    ...document,
    facts: facts.filter(({ id }) => !ids.has(id)),
  }));
  const entries = stored.entries.map((entry) => renamedEntry(entry, renamed));
  const gaps = { ...before, memory: { ...stored, routing } };
  const misplaced = { ...after, memory: { ...memory, entries } };
  return { before, after, gaps, misplaced, certificate };
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

async function scoresOf(
  { engine }: StudyContext,
  attacked: Attacked,
  attacks: readonly Attack[],
  paraphrased: number,
  note: (text: string) => void,
): Promise<Scores> {
  const { suspect, ...records } = recordAttacks(attacked);
  const all = { ...modelAttacks(engine, attacked.memory), ...records };
  const suspects = attacked.pairs.map(([gone, never]) => [suspect(gone), suspect(never)] as const);
  const scores: Scores = {};
  for (const attack of attacks) {
    if (attack === "classifier") {
      const columns = Object.values(omit(scores, "paraphrases"));
      const rowOf = (i: number, side: 0 | 1): number[] => columns.map((pairs) => pairs[i]![side]);
      scores[attack] = crossValidated(suspects.map((_, i) => [rowOf(i, 0), rowOf(i, 1)]));
      continue;
    }
    const own = attack === "paraphrases" ? suspects.slice(0, paraphrased) : suspects;
    const found: ScorePair[] = [];
    for (const [gone, never] of own) {
      if (found.length % 25 === 0) note(`${attack}: ${found.length} of ${own.length} pairs`);
      found.push([await all[attack](gone), await all[attack](never)]);
    }
    scores[attack] = found;
  }
  return scores;
}

/** Attacks that need no model: on the records of a memory, and on the cache. */
function recordAttacks({ memory, sentences, cached }: Attacked) {
  const layerOf = new Map(memory.entries.map(({ id, layer }) => [id, layer]));
  const hashers = memory.salts.map(termHasher);
  const records = JSON.stringify(
    memory.routing.map(({ facts }) => facts.map(({ digest, terms }) => [digest, terms])),
  );
  const stored = memory.routing.flatMap(({ anchor, order: anchorOrder, facts }) =>
    facts.flatMap(({ id, index }): Sentence[] => {
      const one = sentences.get(id);
      return one ? [{ ...one, anchor, anchorOrder, index }] : [];
    }),
  );
  stored.sort((a, b) => a.place - b.place);
  const byAnchor = groupBy(stored, ({ anchor }) => anchor);
  const firsts = [...byAnchor.values()].map(([first]) => first!);
  const neighbours = ({ place }: Sentence, among: readonly Sentence[] = []) => ({
    last: among.findLast((one) => one.place < place),
    next: among.find((one) => one.place > place),
  });
  const around = (one: Sentence) => neighbours(one, byAnchor.get(one.anchor));
  /** Places among the layers between that of a fact and the one that fits its index. */
  const shiftOf = (one: Sentence | undefined): number => {
    const layer = one && layerOf.get(one.id);
    if (layer === undefined) return 0;
    const [found, expected] = [layer, layerFor(one!, memory)].map((at) => memory.layers.indexOf(at));
    return (found! - expected! + memory.layers.length) % memory.layers.length;
  };
  return {
    /** The sentence with the index that it has, or would have had. */
    suspect(one: Sentence): Sentence {
      const own = byAnchor.get(one.anchor) ?? [];
      const index = (around(one).last?.index ?? 0) + 1;
      const missing = { ...one, index, anchorOrder: own[0]?.anchorOrder ?? 0 };
      return own.find(({ id }) => id === one.id) ?? missing;
    },
    /** Share of its word hashes that one fact of its anchor has. */
    "word-hashes"(fact: Sentence): number {
      const facts = memory.routing.find(({ anchor }) => anchor === fact.anchor)?.facts ?? [];
      const shares = hashers.flatMap((hasher) => {
        const own = termHashes(fact.value, hasher);
        return facts.map((one) => {
          const hashes = new Set(factTerms(one).value.split(" "));
          return mean(own.map((hash) => Number(hashes.has(hash))));
        });
      });
      return Math.max(0, ...shares);
    },
    "value-hash": (fact: Sentence): number =>
      Number(memory.salts.some((salt) => records.includes(digestOf(fact.value, salt)))),
    /** Whether an index is free between the facts before and after it. */
    "index-gaps"(fact: Sentence): number {
      const { last, next } = around(fact);
      return next ? Math.max(0, next.index - (last?.index ?? 0) - 1) : 0;
    },
    /** Whether the layers of the facts before and after it fit different indices. */
    layers(fact: Sentence): number {
      const { last, next } = around(fact);
      return next ? Number(shiftOf(last) !== shiftOf(next)) : 0;
    },
    /** How near the stretch between the facts before and after it comes to its length, in characters. */
    offsets(fact: Sentence): number {
      const { last, next } = neighbours(fact, stored);
      const inOne = last && next && next.place - last.place < 1e8;
      const hole = inOne ? offsetOf(next.id) - offsetOf(last.id) - last.value.length : 0;
      return -Math.abs(hole - fact.value.length - 1);
    },
    /** Whether it may be the first of an anchor that is numbered before one whose first fact is earlier. */
    "anchor-order"(fact: Sentence): number {
      const own = byAnchor.get(fact.anchor)?.[0];
      if (!own || own.place < fact.place) return 0;
      return Number(firsts.some((one) => one.anchorOrder > own.anchorOrder && one.place < own.place));
    },
    cache: (fact: Sentence): number => Number(cached.has(oneLine(fact.value))),
  };
}
