/**
 * @file The method apart from the model: a tiny decoder that was taught to be steered. What
 * encoding then fails to do is a fault of the method.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rounds } from "../lib/testing/thorough.ts";
import { open, type Opened } from "../engine/testing/models.ts";
import type { PlannedFact } from "../records/fact.ts";
import { charOffset, documentId, factId, layerIndex } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { SHARP } from "../records/params.ts";
import { makeFolder } from "../weights/testing/files.ts";
import { openReader } from "./read.ts";
import { encodeAll } from "./testing/facts.ts";
import { NAMES, PLACES, steerable, VERBS } from "./testing/steerable.ts";

/** 32 facts with all names, verbs and places, at one layer. */
const planned = (layer: number): PlannedFact[] =>
  Array.from({ length: 32 }, (_, i) => {
    const [document, offset, anchor] = [documentId("taught"), charOffset(i * 50), NAMES[i % 8]!];
    const value = `${anchor} ${VERBS[(i * 3 + Math.floor(i / 8)) % 8]!} the ${PLACES[(i * 5 + Math.floor(i / 4)) % 8]!}.`;
    const fact = {
      id: factId(document, offset),
      documentId: document,
      anchor,
      anchorOrder: i % 8,
      index: Math.floor(i / 8) + 1,
      value,
      offset,
    };
    return { fact, layer: layerIndex(layer) };
  });

describe("a model that was taught to be steered", () => {
  let opened: Opened;
  const byLayer = new Map<number, MemoryEntry[]>();
  const params = SHARP;

  beforeAll(async () => {
    opened = await open(makeFolder(await steerable()));
  }, 120_000);
  afterAll(async () => {
    await opened.engine.dispose();
    await opened.device.dispose();
  });

  it.each(rounds([0, 2], [0, 1, 2]))(
    "takes all 32 facts exactly at layer %s, in few steps",
    async (layer) => {
      const entries = await encodeAll(opened.engine, planned(layer), params);
      byLayer.set(layer, entries);
      const steps = entries.map(({ report }) => report.steps).sort((a, b) => a - b);
      expect(entries.filter(({ report }) => !report.exact)).toEqual([]);
      expect(steps.at(-1)).toBeLessThanOrEqual(20);
      expect(steps[16]).toBeLessThanOrEqual(5);
    },
  );

  it("says hardly any of them without a residual: what is recalled comes from the memory", async () => {
    const entries = byLayer.get(0)!;
    const reader = openReader(opened.engine, { entries: [] }, params);
    const plain = await reader.recall(entries);
    const values = planned(0).map(({ fact }) => fact.value);
    expect(plain.filter(({ text }, i) => text === values[i]).length).toBeLessThan(4);
  });

  it("says them again exactly, all layers in one store", async () => {
    const entries = [...byLayer.values()]
      .flat()
      .map((entry, i) => ({ ...entry, id: factId(entry.documentId, charOffset(i)) }));
    const reader = openReader(opened.engine, { entries }, params);
    const recalled = await reader.recall(entries);
    reader.dispose();
    const values = [...byLayer.keys()].flatMap((layer) => planned(layer).map(({ fact }) => fact.value));
    expect(recalled.map(({ text }) => text)).toEqual(values);
  });
});
