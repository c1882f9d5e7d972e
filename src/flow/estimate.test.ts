import { expect, it } from "vitest";
import { SHARP } from "../records/params.ts";
import type { Document } from "../records/source.ts";
import { documentId } from "../records/ids.ts";
import { forecast, ruleFacts } from "./estimate.ts";

const TEXT = "Sandra went to the hallway at noon. Mary left the lantern in the north tower at dusk in 1901.";
const MODEL = { dModel: 8, dFf: 16 };

it("counts the vectors of a value in parts: its tokens by the longest part, rounded up", async () => {
  const document: Document = { id: documentId("a".repeat(16)), title: "", text: TEXT };
  const found = await ruleFacts([document], SHARP);
  expect(found.facts.length).toBe(2);
  const cost = (partTokens: number | null): number =>
    forecast(found, {
      stored: null,
      model: MODEL,
      params: { ...SHARP, partTokens },
      layers: 3,
      tokensOf: (value) => value.split(" ").length,
    }).bytes;
  // 7 and 12 words: 2 + 3 vectors of at most 5 in place of 1 + 1.
  expect(cost(5) - cost(null)).toBe(3 * (MODEL.dModel + MODEL.dFf) * Float32Array.BYTES_PER_ELEMENT);
  expect(cost(20)).toBe(cost(null));
});
