/** @file Trains a writer for the open model on the sentences of texts, cut into parts as memorising cuts them. */

import type { Lesson, Taught, Teaching, WriterAbout } from "../engine/engine.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { sha256Hex } from "../lib/hash.ts";
import { seeded } from "../lib/rng.ts";
import { median, spread } from "../lib/stats.ts";
import { partsOf, recallPrompt, wholeTokens } from "../memory/parts.ts";
import type { Fact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import { SHARP } from "../records/params.ts";
import { UNPROBED_TOKENS } from "../records/plan.ts";
import type { Document } from "../records/source.ts";
import type { FlowContext } from "./context.ts";
import { ruleFacts } from "./estimateRun.ts";
import { encodeAll, planLayers, withRecordedLayers } from "./layerProbe.ts";

export interface TeachContext extends Omit<FlowContext, "onProgress"> {
  readonly openTeaching: (from: WriterAbout | Uint8Array, longest: number) => Teaching;
  readonly onProgress?: ((progress: TeachProgress) => void) | undefined;
  /** Gets a file that the training can go on from: each minute, when it is cancelled or fails, and before the test. */
  readonly onKept?: ((training: Uint8Array) => Promise<void>) | undefined;
}

export interface TeachProgress extends Taught {
  readonly stage: "layers" | "size" | "steps" | "test";
  /** Share of tokens that lead, over the last fifty steps. */
  readonly right: number;
}

export interface TaughtWriter extends Taught {
  /** The writer.safetensors of the model's folder. */
  readonly file: Uint8Array;
  readonly layers: readonly number[];
  /** Parts of sentences that were kept apart, and how many of them the writer writes exactly. */
  readonly tested: { readonly exact: number; readonly of: number };
}

interface TeachOptions {
  readonly minutes: number;
  /** Storage layers; those of the probe by default. */
  readonly layers?: readonly LayerIndex[] | undefined;
  /** A training to go on with, from {@link TeachContext.onKept}. */
  readonly kept?: Uint8Array | undefined;
}

/** Whether a sentence tests the writer and teaches nothing, a tenth: by its words, so that a training with more texts keeps it apart. */
export const isKeptApart = (sentence: string): boolean =>
  Number.parseInt(sha256Hex(sentence).slice(0, 4), 16) % 10 === 0;

const TESTED_PARTS = 512;
const FEWEST_SENTENCES = 50;

/**
 * Trains for `minutes` in all, with those of `kept`. @throws if the texts are too short, no layer stores facts or `kept` is of
 * other layers, and Cancelled
 */
export async function teachWriter(
  context: TeachContext,
  documents: readonly Document[],
  { minutes, layers, kept }: TeachOptions,
): Promise<TaughtWriter> {
  const { engine, now, signal, onProgress, onKept } = context;
  const found = (await ruleFacts(documents, SHARP)).facts;
  const facts = [...new Map(found.map((fact) => [fact.value, fact])).values()];
  assert(
    facts.length >= FEWEST_SENTENCES,
    () =>
      `flow: a writer learns from the sentences of texts: ${facts.length} different ones were found, at least ${FEWEST_SENTENCES} are needed. ` +
      "Add a longer text, such as a book in the language that you will memorise",
  );
  const own = facts.filter(({ value }) => !isKeptApart(value));
  const longest = longestPrompt(context, own);
  const about = kept ?? (await shapeOf(context, own, layers));
  const teaching = context.openTeaching(about, longest);
  try {
    const learned = teaching.about.layers.join(", ");
    assert(
      !layers || layers.join(", ") === learned,
      () =>
        `flow: the training that was kept is for layers ${learned}, and ${layers!.join(", ")} were asked for. ` +
        "Leave the layers out to go on with it, or remove its file to start again",
    );
    const lessons = new Lessons(context, teaching, own, longest);
    const soFar = { ...teaching.before };
    const began = now() - soFar.seconds * 1000;
    let [right, keptAt] = [0, soFar.seconds];
    const tell = (stage: TeachProgress["stage"]): void => onProgress?.({ stage, ...soFar, right });
    const keep = async (): Promise<void> => onKept?.(await teaching.file(soFar));
    try {
      while (soFar.seconds < minutes * 60) {
        throwIfCancelled(signal, "flow: teaching");
        const step = soFar.steps + 1;
        const rate = rateAt(step, soFar.seconds / (minutes * 60), engine.model.dModel);
        const drawn = lessons.draw(seeded(step));
        const led = (await teaching.step(drawn, { step, rate, margin: MARGIN })).flat();
        right +=
          (led.filter(Boolean).length / led.length - right) / Math.min(50, step - teaching.before.steps);
        Object.assign(soFar, { steps: step, seconds: (now() - began) / 1000 });
        tell("steps");
        if (soFar.seconds - keptAt < KEPT_EVERY_S) continue;
        await keep();
        keptAt = soFar.seconds;
      }
    } catch (error) {
      // Of a lost device nothing can be read; the file of the minute before stays.
      await keep().catch(() => undefined);
      throw error;
    }
    // The test may be cancelled.
    await keep();
    tell("test");
    const tested = await lessons.test(facts.filter(({ value }) => isKeptApart(value)));
    return { file: await teaching.file(), layers: teaching.about.layers, tested, ...soFar };
  } finally {
    teaching.dispose();
  }
}

/** Logits by which a target is to lead: more than is tested, so that rounding δ leaves it exact. */
const MARGIN = 2;
const KEPT_EVERY_S = 60;

const PEAK_RATE = 2e-3;
const PEAK_WIDTH = 256;
const WARM_UP_STEPS = 200;
const DECAY_SHARE = 0.35;

/** A warm-up, a plateau, and a linear decay over the last 35 % of the time. Wider models take smaller steps. */
const rateAt = (step: number, share: number, dModel: number): number =>
  PEAK_RATE *
  Math.sqrt(PEAK_WIDTH / dModel) *
  Math.min(1, step / WARM_UP_STEPS) *
  Math.min(1, Math.max(0.02, (1 - share) / DECAY_SHARE));

/** Parts per fact whose prompts a lesson may have: κ(e, j), κ(e, j, 2) and κ(e, j, 3). */
const PROMPTS = 3;

/** Tokens of a prompt that is longer than those of 95 % of the facts: each column is computed for all rows. */
function longestPrompt({ engine }: TeachContext, facts: readonly Fact[]): number {
  const sampled = spread(facts, 256).map(
    (fact) => recallPrompt(engine, { ...fact, part: PROMPTS }).ids.length,
  );
  return sampled.toSorted((a, b) => a - b)[Math.floor(0.95 * (sampled.length - 1))]!;
}

/** Share of a lesson's tokens that are replaced by any others: no text has all names. One lesson in eight is half of them, as codes are. */
const STRANGE = 0.05;
const CODES = { lessons: 1 / 8, strange: 1 / 2 };

class Lessons {
  constructor(
    private readonly context: TeachContext,
    private readonly teaching: Teaching,
    private readonly facts: readonly Fact[],
    private readonly longest: number,
  ) {}

  /** Lessons of one layer, each from any place of a sentence, longer ones more often: most parts are long. */
  draw(random: () => number): Lesson[] {
    const { engine } = this.context;
    const { layers, places } = this.teaching.about;
    const pick = (count: number): number => Math.floor(random() * count);
    const layer = layers[pick(layers.length)]!;
    const lessons: Lesson[] = [];
    while (lessons.length < this.teaching.batch) {
      const fact = this.facts[pick(this.facts.length)]!;
      const tokens = wholeTokens(engine, fact, fact.value, false);
      const prompt = recallPrompt(engine, { ...fact, part: 1 + pick(PROMPTS) });
      if (prompt.ids.length > this.longest || tokens.length === 0) continue;
      const length = Math.min(tokens.length, 1 + Math.max(pick(places), pick(places)));
      const start = pick(tokens.length - length + 1);
      const strange = random() < CODES.lessons ? CODES.strange : STRANGE;
      const targets = tokens
        .slice(start, start + length)
        .map((id) => (random() < strange ? this.#strange(pick) : id));
      lessons.push({ layer, prompt, targets });
    }
    return lessons;
  }

  #strange(pick: (count: number) => number): number {
    const { engine } = this.context;
    for (;;) {
      const id = pick(engine.model.vocabulary);
      if (engine.decode([id]) !== "") return id;
    }
  }

  /** How many parts of `facts` are exact with the margin that memorising asks for. */
  async test(facts: readonly Fact[]): Promise<TaughtWriter["tested"]> {
    const { teaching, longest } = this;
    const { layers, part: partTokens } = teaching.about;
    const { engine, signal } = this.context;
    const parts = facts
      .flatMap((fact) => partsOf(engine, fact, { ...SHARP, partTokens }))
      .filter(({ prompt }) => prompt.ids.length <= longest);
    const lessons = spread(parts, TESTED_PARTS).map((part, i) => ({
      ...part,
      layer: layers[i % layers.length]!,
    }));
    let exact = 0;
    for (const alike of groupBy(lessons, ({ layer }) => layer).values())
      for (const some of chunks(alike, teaching.batch)) {
        const led = await teaching.step(some, { step: 1, rate: 0, margin: SHARP.margin }, signal);
        exact += led.filter((part) => part.every(Boolean)).length;
      }
    return { exact, of: lessons.length };
  }
}

/** Facts that Adam encodes, to see the size of vectors that this model takes. */
const SIZED_FACTS = 16;
/** Numbers of a writer's sum at most: a wider one has a file of over 10 MB. */
const WIDEST = 384;
/** Share of the model's layers whose states a writer reads: three of the bundled model's eight. */
const READ_SHARE = 3 / 8;

/** A writer for the model: storage layers by the probe, and the size of δ that Adam finds from zero. */
async function shapeOf(
  context: TeachContext,
  facts: readonly Fact[],
  given: readonly LayerIndex[] | undefined,
): Promise<WriterAbout> {
  const { engine, signal, onProgress } = context;
  const params = { ...SHARP, start: "zero", partTokens: UNPROBED_TOKENS } as const;
  const tell = (stage: TeachProgress["stage"]) => () =>
    onProgress?.({ stage, steps: 0, seconds: 0, right: 0 });
  const probing = withRecordedLayers({ ...context, params, onProgress: tell("layers") });
  const layers = given ?? (await planLayers(probing)).layers;
  const planned = spread(facts, SIZED_FACTS).map((fact, i) => ({ fact, layer: layers[i % layers.length]! }));
  const entries = await encodeAll(engine, planned, params, { signal, onProgress: tell("size") });
  const norms = entries.flatMap(({ report }) => (report.exact ? [report.deltaNorm] : []));
  const { name, sha256, dModel, layers: depth } = engine.model;
  assert(
    norms.length >= entries.length / 2,
    () =>
      `flow: at layers ${layers.join(", ")} of ${name} Adam makes ${norms.length} of ${entries.length} parts exact, ` +
      "and a writer can do no better. Choose other layers, or another model",
  );
  return {
    ...{ model: name, sha256, layers: [...layers], places: UNPROBED_TOKENS, part: UNPROBED_TOKENS },
    reads: Math.max(1, Math.round(READ_SHARE * depth)),
    size: median(norms) / Math.sqrt(dModel),
    ...(dModel > WIDEST && { width: WIDEST }),
    normed: true,
  };
}
