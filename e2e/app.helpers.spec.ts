/** @file Methods that need models of their own in the page: left out by name without them, and run with small made ones, of the Hub and of files. */
import { tinyCompressor } from "../src/engine/testing/tinyCompressor.ts";
import { tinyEmbedder } from "../src/engine/testing/tinyEmbedder.ts";
import { tinyReranker } from "../src/engine/testing/tinyReranker.ts";
import { cellOf, prepareNotebook } from "./support/app.ts";
import { HUB, playedFile, playHub, REPO } from "./support/playedHub.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 120_000 });
test.use({ actionTimeout: 15_000, allowedRequests: HUB });

/** Files as a picker gives them: by their plain names. */
const picked = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files].map(([name, bytes]) => ({
    name: name.split("/").at(-1)!,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(bytes),
  }));

test("a cross-encoder of the Hub and a compressor of files: left out by name, chosen, run @thorough", async ({
  page,
  context,
}) => {
  const files = new Map([...tinyReranker()].map(([name, bytes]) => [name, playedFile(Buffer.from(bytes))]));
  await context.route(HUB, playHub(files));
  await prepareNotebook(page, "Mary moved to the garden.");
  const memorise = cellOf(page, "memorize");
  await memorise.getByRole("button", { name: /^Text embedder/ }).click();
  await memorise.getByRole("radio", { name: "Your own files" }).click();
  await memorise.locator("input[type=file]").first().setInputFiles(picked(tinyEmbedder()));
  await page.locator("[data-add-at] button").last().click();
  await page.getByRole("menuitem", { name: /^Benchmark\b/ }).click();
  const cell = cellOf(page, "benchmark");
  await cell.getByRole("button", { name: /^More: tasks/ }).click();
  await cell.getByRole("spinbutton", { name: "Samples of each task and length" }).fill("1");
  for (const name of ["Ours", "Chunk RAG, BM25"])
    await cell.getByRole("checkbox", { name, exact: true }).uncheck();
  await cell.getByRole("checkbox", { name: /^Chunk RAG, dense and reranked/ }).check();
  await cell.getByRole("checkbox", { name: /^LLMLingua-2/ }).check();
  await expect(
    cell.getByText(
      /^1 sample: .* Chunk RAG, dense and reranked: left out, no cross-encoder is chosen; choose one in the benchmark cell\. LLMLingua-2.*: left out, no compressor is chosen/,
    ),
  ).toBeVisible();

  const reranker = cell.getByRole("radiogroup", { name: "Source of the cross-encoder" });
  await reranker.getByRole("radio", { name: "From Hugging Face" }).click();
  await cell.getByLabel("Model", { exact: true }).click();
  await expect(page.getByRole("option", { name: /bge-reranker-base, about 278 MB/ })).toBeVisible();
  await page.getByRole("option", { name: "Another model by name" }).click();
  await cell.getByLabel("Name on the Hub").fill(REPO);
  await cell.getByRole("button", { name: "Use this model" }).click();
  await cell.getByLabel("Weights").click();
  await page.getByRole("option", { name: /^fp32/ }).click();
  const compressor = cell.getByRole("radiogroup", { name: "Source of the compressor" });
  await compressor.getByRole("radio", { name: "Your own files" }).click();
  await cell.locator("input[type=file]").first().setInputFiles(picked(tinyCompressor()));
  await expect(cell.getByText(/^3 samples: 1 length × 3 methods × 1 question\./)).toBeVisible();
  await expect(cell.getByText(/left out/)).toHaveCount(0);

  await cell.getByRole("button", { name: "Run benchmark" }).click();
  const table = cell.getByRole("table", { name: /^Accuracy by method and length/ });
  for (const name of [/^Chunk RAG, dense and reranked /, /^LLMLingua-2/, /^Truncation /])
    await expect(table.getByRole("row", { name })).toContainText("n = 1", { timeout: 60_000 });
  await expect(cell.getByText(/^Left out/)).toHaveCount(0);
  await expect(table.getByText(/without answer/)).toHaveCount(0);

  // Files are read in place: what a reload leaves of the choice is their name.
  await expect(page.getByText("Saved in this browser")).toBeVisible();
  await page.reload();
  await expect(cell.getByRole("button", { name: /^Compressor dropped files \(fp32\)/ })).toBeVisible();
  await expect(table.getByRole("row", { name: /^LLMLingua-2/ })).toContainText("n = 1");
});
