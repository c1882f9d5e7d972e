/** @file The main job on WebGPU in software: the bundled model on a GPU that computes a hundredth of what wasm does. */
import { newCell, newNotebook } from "../src/notebook/create.ts";
import { layerIndex } from "../src/records/ids.ts";
import { SHARP } from "../src/records/params.ts";
import { cellOf, importNotebook, pasteText } from "./support/app.ts";
import { journey } from "./support/journey.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 1_800_000 });
test.use({ actionTimeout: 15_000 });

const TEXT = "Mary moved to the garden. So much for the weather. John journeyed to the kitchen.";

/** The main job with few facts and short runs. */
const NOTEBOOK = newNotebook(
  "made-by-a-test",
  "On the GPU",
  [
    newCell("model", "m", { source: { kind: "bundled" }, backend: "webgpu" }),
    newCell("source", "s"),
    newCell("memorize", "r", {
      params: {
        ...SHARP,
        partTokens: null,
        anchors: "rules",
        questionsPerFact: 1,
        refine: 0,
        answerTokens: 8,
      },
      // Given, so that no probe runs; the last one, above which there is least to compile and to compute.
      layers: [layerIndex(4)],
    }),
    newCell("store", "f"),
    newCell("ask", "a"),
  ],
  "2026-01-01T00:00:00.000Z",
);

test("a text is memorised, forgotten and asked for on WebGPU; a deleted fact is gone and nothing else", async ({
  page,
}) => {
  await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  await importNotebook(page, NOTEBOOK);
  await pasteText(page, TEXT);
  await journey(page, {
    questions: [
      { question: "Where is Mary?", answer: "garden" },
      { question: "Where is John?", answer: "kitchen" },
    ],
    doomed: { value: "John journeyed to the kitchen.", key: "John (1)" },
    timeout: 600_000,
  });
  await expect(cellOf(page, "model")).toContainText("webgpu, self-test pass");
});
