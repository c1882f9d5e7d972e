/**
 * @file The plain recipe that encoding is measured against: one fact at a time, the whole model at every position
 * with logits everywhere, a fixed number of Adam steps, then free-running greedy decoding. No part of it is slowed
 * down: the decoding check keeps a cache, and the backward pass stops at the storage layer.
 */

import type { EncoderOptions, RecallPrompt } from "../../../src/engine/engine.ts";
import { decode } from "../../../src/engine/roles.ts";
import { disposeAll, numbers, pasts, type Feeds, type Runner } from "../../../src/engine/runner.ts";
import type { ForwardOptions } from "../../../src/graph/programs/forward.ts";
import { naive } from "../../checks/catalog.ts";

/** A fact as tokens, with where and how it is stored. */
export interface NaiveJob {
  readonly prompt: RecallPrompt;
  /** v: the value's tokens. */
  readonly targets: readonly number[];
  readonly step: EncoderOptions;
  readonly rate: number;
  readonly steps: number;
}

/** The result of the recipe. */
export interface NaiveResult {
  readonly activation: Float32Array; // a(λ) at the key token, [dFf]
  readonly residual: Float32Array; // [dModel]
  /** The freely decoded tokens. */
  readonly decoded: readonly number[];
}

/** Encodes one fact by the plain recipe. */
export async function encodeNaively(runner: Runner, job: NaiveJob): Promise<NaiveResult> {
  const activation = await readKey(runner, job);
  const residual = await optimise(runner, job);
  return { activation, residual, decoded: await decodeFreely(runner, job, residual) };
}

/** The address activation, from one pass over the prompt. */
async function readKey(runner: Runner, { prompt, step: { layer } }: NaiveJob): Promise<Float32Array> {
  const length = prompt.ids.length;
  const taps = { layers: [layer], positions: "all" } as const;
  const feeds = runner.tokens([prompt.ids], { pads: [0], past: 0, length });
  const outputs = await runner.forward({ name: `naive.key.${layer}`, batch: 1, head: "next", taps }, feeds);
  const data = (await outputs[`activation.${layer}`]!.read()) as Float32Array;
  disposeAll(feeds, outputs);
  const width = runner.config.dFf;
  return data.slice(prompt.keyPosition * width, (prompt.keyPosition + 1) * width);
}

/** All steps, from δ = 0. */
async function optimise(runner: Runner, job: NaiveJob): Promise<Float32Array> {
  const session = await runner.session(naive(1, job.step));
  const fixed = fixedFeeds(runner, job);
  const zeros = () => runner.floats(new Float32Array(runner.config.dModel), [1, runner.config.dModel]);
  let state: Feeds = { delta: zeros(), m: zeros(), v: zeros() };
  for (let t = 1; t <= job.steps; t++) {
    const settings = stepFeeds(runner, job, t);
    const outputs = await session.run({ ...fixed, ...settings, ...state });
    disposeAll(settings, state);
    state = { delta: outputs["delta.next"]!, m: outputs["m.next"]!, v: outputs["v.next"]! };
    for (const name of ["loss", "hits", "gradient"]) outputs[name]!.dispose();
  }
  const residual = ((await state["delta"]!.read()) as Float32Array).slice();
  disposeAll(fixed, state);
  return residual;
}

/** Prompt and value (its last token predicts nothing), the place of the key token, and the targets at their positions. */
function fixedFeeds(runner: Runner, { prompt, targets }: NaiveJob): Feeds {
  const ids = [...prompt.ids, ...targets.slice(0, -1)];
  const time = ids.length;
  const at = new Float32Array(time);
  at[prompt.keyPosition] = 1;
  const wanted = new Int32Array(time);
  const mask = new Float32Array(time);
  for (const [t, id] of targets.entries()) {
    wanted[prompt.ids.length - 1 + t] = id;
    mask[prompt.ids.length - 1 + t] = 1;
  }
  return {
    ...runner.tokens([ids], { pads: [0], past: 0, length: time }),
    at: runner.floats(at, [1, time, 1]),
    targets: runner.programs.device.upload(wanted, "int32", [1, time], "encode"),
    mask: runner.floats(mask, [1, time]),
  };
}

function stepFeeds(runner: Runner, { rate, step: { beta1, beta2 } }: NaiveJob, t: number): Feeds {
  const scalar = (value: number) => runner.floats(new Float32Array([value]), [1, 1]);
  return {
    rate: scalar(rate),
    correction1: scalar(1 / (1 - beta1 ** t)),
    correction2: scalar(1 / (1 - beta2 ** t)),
    stop: scalar(0),
  };
}

/** Greedy decoding with the residual at the key token, bounded by the value's length. */
async function decodeFreely(runner: Runner, job: NaiveJob, residual: Float32Array): Promise<number[]> {
  const { prompt, targets, step } = job;
  const past = prompt.ids.length;
  const length = past + targets.length;
  const { layers, dModel } = runner.config;
  const at = new Float32Array(past * layers);
  at[prompt.keyPosition * layers + step.layer] = 1;
  const run = async (options: ForwardOptions, feeds: Feeds) => {
    const outputs = await runner.forward(options, feeds);
    disposeAll(feeds);
    return outputs;
  };
  let outputs = await run(NAIVE_PROMPT, {
    ...runner.tokens([prompt.ids], { pads: [0], past: 0, length }),
    delta: runner.floats(residual, [1, dModel]),
    at: runner.floats(at, [1, past, layers]),
  });
  const decoded: number[] = [];
  for (;;) {
    const [next] = await numbers(outputs["next"]!);
    decoded.push(next!);
    outputs["next"]!.dispose();
    if (decoded.length === targets.length) break;
    const shape = { pads: [0], past: past + decoded.length - 1, length };
    outputs = await run(decode(1), { ...runner.tokens([[next!]], shape), ...pasts(outputs) });
  }
  disposeAll(pasts(outputs));
  return decoded;
}

/** The whole prompt with a residual at its key token. */
const NAIVE_PROMPT: ForwardOptions = {
  name: "naive.inject",
  batch: 1,
  head: "next",
  cache: true,
  inject: true,
};
