/** @file Made facts for studies, the same for the same seed, with their encoding, recall and judgement. */

import { grouped, many } from "../../lib/format.ts";
import { assert } from "../../lib/assert.ts";
import { seeded, shuffled } from "../../lib/rng.ts";
import { factOf } from "../../flow/facts.ts";
import { withKeyCentres } from "../../flow/keyCentres.ts";
import type { StoredVectors } from "../../memory/layers.ts";
import { encodeFacts } from "../../memory/encode.ts";
import { sameTokens, tokenF1 } from "../../memory/fidelity.ts";
import { openReader, type MemoryReader, type ReadParams } from "../../memory/read.ts";
import { isCoded, wholeTokens } from "../../memory/parts.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Reconstruction } from "../../records/answer.ts";
import type { Fact, PlannedFact } from "../../records/fact.ts";
import { charOffset, documentId, factId } from "../../records/ids.ts";
import type { MemoryEntry } from "../../records/memory.ts";
import type { MethodParams } from "../../records/params.ts";
import type { CaseRecord } from "../../records/run.ts";
import { MADE, measured, share, type FactKind, type StudyContext, type Work } from "./study.ts";
import words from "./words.json" with { type: "json" };

/** `count` facts of a kind: those of the memory, drawn by the seed, or made ones. @throws if there are fewer */
export function factsOf(
  { facts = [], seed }: Pick<StudyContext, "facts" | "seed">,
  kind: FactKind,
  count: number,
): Fact[] {
  if (kind !== "memory") return madeFacts(kind, count, seed);
  assert(
    facts.length >= count,
    () =>
      `study: ${many(count, "fact")} of the memory are asked for, it holds ${grouped(facts.length)}; lower the number`,
  );
  // Shuffled once: the first n are the same for any count.
  return shuffled(facts, seeded(seed)).slice(0, count);
}

/** Forms of "sentences"; each gives many different values. */
const FORMS: readonly ((name: string, pick: <T>(items: readonly T[]) => T) => string)[] = [
  (name, pick) => `${name} ${pick(words.moves)} the ${pick(words.places)}.`,
  (name, pick) => `${name} left the ${pick(words.things)} in the ${pick(words.places)}.`,
  (name, pick) => `${name} took the ${pick(words.things)} to the ${pick(words.places)}.`,
  (name, pick) => `${name} works as a ${pick(words.trades)} in ${pick(words.towns)}.`,
  (name, pick) => `${name} gave the ${pick(words.things)} to ${pick(words.names)}.`,
  (name, pick) => `${name} picked up the ${pick(words.things)} there.`,
  (name, pick) => `${name} dropped the ${pick(words.things)} in the ${pick(words.places)}.`,
];

/**
 * Makes `count` distinct facts of bAbI's own names, places and verbs: any model can say them, so that small stores start out exact.
 * Index j counts within each name. @throws if there are fewer
 */
export function madeFacts(kind: (typeof MADE)[number], count: number, seed: number): Fact[] {
  const random = seeded(seed);
  const names = shuffled(kind === "code" ? words.keys : words.names, random);
  assert(
    count <= MOST,
    () => `study: ${many(count, "fact")} of kind ${kind} are asked for, there are ${grouped(MOST)}`,
  );
  const values = kind === "code" ? codesOf(names, random) : names.map((name) => valuesOf(kind, name, random));
  return Array.from({ length: count }, (_, i) => {
    const [order, n] = [i % names.length, Math.floor(i / names.length)];
    const id = factId(documentId(`study-${kind}-00000`), charOffset(i * 100));
    return factOf({ anchor: names[order]!, order }, { id, index: n + 1, value: values[order]!(n) });
  });
}

/** The number that the paper has at one layer. */
const MOST = 4096;

/** The nth value of each key; no code is given twice. */
function codesOf(keys: readonly string[], random: () => number): ((n: number) => string)[] {
  const codes = shuffled(
    Array.from({ length: 9000 }, (_, i) => 1000 + i),
    random,
  );
  return keys.map((key, i) => (n) => `The code of ${key} is ${codes[n * keys.length + i]!}.`);
}

