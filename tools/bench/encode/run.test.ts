import { expect, it } from "vitest";
import { THOROUGH } from "../../../src/lib/testing/thorough.ts";
import { bundled, leavesNothing } from "../../../src/engine/testing/useBundled.ts";
import { charOffset, documentId, factId, layerIndex } from "../../../src/records/ids.ts";
import { SHARP } from "../../../src/records/params.ts";
import { runBench } from "./run.ts";

it.runIf(THOROUGH)("measures both methods on the same facts, in turns", async () => {
  const { device, engine } = await bundled();
  const document = documentId("bench");
  const planned = ["Mary got the milk.", "Mary got the apple.", "Mary got the football."].map((value, i) => ({
    fact: {
      id: factId(document, charOffset(i)),
      documentId: document,
      anchor: "Mary",
      anchorOrder: 0,
      index: i + 1,
      value,
      offset: charOffset(i),
    },
    layer: layerIndex(i % 2 === 0 ? 4 : 2),
  }));
  const params = { ...SHARP, steps: 3, refine: 0 };
  const sessions = () => ({ sessions: 0, milliseconds: 0 });
  const result = await runBench(engine, planned, params, {
    passes: 2,
    parts: false,
    recallRepeats: 2,
    sessions,
    peer: null,
  });
  expect(result.layers).toEqual([2, 4]);
  expect(result.facts.map((row) => [row.value, row.layer])).toEqual([
    ["Mary got the apple.", 2],
    ["Mary got the milk.", 4],
    ["Mary got the football.", 4],
  ]);
  expect(result.naive.passes).toHaveLength(2);
  expect(result.ours.passes).toHaveLength(3);
  expect(result.naive.steps).toBe(3);
  expect(result.ours.steps).toBeLessThanOrEqual(3);
  expect(result.ratio).toBe(result.ours.factsPerSecond / result.naive.factsPerSecond);
  expect(result.repeatable).toBe(true);
  expect(result.byLayer.map(({ facts }) => facts)).toEqual([1, 2]);
  expect(result.recall).toMatchObject({ facts: 3, layers: 2, repeats: 2, exact: result.ours.exact });
  // In parts a fact has several vectors, and is judged by all of them joined.
  const cut = { ...params, partTokens: 3, refine: 0 };
  const inParts = await runBench(engine, planned, cut, {
    passes: 1,
    parts: true,
    recallRepeats: 1,
    sessions,
    peer: null,
  });
  expect(inParts.facts.map(({ tokens }) => tokens)).toEqual(result.facts.map(({ tokens }) => tokens));
  expect(inParts.ours.exact).toBe(inParts.recall.exact);
  leavesNothing({ device });
});
