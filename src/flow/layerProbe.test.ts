import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { THOROUGH } from "../lib/testing/thorough.ts";
import { useBundled } from "../engine/testing/useBundled.ts";
import { makeDocument } from "../ingest/text.ts";
import { SHARP } from "../records/params.ts";
import type { RecordedProbe } from "../records/plan.ts";
import { layerIndex } from "../records/ids.ts";
import { memorize } from "./testing/memorized.ts";
import { candidateLayers, withRecordedLayers, knownPartTokens, planLayers } from "./layerProbe.ts";
import { context, documentOf, QUICK } from "./testing/runs.ts";

const opened = useBundled();

const layersOf = (probed: readonly { readonly layer: number }[] = []): number[] =>
  probed.map(({ layer }) => layer);

it("is kept with the bundled model for the default preset: npm run tool -- probe with a new edition or preset", async () => {
  const { engine } = opened;
  const { probed } = withRecordedLayers(context(engine, { params: SHARP }));
  const { parts } = engine.recorded!;
  expect(layersOf(probed)).toEqual(candidateLayers(engine.model.layers));
  expect(probed!.every(({ recorded }) => recorded)).toBe(true);
  expect(parts.tried.map(({ longest }) => longest)).toContain(parts.longest);
  expect(Object.keys(engine.recorded!.cost!)).toEqual(expect.arrayContaining(["read", "encode"]));
  const plan = await planLayers(withRecordedLayers(context(engine, { params: SHARP })));
  // The writer asks for parts that it can write.
  expect(plan.parts).toEqual({ ...parts, longest: engine.writer!.part });
  expect(plan.choices[0]!.why).toContain("where the model was made");
});

it("holds for that model alone, its layers for these parameters alone", async () => {
  const { engine } = opened;
  const recorded = engine.recorded!;
  const other = (over: Partial<RecordedProbe>) => ({ ...engine, recorded: { ...recorded, ...over } });
  const strange = context(other({ sha256: "0".repeat(64) }), { params: SHARP });
  expect(withRecordedLayers(strange).probed).toBeUndefined();
  expect(await knownPartTokens(strange, null)).toBeUndefined();
  const hurried = context(engine, { params: { ...SHARP, steps: 3 } });
  expect(withRecordedLayers(hurried).probed).toBeUndefined();
  expect(await knownPartTokens(hurried, null)).toBe(engine.writer!.part);
  const zero = context(engine, { params: { ...SHARP, start: "zero" } });
  expect(await knownPartTokens(zero, null)).toBe(recorded.parts.longest);
  const rounded = { ...engine, model: { ...engine.model, precision: "q4" as const } };
  expect(await knownPartTokens(context(rounded, { params: SHARP }), null)).toBeUndefined();
});

it("gives way to what is set, and to what the memory has", async () => {
  const given = withRecordedLayers(context(opened.engine, { params: { ...QUICK, partTokens: 20 } }));
  expect(await knownPartTokens(given, null)).toBe(20);
  const probing = withRecordedLayers(context(opened.engine, { params: SHARP }));
  expect(await knownPartTokens(probing, { params: { ...SHARP, partTokens: 9 } })).toBe(9);
  expect(await knownPartTokens(probing, { params: { ...SHARP, partTokens: null } })).toBe(
    opened.engine.writer!.part,
  );
});

it("is not made where layers are given: parts are as long as the bundled model's then", async () => {
  const { engine } = opened;
  const strange = { ...engine, recorded: null };
  const notes: (string | undefined)[] = [];
  const running = context(strange, {
    params: { ...SHARP, anchors: "rules", questionsPerFact: 0 },
    layers: [layerIndex(3)],
    onProgress: ({ stage, note }) => void (stage === "layers" && notes.push(note)),
  });
  const { memory } = await memorize(running, [documentOf(["Mary moved to the garden."])]);
  expect(memory.params.partTokens).toBe(14);
  expect(notes).toEqual([]);
});

it.runIf(THOROUGH)(
  "comes with what a run took: the very first one says while it finds anchors how long all of it will take",
  async () => {
    const { engine } = opened;
    const novel = gunzipSync(readFileSync("data/books/austen_emma.txt.gz")).toString("utf8");
    const left = async (recorded: RecordedProbe | null) => {
      const said: (number | null | undefined)[] = [];
      const stop = new AbortController();
      const running = context(
        { ...engine, recorded },
        {
          params: { ...SHARP, anchors: "model" },
          layers: [layerIndex(3)],
          estimate: { seconds: null, rates: {} },
          signal: stop.signal,
          onProgress({ stage, run, done, total }) {
            if (stage !== "anchors") return;
            said.push(run?.secondsLeft);
            if (done === total) stop.abort();
          },
        },
      );
      await expect(memorize(running, [makeDocument("Emma", novel.slice(10_000, 18_000))])).rejects.toThrow();
      return said;
    };
    // As if that machine had been slow: what it takes to say anything is then done within this text.
    const { cost, ...rest } = engine.recorded!;
    const anchors = { seconds: 90, units: 100 };
    const said = await left({ ...rest, cost: { ...cost!, anchors } });
    expect(said.length).toBeGreaterThan(2);
    expect(said.at(-1)).toBeGreaterThan(0);
    expect(await left(null)).toEqual(said.map(() => null));
  },
);
