import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { layerIndex } from "../../../records/ids.ts";
import type { MemorizeSummary } from "../../../records/notebook.ts";
import { BudgetView, Summary } from "./Summary.tsx";
import { PrintingContext } from "../../controls/basics.tsx";
import { RunLines } from "./MemorizeCell.tsx";

/** The words of some markup, with one space between. */
const words = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

test("the budget stands as in the paper, with its numbers, and is read out as a sentence", () => {
  const budget = {
    anchors: 27,
    depth: 14,
    layers: 5,
    capacity: 4096,
    stored: 6,
    perAnchor: 14,
    bound: "information",
  } as const;
  const markup = renderToStaticMarkup(<BudgetView budget={budget} />);
  expect(words(markup)).toContain("B is the smaller of 378 (m hat 14 times 27 anchors)");
  expect(words(markup)).toContain("= min( m̂ n anc 14 × 27 , K C 5 × 4,096 − 6 ) = 378");
  expect(markup.match(/aria-hidden="true"/g)).toHaveLength(1);
});

test("a run shows one bar for all of it, a line per stage and the loss of the batch as a picture with words", () => {
  const encode = {
    layer: layerIndex(2),
    batch: 3,
    facts: 8,
    losses: [4, 2, 1],
    share: 0.2,
  };
  const stages = [
    { stage: "read", done: 104, total: 104, note: "43 candidates" },
    { stage: "encode", done: 8, total: 43, encode, run: { share: 0.55, secondsLeft: 14 } },
  ] as const;
  const markup = renderToStaticMarkup(<RunLines progress={{ kind: "flow", stages }} since={0} />);
  expect(words(markup)).toContain("Reading sentences 104 sentences, 43 candidates");
  expect(words(markup)).toContain("Encoding facts about 15 s left");
  expect(words(markup)).toContain("Encoding facts 8 of 43 facts");
  expect(markup.match(/role="progressbar"/g)).toHaveLength(1);
  expect(markup).toContain('aria-valuenow="55"');
  expect(markup).toContain('aria-label="Loss of the current batch, 4.00 at first and 1.00 now"');
  expect(markup).toMatch(/<polyline points="0\.0,28\.7 160\.0,50\.3 320\.0,72\.0"/);
  expect(words(markup)).toContain("Batch 3: 8 parts at layer 2, 3 steps");
});

/** The summary with its details open, as in print. */
const printed = (summary: MemorizeSummary): string =>
  words(
    renderToStaticMarkup(
      <PrintingContext value>
        <Summary summary={summary} facts={null} />
      </PrintingContext>,
    ),
  );

const NOTHING: MemorizeSummary = {
  sources: [],
  known: ["The Lamp"],
  budget: {
    facts: 0,
    anchors: 0,
    depth: 14,
    layers: 5,
    capacity: 4096,
    bound: "information",
    perAnchor: 0,
  },
  layers: [layerIndex(1)],
  layerPlan: null,
  extracted: 0,
  extraction: [],
  retained: 0,
  resumed: 0,
  skipped: [{ value: "A long one.", why: "300 tokens with its recall prompt" }],
  milliseconds: { read: 12 },
  encoded: 0,
  exact: 0,
  fidelity: Number.NaN,
  steps: 0,
  bytes: 0,
  kept: { text: 0, vectors: 0, index: 0, dense: 0, perFact: 0 },
  total: 43,
};

test("a summary of a run that encoded nothing has no shares of nothing", () => {
  const summary = NOTHING;
  const markup = renderToStaticMarkup(<Summary summary={summary} facts={null} />);
  expect(words(markup)).toContain("No fact was added; the memory has 43 facts.");
  expect(words(markup)).toContain("Already in the memory: “The Lamp”.");
  expect(markup).not.toMatch(/NaN|Infinity/);
});

test("a summary of a resumed run says what was left, what was stored before, and what is stored now", () => {
  const summary = { ...NOTHING, known: [], encoded: 12, exact: 12, fidelity: 1, resumed: 12, total: 34 };
  const said = printed(summary);
  expect(said).toContain("This run Stored 12 facts, all of them left over from an interrupted run");
  expect(said).toContain("The whole memory after it Facts 34 facts, 22 of them from before Source text");
  expect(said).not.toContain("Taken up");
});

test("a summary tells the steps of its vectors from those of tries that were given up, where they were counted", () => {
  const summary = { ...NOTHING, encoded: 4, exact: 4, fidelity: 1, steps: 42, total: 4 };
  const said = (more: Partial<typeof summary & { givenUp: number }>) => printed({ ...summary, ...more });
  expect(said({})).toContain("Optimiser steps 42, 10.5 per fact");
  expect(said({})).not.toContain("given up");
  expect(said({ givenUp: 1234 })).toContain("Steps without result 1,234");
});

test("a summary claims nothing about a text that may still be kept, nor that nothing was extracted", () => {
  const kept = { text: 14_400, vectors: 2000, index: 900, dense: 500, perFact: 50 };
  const summary = {
    ...NOTHING,
    known: [],
    encoded: 20,
    exact: 18,
    fidelity: 0.98,
    resumed: 20,
    total: 67,
    kept,
  };
  expect(words(renderToStaticMarkup(<Summary summary={summary} facts={null} />))).toContain(
    "Sentences stored 20 Recalled word for word 90 % Size with older facts, for 14.4 KB of text 2.0 KB",
  );
  const said = printed(summary);
  expect(said).toContain("Source text 14.4 KB");
  expect(said).not.toMatch(/not kept|Facts found/);
});
