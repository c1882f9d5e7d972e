/** @file Trains a writer for the open model on the sentences of texts: lessons are cut from them as memorising would cut them. */

import type { Engine } from "../engine/engine.ts";
import type { Lesson, Teaching } from "../engine/teaching.ts";
import type { WriterAbout } from "../engine/writer.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { groupBy, chunks } from "../lib/group.ts";
import { seeded } from "../lib/rng.ts";
import { median, spread } from "../lib/stats.ts";
import { partsOf, recallPrompt, valueTokens } from "../memory/parts.ts";
import { UNPROBED_TOKENS } from "../records/plan.ts";
import type { Fact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import { SHARP } from "../records/params.ts";
import type { Document } from "../records/source.ts";
import type { FlowContext } from "./context.ts";
import { ruleFacts } from "./estimateRun.ts";
import { encodeAll, planLayers } from "./layerProbe.ts";

/** An engine that trains writers: one on a device of this thread. */
export interface TeachableEngine extends Engine {
  openTeaching(from: WriterAbout | Uint8Array, time: number): Teaching;
}

export interface TeachContext extends Pick<FlowContext, "now" | "signal" | "cache"> {
  readonly engine: TeachableEngine;
  readonly onProgress?: ((progress: TeachProgress) => void) | undefined;
  /** Gets a file that the training can go on from, each minute and when it is cancelled. */
  readonly onKept?: ((training: Uint8Array) => Promise<void>) | undefined;
}

export interface TeachProgress {
  readonly stage: "layers" | "size" | "steps" | "test";
  readonly seconds: number;
  readonly steps: number;
  /** Share of tokens that lead, over the last steps. */
  readonly right: number;
}

export interface TaughtWriter {
  readonly file: Uint8Array;
  readonly layers: readonly number[];
  readonly steps: number;
  readonly seconds: number;
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

/** Every tenth sentence tests the writer and teaches nothing. */
const KEPT_APART = 10;
const FEWEST_SENTENCES = 50;
const TESTED_PARTS = 512;

/** Trains for `minutes`, with what `kept` has taken. @throws if the texts are too short or no layer stores facts, and Cancelled */
export async function teachWriter(
  context: TeachContext,
  documents: readonly Document[],
  { minutes, layers, kept }: TeachOptions,
): Promise<TaughtWriter> {
  const { engine, now, signal, onProgress, onKept } = context;
  const { facts } = await ruleFacts(documents, SHARP);
  assert(
    facts.length >= FEWEST_SENTENCES,
    () =>
      `flow: a writer learns from the sentences of texts; ${facts.length} were found, at least ${FEWEST_SENTENCES} are needed. ` +
      "Add a longer text: some chapters of any book in the language that you will memorise",
  );
  const own = facts.filter((_, i) => i % KEPT_APART !== KEPT_APART - 1);
  const apart = facts.filter((_, i) => i % KEPT_APART === KEPT_APART - 1);
  const values = own.map((fact) => ({
    fact,
    tokens: valueTokens(engine, fact, recallPrompt(engine, fact), fact.value),
  }));
  const prompts = spread(own, 256).map((fact) => recallPrompt(engine, { ...fact, part: 3 }).ids.length);
  // Longer prompts are rare, and each column is computed for all rows.
  const longest = prompts.toSorted((a, b) => a - b)[Math.floor(0.95 * (prompts.length - 1))]!;
  const teaching = engine.openTeaching(
    kept ?? (await shapeOf(context, own, layers)),
    longest + UNPROBED_TOKENS,
  );
  const { about } = teaching;
  const fits = ({ prompt, targets }: Omit<Lesson, "layer">): boolean =>
    prompt.ids.length <= longest && targets.length <= about.places;
  const strange = strangeTokens(engine);

  function draw(random: () => number): Lesson[] {
    const pick = (count: number): number => Math.floor(random() * count);
    const layer = about.layers[pick(about.layers.length)]!;
    const lessons: Lesson[] = [];
    while (lessons.length < teaching.batch) {
      const { fact, tokens } = values[pick(values.length)]!;
      const length = Math.min(tokens.length, 1 + Math.max(pick(about.places), pick(about.places)));
      const start = pick(tokens.length - length + 1);
      const targets = tokens
        .slice(start, start + length)
        .map((id) => (random() < STRANGE ? strange(random) : id));
      const lesson = { layer, targets, prompt: recallPrompt(engine, { ...fact, part: 1 + pick(3) }) };
      if (fits(lesson)) lessons.push(lesson);
    }
    return lessons;
  }

  try {
    const began = now() - teaching.seconds * 1000;
    const seconds = (): number => (now() - began) / 1000;
    let right = 0;
    let keptAt = seconds();
    try {
      while (seconds() < minutes * 60) {
        throwIfCancelled(signal, "flow: teaching");
        const share = seconds() / (minutes * 60);
        const rate = rateAt(teaching.steps, share, engine.model.dModel);
        const lessons = draw(seeded(1_000_003 + teaching.steps));
        const { hits } = await teaching.step(lessons, { rate, margin: MARGIN, seconds: seconds() }, signal);
        const hit = hits.flat();
        right += (hit.filter(Boolean).length / hit.length - right) / Math.min(50, teaching.steps);
        onProgress?.({ stage: "steps", seconds: seconds(), steps: teaching.steps, right });
        if (seconds() - keptAt < KEPT_EVERY_S) continue;
        await onKept?.(await teaching.file(true));
        keptAt = seconds();
      }
    } catch (error) {
      if (signal?.aborted) await onKept?.(await teaching.file(true));
      throw error;
    }
    onProgress?.({ stage: "test", seconds: seconds(), steps: teaching.steps, right });
    const parts = apart
      .flatMap((fact) => partsOf(engine, fact, { ...SHARP, partTokens: about.part }))
      .filter(fits);
    const lessons = spread(parts, TESTED_PARTS).map((part, i): Lesson => ({
      ...part,
      layer: about.layers[i % about.layers.length]!,
    }));
    let exact = 0;
    for (const alike of groupBy(lessons, ({ layer }) => layer).values())
      for (const some of chunks(alike, teaching.batch)) {
        const { hits } = await teaching.step(
          some,
          { rate: 0, margin: SHARP.margin, seconds: teaching.seconds },
          signal,
        );
        exact += hits.filter((one) => one.every(Boolean)).length;
      }
    return {
      file: await teaching.file(),
      layers: about.layers,
      steps: teaching.steps,
      seconds: teaching.seconds,
      tested: { exact, of: lessons.length },
    };
  } finally {
    teaching.dispose();
  }
}

/** Logits by which a target is to lead: more than is tested, so that rounding δ leaves it exact. */
const MARGIN = 2;
/** Tokens of a lesson that are replaced by any others: codes and names are not in the texts. */
const STRANGE = 0.05;
const KEPT_EVERY_S = 60;

const PEAK_RATE = 2e-3;
const PEAK_WIDTH = 256;
const WARM_UP_STEPS = 200;
const DECAY_SHARE = 0.35;

/** A warm-up, a plateau, and a linear decay over the last 35 % of the time. Wider models take smaller steps. */
const rateAt = (step: number, share: number, dModel: number): number =>
  PEAK_RATE *
  Math.sqrt(PEAK_WIDTH / dModel) *
  Math.min(1, (step + 1) / WARM_UP_STEPS) *
  Math.min(1, Math.max(0.02, (1 - share) / DECAY_SHARE));

function strangeTokens(engine: Engine): (random: () => number) => number {
  return (random) => {
    for (;;) {
      const id = Math.floor(random() * engine.model.vocabulary);
      if (engine.decode([id]) !== "") return id;
    }
  };
}

/** Facts that Adam encodes, to see the size of vectors that this model takes. */
const SIZED_FACTS = 16;
const WIDEST = 384;

/** Layers by the probe, the size of δ by what Adam finds from zero, and what the writer reads. */
async function shapeOf(
  context: TeachContext,
  facts: readonly Fact[],
  given: readonly LayerIndex[] | undefined,
): Promise<WriterAbout> {
  const { engine, signal, onProgress } = context;
  const tell = (stage: TeachProgress["stage"]) => () =>
    onProgress?.({ stage, seconds: 0, steps: 0, right: 0 });
  const params = { ...SHARP, start: "zero", partTokens: UNPROBED_TOKENS } as const;
  const probing = { ...context, params, onProgress: tell("layers") } as unknown as FlowContext;
  const layers = given ?? (await planLayers(probing)).layers;
  const planned = spread(facts, SIZED_FACTS).map((fact, i) => ({ fact, layer: layers[i % layers.length]! }));
  const entries = await encodeAll(engine, planned, params, { signal, onProgress: tell("size") });
  const norms = entries.flatMap(({ report }) => (report.exact ? [report.deltaNorm] : []));
  const { name, sha256, dModel, layers: depth } = engine.model;
  assert(
    norms.length >= entries.length / 2,
    () =>
      `flow: Adam makes ${norms.length} of ${entries.length} parts exact at layers ${layers.join(", ")} of ${name}; ` +
      "a writer can do no better than that. Choose other layers, or another model",
  );
  return {
    ...{ model: name, sha256, layers: [...layers] },
    ...{ places: UNPROBED_TOKENS, part: UNPROBED_TOKENS },
    reads: Math.max(1, Math.round(READ_SHARE * depth)),
    size: median(norms) / Math.sqrt(dModel),
    ...(dModel > WIDEST && { width: WIDEST }),
    normed: true,
  };
}

/** Share of the model's layers whose states the writer reads: three of the bundled model's eight. */
const READ_SHARE = 3 / 8;
