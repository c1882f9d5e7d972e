/** @file Counts of a reading agree with its full trace, and hold no word of the text. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { extractionReasons, extractionStrip } from "../figures/extraction.ts";
import { countedTrace } from "../figures/testing/gallery.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { makeDocument } from "../ingest/text.ts";
import { SHARP } from "../records/params.ts";
import type { FlowContext } from "./context.ts";
import { countExtraction, readTexts, traceExtraction, proposeAnchors } from "./readTexts.ts";

const SOURCE = { at: "2026-01-01T00:00:00Z", backend: "cpu", model: "m@0", app: "0", run: "test" };
const text = readFileSync("public/samples/the-lamp-at-harrow-point.txt", "utf8");
const document = makeDocument("the lamp", text);
// By rule alone: no model is asked.
const context = { params: { ...SHARP, anchors: "rules" } } as unknown as FlowContext;

async function counts() {
  const found = [...sentences(document)];
  const kept = [...candidates(found, SHARP.candidateFilter)];
  const [read] = readTexts({ ...context, date: () => SOURCE.at }, [document]);
  expect(read!.sentences).toEqual(found);
  return countExtraction(read!, await proposeAnchors(context, kept));
}

describe("a reading in counts", () => {
  it("gives the figures of the full trace, samples apart", async () => {
    const counted = await counts();
    const trace = await traceExtraction(context, document);
    expect(extractionStrip(counted, SOURCE).rows).toEqual(
      extractionStrip(countedTrace(trace, counted.parts.length), SOURCE).rows,
    );
    const plain = (rows: readonly { readonly samples: string }[]) =>
      rows
        .map((row) => ({ ...row, samples: "" }))
        .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect(plain(extractionReasons(counted, SOURCE).rows)).toEqual(
      plain(extractionReasons(trace, SOURCE).rows),
    );
  });

  it("holds no sentence and no anchor", async () => {
    const { title, ...rest } = await counts();
    expect(title).toBe("the lamp");
    const kept = JSON.stringify(rest);
    for (const name of ["Mary", "Sandra", "Edwin", "Beacon", "garden", "lantern"])
      expect(kept).not.toContain(name);
  });

  it("leaves out the anchors of other texts", async () => {
    const other = makeDocument("other", "Nobody lives in Larne.");
    const found = [...sentences(document)];
    const kept = [...candidates(found, SHARP.candidateFilter)];
    const anchors = await proposeAnchors(context, kept);
    const [read] = readTexts({ ...context, date: () => SOURCE.at }, [other]);
    expect(countExtraction(read!, anchors).anchors).toEqual([]);
  });
});
