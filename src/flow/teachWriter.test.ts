/** @file Writers that are trained for tiny models of known behaviour: they write what no lesson had, and go on where they stopped. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, type Opened } from "../engine/testing/models.ts";
import { TRAINING_FILE } from "../engine/teaching.ts";
import { WRITER_FILE } from "../records/model.ts";
import { makeDocument } from "../ingest/text.ts";
import { Cancelled } from "../lib/assert.ts";
import { parseFile } from "../lib/safetensors.ts";
import { NAMES, PLACES, steerable, VERBS } from "../memory/testing/steerable.ts";
import { recallPrompt, valueTokens } from "../memory/parts.ts";
import { layerIndex } from "../records/ids.ts";
import { SHARP } from "../records/params.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { makeFolder } from "../weights/testing/files.ts";
import { isKeptApart, teachWriter, type TeachContext, type TeachProgress } from "./teachWriter.ts";

const SENTENCES = NAMES.flatMap((name) =>
  VERBS.flatMap((verb) => PLACES.map((place) => `${name} ${verb} the ${place}.`)),
);
const document = makeDocument("all sentences", SENTENCES.join("\n\n"));

/** A context whose clock shows a second more at each look: a training of 40 steps takes 40 seconds on it. */
function contextOf({ engine }: Opened, more: Partial<TeachContext> = {}): TeachContext {
  let seconds = 0;
  return {
    ...{ engine, openTeaching: engine.openTeaching, store: inMemoryStore(), params: SHARP },
    now: () => 1000 * seconds++,
    date: () => "2026-11-27T00:00:00Z",
    ...more,
  };
}

const STEPS = 150;
const LAYERS = [layerIndex(0), layerIndex(1)];
const APART = SENTENCES.filter(isKeptApart);
const taught = (context: TeachContext, steps = STEPS, kept?: Uint8Array) =>
  teachWriter(context, [document], { minutes: steps / 60, layers: LAYERS, kept });

describe.each(["MistralForCausalLM", "Phi3ForCausalLM"] as const)("a writer for %s", (family) => {
  let files: Awaited<ReturnType<typeof steerable>>;
  let opened: Opened;
  beforeAll(async () => {
    files = await steerable(family);
    opened = await open(makeFolder(files));
  }, 120_000);
  afterAll(async () => {
    await opened.engine.dispose();
    await opened.device.dispose();
  });

  it("writes sentences that it has not seen, as a file of the model's folder", async () => {
    const { file, tested, steps } = await taught(contextOf(opened));
    expect(steps).toBe(STEPS);
    expect(tested.of).toBe(APART.length);
    expect(tested.exact / tested.of).toBeGreaterThan(0.9);
    const { engine, device } = await open(makeFolder({ ...files, [WRITER_FILE]: new Uint8Array(file) }));
    expect(engine.writer).toMatchObject({ part: 14, layers: [0, 1] });
    // The test ran the weights in float32; the file has them in float16, and the app's own check decides.
    const parts = APART.map((value, i) => {
      const key = { anchor: value.split(" ")[0]!, index: 1 + (i % 4) };
      const prompt = recallPrompt(engine, key);
      return { prompt, targets: valueTokens(engine, key, prompt, value), layer: i % 2 };
    });
    const deltas = await engine.write(parts);
    const checked = await engine.check(
      parts.map((part, i) => ({ ...part, injection: { layer: part.layer, residual: deltas[i]! } })),
    );
    const exact = checked.filter(({ margin }) => margin >= SHARP.margin).length;
    expect(exact / parts.length).toBeGreaterThan(0.9);
    await engine.dispose();
    await device.dispose();
  });

  it("goes on where it was cancelled, to the weights of a training that was not", async () => {
    const whole = await taught(contextOf(opened), 24);
    const stop = new AbortController();
    let kept: Uint8Array | undefined;
    const onKept = async (file: Uint8Array) => void (kept = file);
    const onProgress = ({ steps }: TeachProgress) => steps === 10 && stop.abort(new Cancelled("stop"));
    const first = taught(contextOf(opened, { signal: stop.signal, onKept, onProgress }), 24);
    await expect(first).rejects.toThrow(Cancelled);
    expect(JSON.parse(parseFile(kept!, TRAINING_FILE).metadata["taught"]!)).toEqual({
      steps: 10,
      seconds: 10,
    });
    const again = await taught(contextOf(opened), 24, kept);
    expect(again).toEqual(whole);
  });

  it("is kept when its test is cancelled, and goes on with its own layers only", async () => {
    const stop = new AbortController();
    let kept: Uint8Array | undefined;
    const onKept = async (file: Uint8Array) => void (kept = file);
    const onProgress = ({ stage }: TeachProgress) => stage === "test" && stop.abort();
    const tested = taught(contextOf(opened, { signal: stop.signal, onKept, onProgress }), 3);
    await expect(tested).rejects.toThrow(/cancelled|abort/i);
    expect(JSON.parse(parseFile(kept!, TRAINING_FILE).metadata["taught"]!)).toMatchObject({ steps: 3 });
    const other = teachWriter(contextOf(opened), [document], { minutes: 1, layers: [layerIndex(2)], kept });
    await expect(other).rejects.toThrow(/kept is for layers 0, 1, and 2 were asked for/);
    const cut = taught(contextOf(opened), 3, kept!.slice(0, kept!.length / 2));
    await expect(cut).rejects.toThrow(/writer\.training\.safetensors cannot go on; remove the file/);
  });
});

it("keeps a tenth of the sentences apart", () => {
  expect(APART.length / SENTENCES.length).toBeGreaterThan(0.06);
  expect(APART.length / SENTENCES.length).toBeLessThan(0.14);
});

it("asks for a longer text, and names what it found", async () => {
  const opened = await open(makeFolder(await steerable()));
  const short = makeDocument(
    "short",
    [...SENTENCES.slice(0, 3), ...new Array<string>(50).fill(SENTENCES[0]!)].join(" "),
  );
  await expect(teachWriter(contextOf(opened), [short], { minutes: 1 })).rejects.toThrow(
    /3 different ones were found, at least 50 are needed/,
  );
  await opened.engine.dispose();
  expect(opened.device.ledger.total).toBe(0);
  await opened.device.dispose();
}, 120_000);
