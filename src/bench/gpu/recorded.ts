/**
 * @file Decoding and encoding in recorded steps beside the same steps fed, in turns: what a device gains that records its
 * commands. onnxruntime-node's records none, so that this is measured in a browser.
 */

import { decode, prefill } from "../../engine/roles.ts";
import { openEncoder } from "../../engine/encoder.ts";
import { RECORDED_LOGITS } from "../../engine/encodeSessions.ts";
import type { Encoder, EncodeRow } from "../../engine/engine.ts";
import { beginFixed } from "../../engine/fixedDecoding.ts";
import type { LocalEngine } from "../../engine/localEngine.ts";
import { disposeAll, pasts, type Feeds } from "../../engine/runner.ts";
import { precisionTest } from "../../engine/selftest.ts";
import type { Precision } from "../../lib/precision.ts";
import { median } from "../../lib/stats.ts";
import type { Device } from "../../runtime/device.ts";
import { ADAM, DECODED, MadeTokens, middleLayer, PROMPT, secondsOf, VALUE } from "./made.ts";

/** Fed and recorded, or why nothing was recorded. */
export type FedAndRecorded =
  { readonly fed: number; readonly recorded: number } | { readonly refused: string };

export interface RecordedFigures {
  /** Tokens a second of one row behind a prompt. */
  readonly decode: FedAndRecorded;
  /** Milliseconds of an encoding step of {@link ROWS} facts at the middle layer. */
  readonly encode: FedAndRecorded;
}

/** Facts of a step that is recorded: with real vocabularies few, since what it computes with stays. */
export const ROWS = 2;
const TURNS = 2;
/** Steps of a turn, and those at the beginning of the first that are not counted: they make kernels and commands. */
const STEPS = 6;
const WARM_UP = 3;

/** Both, on a device that records; null on one that does not. */
export async function measureRecorded(
  engine: LocalEngine,
  device: Device,
  precision: Precision,
): Promise<RecordedFigures | null> {
  if (!device.createFixedSession) return null;
  const { programs } = engine.runner;
  // As the page does: a precision's steps are recorded where a self-test has said so.
  if (precision !== "f32") programs.recordsSteps = (await precisionTest(device, precision)).recording;
  return { decode: await decodeInTurns(engine), encode: await encodeInTurns(engine) };
}

async function decodeInTurns(engine: LocalEngine): Promise<FedAndRecorded> {
  const { runner } = engine;
  const ids = new MadeTokens(engine).ids(PROMPT);
  const times = { fed: [] as number[], recorded: [] as number[] };
  for (let turn = 0; turn < TURNS; turn++) {
    times.fed.push(...(await fedTokens(engine, ids)));
    const length = PROMPT + DECODED;
    const feeds = runner.tokens([ids], { pads: [0], past: 0, length });
    const read = await runner.forward(prefill(1), feeds);
    const next = [Number((await read["next"]!.read())[0])];
    const started = { pads: [0], past: PROMPT, length, cache: pasts(read), next };
    const fixed = await beginFixed(runner, started, DECODED);
    disposeAll(feeds, read);
    if (!fixed) return { refused: runner.programs.fixed.refused ?? "no cache of this length is recorded" };
    for (let t = 0; t < DECODED; t++) times.recorded.push(await secondsOf(() => fixed.step()));
    fixed.end();
  }
  return { fed: 1 / median(times.fed), recorded: 1 / median(times.recorded) };
}

/** Seconds of each token behind a prompt, one token a run, with the cache that grows; the first two are not counted. */
export async function fedTokens({ runner }: LocalEngine, ids: readonly number[]): Promise<number[]> {
  const length = ids.length + DECODED;
  const first = runner.tokens([ids], { pads: [0], past: 0, length });
  let outputs: Feeds = await runner.forward(prefill(1), first);
  disposeAll(first);
  const times: number[] = [];
  for (let t = 0; t < DECODED; t++) {
    const feeds = runner.tokens([[ids[t]!]], { pads: [0], past: ids.length + t, length });
    const before = outputs;
    times.push(
      await secondsOf(async () => {
        outputs = await runner.forward(decode(1), { ...feeds, ...pasts(before) });
        await outputs["next"]!.read();
      }),
    );
    disposeAll(feeds, before);
  }
  disposeAll(outputs);
  return times.slice(2);
}

async function encodeInTurns(engine: LocalEngine): Promise<FedAndRecorded> {
  const { runner, model } = engine;
  if (!runner.programs.recordsSteps)
    return { refused: "recorded steps came out otherwise in the self-test of this precision" };
  const tokens = Math.min(VALUE, Math.floor(RECORDED_LOGITS / (ROWS * model.vocabulary)));
  if (tokens < 1) return { refused: `${model.vocabulary} logits are too many to be kept` };
  const facts = new MadeTokens(engine).facts(ROWS, tokens);
  const options = { layer: middleLayer(engine), ...ADAM };
  const fed = await openEncoder(runner, facts, { ...options, fedSteps: Infinity });
  const recorded = await openEncoder(runner, facts, { ...options, fedSteps: 0 });
  try {
    const times = { fed: [] as number[], recorded: [] as number[] };
    for (let turn = 0; turn < TURNS; turn++) {
      times.fed.push(...(await stepTimes(fed, facts, turn)));
      times.recorded.push(...(await stepTimes(recorded, facts, turn)));
    }
    if (!recorded.recorded) return { refused: "no session could be recorded; there may be no room for it" };
    return { fed: 1000 * median(times.fed), recorded: 1000 * median(times.recorded) };
  } finally {
    fed.dispose();
    recorded.dispose();
  }
}

/** Seconds of the steps of a turn. */
export async function stepTimes(
  encoder: Encoder,
  facts: readonly EncodeRow[],
  turn: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 1; i <= STEPS; i++) {
    const rows = facts.map(() => ({ rate: 0.1, step: turn * STEPS + i, stop: false }));
    times.push(await secondsOf(() => encoder.step(rows)));
  }
  return turn === 0 ? times.slice(WARM_UP) : times;
}
