/**
 * @file The main job on WebGPU in software, which computes a hundredth of what wasm does: a model of a few thousand
 * weights that was taught to be steered, opened from files as a person's own.
 */
import { THOROUGH, rounds } from "../src/lib/testing/thorough.ts";
import { steerable } from "../src/memory/testing/steerable.ts";
import { newCell, newNotebook } from "../src/notebook/kinds.ts";
import { layerIndex } from "../src/records/ids.ts";
import { SHARP } from "../src/records/params.ts";
import { cellOf, importNotebook, pasteText } from "./support/app.ts";
import { journey } from "./support/journey.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 900_000 });
test.use({ actionTimeout: 15_000 });

const TEXT = "Mary visited the garden. So much for the weather. John sold the kitchen.";

const QUESTIONS = [
  { question: "Where is Mary?", answer: "", recalled: "Mary visited the garden." },
  { question: "Where is John?", answer: "", recalled: "John sold the kitchen." },
];

/** The main job with few facts and short runs. */
const NOTEBOOK = newNotebook(
  "made-by-a-test",
  "On the GPU",
  [
    newCell("model", "m", { source: { kind: "files", name: "taught" }, backend: "auto" }),
    newCell("source", "s"),
    newCell("memorize", "r", {
      params: { ...SHARP, partTokens: null, anchors: "rules", questionsPerFact: 1, answerTokens: 4 },
      // Given, so that no probe runs.
      layers: [layerIndex(2)],
    }),
    newCell("store", "f"),
    newCell("ask", "a"),
  ],
  "2026-01-01T00:00:00.000Z",
);

test("a text is memorised, forgotten and asked for on WebGPU", async ({ page }) => {
  const files = Object.entries(await steerable()).map(([name, bytes]) => ({
    ...{ name, mimeType: "application/octet-stream" },
    buffer: Buffer.from(bytes),
  }));
  await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  await importNotebook(page, NOTEBOOK);
  await cellOf(page, "model").locator("input[type=file]").first().setInputFiles(files);
  await expect(cellOf(page, "model")).toContainText(/in 3 files; all of it is here/);
  await pasteText(page, TEXT);
  // It was taught to say facts, not to answer: the sentences it recalls are the answer.
  await journey(page, {
    questions: rounds(QUESTIONS.slice(0, 1), QUESTIONS),
    // A deletion recalls every fact twice, as the journey on wasm shows.
    doomed: THOROUGH ? { value: "John sold the kitchen.", key: "John (1)" } : null,
    // It would open the model a second time, and what is kept does not depend on the backend.
    reloaded: false,
    timeout: 300_000,
  });
  await expect(cellOf(page, "model")).toContainText("webgpu, self-test pass");
  await cellOf(page, "model").getByText("Device card").click();
  await expect(cellOf(page, "model")).toContainText(
    "One token per run, since recorded steps cost a software GPU more",
  );
});
