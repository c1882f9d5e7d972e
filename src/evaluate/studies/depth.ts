/**
 * @file Needle depth: facts are hidden at several depths of one text, the text is memorised and thrown away, and each
 * fact is asked for in plain words. Every needle is about somebody that the text does not know.
 */

import { many } from "../../lib/format.ts";
import { answer, openMemory } from "../../flow/answer.ts";
import { memorize } from "../../flow/memorize.ts";
import { makeDocument } from "../../ingest/text.ts";
import { assert, present } from "../../lib/assert.ts";
import { seeded, shuffled } from "../../lib/rng.ts";
import { layerIndex } from "../../records/ids.ts";
import type { Document } from "../../records/source.ts";
import { flowContext, type Reader, type Study, type Work } from "./study.ts";

/** Roughly, in prose; and what an answer recalls and generates. */
const CHARACTERS_PER_FACT = 80;
const FACTS_PER_ANSWER = 8;

const idOf = (depth: number, n: number) => `depth/${depth}/${n + 1}`;
const depthsOf = (settings: Reader) => settings.numbers("depths", { least: 0 });

/** One hidden fact. */
export interface Needle {
  readonly id: string;
  readonly depth: number;
  readonly sentence: string;
  readonly question: string;
  /** A word the answer must hold. */
  readonly word: string;
}

const NAMES = [
  "Mary",
  "John",
  "Sandra",
  "Daniel",
  "Fred",
  "Bill",
  "Jeff",
  "Julie",
  "Jason",
  "Emily",
  "Brian",
  "Greg",
  "Lily",
  "Yann",
  "Antoine",
  "Bernhard",
];
const PLACES = ["garden", "hallway", "kitchen", "bathroom", "office", "bedroom"];

/** The needles of a run. @throws when there are more than names that the text does not use */
export function needlesOf(text: string, depths: readonly number[], each: number, seed: number): Needle[] {
  const random = seeded(seed);
  const names = shuffled(NAMES, random).filter((name) => !text.includes(name));
  const count = depths.length * each;
  assert(
    count <= names.length,
    () =>
      `bench: depth: ${many(count, "fact")} are to be hidden, the text leaves ${names.length} names; lower needles`,
  );
  return depths.flatMap((depth, d) =>
    Array.from({ length: each }, (_, n) => {
      const name = names[d * each + n]!;
      const word = PLACES[Math.floor(random() * PLACES.length)]!;
      return {
        id: idOf(depth, n),
        depth,
        sentence: `${name} went to the ${word}.`,
        question: `Where is ${name}?`,
        word,
      };
    }),
  );
}

/** The text with each needle as a paragraph of its own at the end of the sentence nearest to its depth. */
export function hide(text: string, needles: readonly Needle[]): string {
  const ends = [
    0,
    ...Array.from(text.matchAll(/[.!?]["'”’)]*(?=\s)/g), ({ 0: end, index }) => index + end.length),
    text.length,
  ];
  const placed = needles.map((needle) => {
    const wanted = (needle.depth / 100) * text.length;
    const at = ends.reduce((best, end) => (Math.abs(end - wanted) < Math.abs(best - wanted) ? end : best), 0);
    return { at, sentence: needle.sentence };
  });
  return placed
    .toSorted((a, b) => b.at - a.at)
    .reduce(
      (whole, { at, sentence }) => `${whole.slice(0, at)}\n\n${sentence}\n\n${whole.slice(at).trimStart()}`,
      text,
    )
    .trim();
}

export const depth: Study = {
  plan: (settings) =>
    depthsOf(settings).flatMap((at) =>
      Array.from({ length: settings.count("needles") }, (_, n) => idOf(at, n)),
    ),

  // One text is memorised for all; how many facts it holds is known then.
  cost: (settings) => ({
    group: () => "text",
    encodes: Math.ceil(settings.count("characters", 200) / CHARACTERS_PER_FACT),
    recalls: FACTS_PER_ANSWER,
  }),

  async *cases({ context, settings, wanted, note }: Work) {
    const document = present(
      context.document,
      () => "bench: depth: a text is needed to hide facts in; choose a document",
    );
    const text = cut(document, settings.count("characters", 200));
    const needles = needlesOf(text, depthsOf(settings), settings.count("needles"), context.seed);
    if (!needles.some(({ id }) => wanted(id))) return;
    const layers = settings.numbers("layers", { least: 0, whole: true }).map(layerIndex);
    await context.store.clear();
    const { plan } = await memorize({ ...flowContext(context, note), layers }, [
      makeDocument(`${document.title} with hidden facts`, hide(text, needles)),
    ]);
    const memory = present(await context.store.open(), () => "bench: depth: the text was not stored");
    const open = openMemory(context.engine, memory, context.params);
    try {
      for (const needle of needles) {
        if (!wanted(needle.id)) continue;
        note(`${needle.question} (hidden at ${needle.depth} %)`);
        const from = context.now();
        const said = await answer(open, needle.question, { now: context.now });
        const stored = plan.retained.find(({ value }) => value === needle.sentence);
        const recalled = said.recalled.find(({ id }) => id === stored?.id);
        yield {
          kind: "case",
          id: needle.id,
          inputs: { depth: needle.depth, sentence: needle.sentence, question: needle.question },
          measures: {
            extracted: Number(stored !== undefined),
            routed: Number(recalled !== undefined),
            recalled: Number(recalled?.text === needle.sentence),
            right: Number(said.text.toLowerCase().includes(needle.word)),
            facts: plan.retained.length,
            characters: text.length,
          },
          note: said.text,
          milliseconds: context.now() - from,
        };
      }
    } finally {
      open.dispose();
    }
  },
};

/** The text's beginning, up to the last sentence end within `characters`. */
function cut({ text }: Document, characters: number): string {
  if (text.length <= characters) return text;
  const head = text.slice(0, characters);
  const end = Math.max(head.lastIndexOf(". "), head.lastIndexOf(".\n"));
  return end > 0 ? head.slice(0, end + 1) : head;
}