/** The nth value of a name, all different. */
function valuesOf(kind: "template" | "sentences", name: string, random: () => number): (n: number) => string {
  if (kind === "template") {
    const all = [words.places, words.morePlaces].flatMap((places) => {
      const values = words.moves.flatMap((move) => places.map((place) => `${name} ${move} the ${place}.`));
      return shuffled(values, random);
    });
    // Not shuffled, so that facts of smaller stores stay the same.
    const more = words.moreMoves.flatMap((move) =>
      [...words.places, ...words.morePlaces].map((place) => `${name} ${move} the ${place}.`),
    );
    return (n) => all[n] ?? more[n - all.length]!;
  }
  // Drawn from a separate stream, so that more facts never change earlier ones.
  const own = seeded(Math.floor(random() * 2 ** 32));
  const drawn: string[] = [];
  const pick = <T>(items: readonly T[]): T => items[Math.floor(own() * items.length)]!;
  return (n) => {
    while (drawn.length <= n) {
      const value = pick(FORMS)(name, pick);
      if (!drawn.includes(value)) drawn.push(value);
    }
    return drawn[n]!;
  };
}

/** Encodes `planned`: their entries in that order, with the key centres. `label` names them in the progress. */
export async function encodeAll(
  { context, note }: Pick<Work, "context" | "note">,
  planned: readonly PlannedFact[],
  params: MethodParams,
  label: string,
): Promise<StoredVectors> {
  const { engine, signal } = context;
  const { centres } = await withKeyCentres({ ...context, params }, { entries: [] } as StoredVectors, planned);
  const found = new Map<string, MemoryEntry>();
  const encoding = encodeFacts(engine, planned, params, { centres, ...(signal ? { signal } : {}) });
  for await (const entries of encoding) {
    for (const entry of entries) found.set(entry.id, entry);
    const { size } = found;
    note(`${label}: ${size} of ${many(planned.length, "fact")} encoded`, size / planned.length);
  }
  return { entries: planned.map(({ fact }) => found.get(fact.id)!), centres };
}

/** A recall with its verdict. */
interface Judged {
  readonly recalled: Reconstruction;
  readonly exact: boolean;
  readonly fidelity: number;
  /** Whether the fact's own key won and the gate opened. */
  readonly won: boolean;
}

/** Recalls `asked`, entries of `facts` in their order, from `stored`, and compares the result with the facts. */
export async function judgeAll(
  { engine }: Pick<StudyContext, "engine">,
  stored: StoredVectors,
  asked: readonly MemoryEntry[],
  facts: readonly Fact[],
  params: ReadParams,
): Promise<Judged[]> {
  const reader = openReader(engine, stored, params);
  try {
    return await judge(engine, reader, asked, facts, params);
  } finally {
    reader.dispose();
  }
}

/** As {@link judgeAll}, from an open reader. */
export async function judge(
  engine: Engine,
  reader: MemoryReader,
  asked: readonly MemoryEntry[],
  facts: readonly Fact[],
  params: ReadParams,
): Promise<Judged[]> {
  const recalled = await reader.recall(asked, params);
  return recalled.map((one, i): Judged => {
    const fact = facts[i]!;
    const stored = wholeTokens(engine, fact, fact.value, isCoded([asked[i]!]));
    return {
      recalled: one,
      exact: sameTokens(one.tokens, stored),
      fidelity: tokenF1(one.tokens, stored),
      won: one.read.winner === asked[i]!.id && one.read.gateOpen,
    };
  });
}

export const recallMeasures = (judged: readonly Judged[]) => ({
  exact: share(judged, ({ exact }) => exact),
  fidelity: measured(judged.map(({ fidelity }) => fidelity)),
});

/** The first fact that came back wrong, in words. */
export function noteOf(judged: readonly Judged[], facts: readonly Fact[]): Pick<CaseRecord, "note"> {
  const at = judged.findIndex(({ exact }) => !exact);
  return at < 0 ? {} : { note: `“${facts[at]!.value}” came back as “${judged[at]!.recalled.text}”` };
}
