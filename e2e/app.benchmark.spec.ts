/** @file A benchmark on the page: run, read as a table, opened down to a sample, saved as a run file, there after a reload. */
import { readFile } from "node:fs/promises";
import AxeBuilder from "@axe-core/playwright";
import { cellOf, prepareNotebook } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 240_000 });
test.use({ actionTimeout: 15_000 });

test("two methods on two stories of QA1: table, samples, files, and all of it after a reload @thorough", async ({
  page,
}) => {
  await prepareNotebook(page, "Mary moved to the garden.");
  await page.locator("[data-add-at] button").last().click();
  await page.getByRole("menuitem", { name: /^Benchmark\b/ }).click();
  const cell = cellOf(page, "benchmark");
  await expect(cell.getByRole("radio", { name: "A look" })).toBeChecked();
  await expect(cell.getByText(/^30 samples: 1 length × 3 methods × 10 questions\./)).toBeVisible();
  await cell.getByRole("button", { name: /^More: tasks/ }).click();
  await cell.getByRole("spinbutton", { name: "Samples of each task and length" }).fill("2");
  await cell.getByRole("checkbox", { name: "Chunk RAG, BM25", exact: true }).uncheck();
  await cell.getByRole("checkbox", { name: "Truncation", exact: true }).uncheck();
  const typed = cell.getByRole("textbox", { name: "Methods with custom parameters" });
  await typed.fill("ours:theta=2");
  await expect(cell.getByText(/theta is "2", expected a number from -1 to 1/)).toBeVisible();
  await typed.fill("truncation:500");
  await expect(cell.getByText(/^4 samples: 1 length × 2 methods × 2 questions\./)).toBeVisible();
  await cell.getByRole("button", { name: "Run benchmark" }).click();
  await expect(cell.getByText(/Left out|every budget is/)).toBeVisible({ timeout: 200_000 });

  const table = cell.getByRole("table", { name: /^Accuracy by method and length/ });
  await expect(table.getByRole("row", { name: /^Ours / })).toContainText("n = 2", { timeout: 200_000 });
  await expect(table.getByRole("row", { name: /^Truncation, 500 / })).toContainText("n = 2", {
    timeout: 200_000,
  });
  await table.getByRole("button", { name: /^Ours, qa1, 0K: / }).click();
  const samples = page.getByRole("dialog", { name: /^Ours, qa1, 0K/ });
  await samples.getByRole("button", { name: /row 1/ }).click();
  await expect(samples.getByText(/^stored, routed, recalled word for word/)).toBeVisible();
  await expect(samples.getByLabel("Prompt")).toContainText("Where is");
  const found = await new AxeBuilder({ page }).analyze();
  expect(found.violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(cell.getByRole("figure", { name: /Accuracy by length/ })).toBeVisible();

  await cell.getByRole("button", { name: "Save the run" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^Run file/ }).click(),
  ]);
  const lines = (await readFile(await file.path(), "utf8")).trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as { kind: string; method?: string });
  expect(records.map(({ kind, method }) => method ?? kind)).toEqual([
    "evaluation",
    "ours",
    "truncation:500",
    "ours",
    "truncation:500",
  ]);

  await expect(page.getByText("Saved in this browser")).toBeVisible();
  await page.reload();
  await expect(table.getByRole("row", { name: /^Ours / })).toContainText("n = 2");

  await page.getByRole("button", { name: /^Pasted text, 5 words/ }).click();
  await page.getByRole("menuitem", { name: /^The paper/ }).click();
  await expect(page.getByRole("heading", { name: "The paper", exact: true })).toBeVisible();
  const figure6 = page.getByRole("region", { name: /^Figure 6: BABILong by task and length/ });
  await expect(figure6.getByRole("row", { name: "QA1, 128K and 256K 100 100 100" })).toBeVisible();
  await figure6
    .getByRole("button", { name: /^Saved result: qa1, .* at 0K.*, recorded with palimpsest-7m@02e11a5d/ })
    .click();
  await expect(
    figure6.getByRole("button", { name: /^Ours, qa1, 0K: \d+ %, \d+ to 100, n = \d+/ }),
  ).toBeVisible();
  const axe = await new AxeBuilder({ page }).analyze();
  expect(axe.violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
  await figure6.getByRole("spinbutton").fill("1");
  await figure6.getByRole("button", { name: "Add a benchmark cell and run it" }).click();
  const added = page.locator("[data-kind=benchmark]").nth(1);
  await expect(added.getByRole("checkbox", { name: "QA5" })).toBeChecked();
  await expect(added.getByRole("button", { name: "Stop" })).toBeVisible();
  await added.getByRole("button", { name: "Stop" }).click();

  // A kept run is removed by itself, for both cells that are of it.
  const first = cell.first();
  await first.getByText(/^Kept in this notebook: \d runs?$/).click();
  const shown = first.getByRole("listitem").filter({ hasText: "shown here" });
  await shown.getByRole("button", { name: /^Remove the run babilong, / }).click();
  await page.getByRole("button", { name: "Remove the run", exact: true }).click();
  await expect(table).toHaveCount(0);
  await expect(shown).toBeHidden();
});
