/** @file Test support: contexts for the arrows, on the bundled model or a random one, with and without a probe. */

import type { LocalEngine } from "../../engine/localEngine.ts";
import { makeDocument } from "../../ingest/text.ts";
import { charOffset, factId, layerIndex, type FactId } from "../../records/ids.ts";
import type { Memory } from "../../records/memory.ts";
import { SHARP, type MethodParams } from "../../records/params.ts";
import type { Document } from "../../records/source.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { Store } from "../../store/port.ts";
import type { FlowContext } from "../context.ts";

/** Time for a hook on a machine that does other things as well. */
export const HOOK_MS = 180_000;

/** No words of the model where none are judged, and no probe of the part length. */
export const QUICK: MethodParams = { ...SHARP, anchors: "rules", answerTokens: 4, partTokens: 14 };

/** A routing index with questions and a vector per fact. */
export const FULL_INDEX = { factVectors: true, questionsPerFact: 3 } as const;
/** Anchors are ranked by words and vectors, as in the paper. */
export const BY_ANCHORS = { ...FULL_INDEX, ranking: "anchors", routing: "fused" } as const;

export function context(engine: FlowContext["engine"], over: Partial<FlowContext> = {}): FlowContext {
  return {
    engine,
    store: inMemoryStore(),
    params: QUICK,
    now: () => performance.now(),
    date: () => "2026-01-01T00:00:00Z",
    ...over,
  };
}

/** A memory without facts whose storage layers are set: memorising into it needs no probe. */
export const emptyMemory = (engine: LocalEngine, layers: readonly number[]): Memory => ({
  model: engine.model,
  params: QUICK,
  embedder: engine.embedder,
  layers: layers.map(layerIndex),
  sources: [],
  entries: [],
  routing: [],
  waiting: [],
  salts: ["5a17"],
});

/** `store` with such a memory in it. */
export async function seeded(
  engine: LocalEngine,
  layers: readonly number[],
  store: Store = inMemoryStore(),
): Promise<Store> {
  await store.save(emptyMemory(engine, layers));
  return store;
}

export const documentOf = (sentences: readonly string[], title = "story"): Document =>
  makeDocument(title, sentences.join(" "));

/** The sentences of texts made by {@link documentOf}, by the facts at their places: a memory has no words. */
export const valuesIn = (...texts: readonly (readonly string[])[]): ReadonlyMap<FactId, string> =>
  new Map(
    texts.flatMap((sentences) => {
      const { id } = documentOf(sentences);
      let at = 0;
      return sentences.map((sentence) => {
        const offset = charOffset(at);
        at += sentence.length + 1;
        return [factId(id, offset), sentence] as const;
      });
    }),
  );

/** What the provisional model stores exactly in a few steps. */
export const STORY = [
  "Mary moved to the garden.",
  "John went to the hallway.",
  "Sandra picked up the football there.",
  "Mary journeyed to the bathroom.",
  "Sandra went to the kitchen.",
  "Daniel went to the office.",
];

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
  "Bernhard",
  "Yann",
  "Antoine",
];
const PLACES = ["garden", "hallway", "kitchen", "bathroom", "office", "bedroom"];
const MOVES = ["moved", "went", "journeyed", "travelled"];

/** Template facts, each sentence once: `rounds` facts about every one of sixteen people. */
export const template = (rounds: number): string[] =>
  Array.from({ length: rounds }, (_, round) =>
    NAMES.map((name, i) => `${name} ${MOVES[round % 4]} to the ${PLACES[(i + round) % PLACES.length]}.`),
  ).flat();
