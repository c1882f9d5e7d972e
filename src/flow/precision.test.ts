/** @file A memory in another precision: its facts come back exactly there, and it is not read in any other. */

import { afterAll, expect, it } from "vitest";
import type { LocalEngine } from "../engine/localEngine.ts";
import { openEngine } from "../engine/localEngine.ts";
import { BUNDLED } from "../engine/testing/models.ts";
import type { Precision } from "../lib/precision.ts";
import { countFacts } from "../records/memory.ts";
import type { Device } from "../runtime/device.ts";
import { createNodeDevice } from "../../tools/node/nodeDevice.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { answer, openMemory } from "./answer.ts";
import { memorize } from "./testing/memorized.ts";
import { BY_ANCHORS, context, documentOf, HOOK_MS, QUICK, seeded, STORY } from "./testing/runs.ts";

const devices: Device[] = [];
afterAll(() => Promise.all(devices.map((device) => device.dispose())));

/** The bundled model, its matrices in the precision's own form, as a model has them that is large. */
async function open(precision: Precision): Promise<LocalEngine> {
  const device = await createNodeDevice({ backend: "cpu", threads: 1 });
  devices.push(device);
  return openEngine(device, await nodeModelFiles(BUNDLED), { precision, expandUpTo: 0 });
}

it(
  "facts of q8 are recalled exactly in q8, and refused in f32 with what to do",
  async () => {
    const [eight, plain] = [await open("q8"), await open("f32")];
    const store = await seeded(eight, [2, 3]);
    const { memory } = await memorize(context(eight, { store }), [documentOf(STORY)]);
    expect(memory.model.precision).toBe("q8");
    expect(memory.entries.filter(({ report }) => report.exact)).toHaveLength(countFacts(memory.entries));

    const stored = (await store.load())!;
    const opened = openMemory(eight, stored, { ...QUICK, ...BY_ANCHORS });
    const { recalled } = await answer(opened, "Where is Mary?", { now: () => performance.now() });
    opened.dispose();
    expect(recalled.map(({ text }) => text)).toEqual([STORY[0], STORY[3]]);

    expect(plain.model.sha256).toBe(eight.model.sha256);
    const refused =
      "flow: the stored memory was made with palimpsest-7m in q8, which is open in f32 now: its vectors would say " +
      "other words; open the model in q8 (--precision q8), or use another store";
    expect(() => openMemory(plain, stored, QUICK)).toThrow(refused);
    await expect(memorize(context(plain, { store }), [documentOf(STORY, "more")])).rejects.toThrow(refused);

    // What older versions saved says nothing of a precision: it was f32.
    const { name, architecture, sha256, layers, dModel, dFf, vocabulary, window } = stored.model;
    const before = { name, architecture, sha256, layers, dModel, dFf, vocabulary, window };
    expect(() => openMemory(plain, { ...stored, model: before }, QUICK).dispose()).not.toThrow();
    expect(() => openMemory(eight, { ...stored, model: before }, QUICK)).toThrow(
      "made with palimpsest-7m in f32",
    );
  },
  HOOK_MS,
);
