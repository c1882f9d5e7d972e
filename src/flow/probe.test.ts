import { afterAll, beforeAll, expect, it } from "vitest";
import { bundled, type Opened } from "../engine/testing/models.ts";
import { candidateLayers } from "../memory/probe.ts";
import { SHARP } from "../records/params.ts";
import type { RecordedProbe } from "../records/plan.ts";
import { knowing, knownPartTokens, planLayers } from "./probe.ts";
import { context, HOOK_MS, QUICK } from "./testing/runs.ts";

let opened: Opened;
beforeAll(async () => {
  opened = await bundled();
}, HOOK_MS);
afterAll(async () => {
  await opened.engine.dispose();
  await opened.device.dispose();
});

const layersOf = (probed: readonly { readonly layer: number }[] = []): number[] =>
  probed.map(({ layer }) => layer);

it("is kept with the bundled model for the default preset: npm run probe:record with a new edition or preset", async () => {
  const { engine } = opened;
  const { probed, parts } = knowing(context(engine, { params: SHARP }));
  expect(layersOf(probed)).toEqual(candidateLayers(engine.model.layers));
  expect(probed!.every(({ recorded }) => recorded)).toBe(true);
  expect(parts!.tried.map(({ longest }) => longest)).toContain(parts!.longest);
  const plan = await planLayers(knowing(context(engine, { params: SHARP })));
  expect(plan.parts).toEqual(parts);
  expect(plan.choices[0]!.why).toContain("where the model was made");
});

it("holds for that model alone, its layers for these parameters alone", () => {
  const { engine } = opened;
  const recorded = engine.recorded!;
  const other = (over: Partial<RecordedProbe>) => ({ ...engine, recorded: { ...recorded, ...over } });
  const strange = knowing(context(other({ sha256: "0".repeat(64) }), { params: SHARP }));
  expect(strange.probed).toBeUndefined();
  expect(strange.parts).toBeUndefined();
  const hurried = knowing(context(engine, { params: { ...SHARP, steps: 3 } }));
  expect(hurried.probed).toEqual([]);
  expect(hurried.parts).toEqual(recorded.parts);
  const rounded = { ...engine, model: { ...engine.model, precision: "q4" as const } };
  expect(knowing(context(rounded, { params: SHARP })).parts).toBeUndefined();
});

it("gives way to what is set, and to what the memory has", async () => {
  const given = knowing(context(opened.engine, { params: { ...QUICK, partTokens: 20 } }));
  expect(await knownPartTokens(given, null)).toBe(20);
  const probing = knowing(context(opened.engine, { params: SHARP }));
  expect(await knownPartTokens(probing, { params: { ...SHARP, partTokens: 9 } })).toBe(9);
  expect(await knownPartTokens(probing, { params: { ...SHARP, partTokens: null } })).toBe(14);
  expect(await knownPartTokens(context(opened.engine, { params: SHARP }), null)).toBeUndefined();
});
