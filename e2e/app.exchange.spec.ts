/** @file A run that the page saves and reads again gives the same numbers: as a run file, and as another tool's samples. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { runText } from "../src/evaluate/testing/stories.ts";
import { cellOf, prepareNotebook } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 120_000 });
test.use({ actionTimeout: 15_000 });

/** Saves the run of `cell` by an item of its menu, once all figures above are drawn: they move a menu that is open. */
async function saved(page: Page, cell: Locator, item: RegExp) {
  const button = cell.getByRole("button", { name: "Save the run" });
  const place = async () => (await button.boundingBox())?.y;
  await expect(async () => {
    const before = await place();
    await page.waitForTimeout(500);
    expect(await place()).toBe(before);
  }).toPass();
  await button.click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: item }).click(),
  ]);
  return { name: file.suggestedFilename(), mimeType: "", buffer: await readFile(await file.path()) };
}

/** What the rows of the accuracy table say, by method. */
async function rowsOf(cell: Locator): Promise<ReadonlyMap<string, string>> {
  const rows = cell
    .getByRole("table", { name: /^Accuracy by method and length/ })
    .first()
    .locator("tbody tr");
  const cells = await Promise.all((await rows.all()).map((row) => row.locator("th, td").allTextContents()));
  return new Map(cells.map(([method = "", ...numbers]) => [method, numbers.join(" | ")]));
}

test("a run file and samples of lm-evaluation-harness come back with the same table @thorough", async ({
  page,
}) => {
  await prepareNotebook(page, "Mary moved to the garden.");
  await page.locator("[data-add-at] button").last().click();
  await page.getByRole("menuitem", { name: /^Benchmark\b/ }).click();
  const cell = cellOf(page, "benchmark");
  const bring = cell.getByLabel("Run file or predictions");
  const said = (words: RegExp) => expect(page.getByText(words)).toBeVisible();
  await bring.setInputFiles({ name: "run.jsonl", mimeType: "", buffer: Buffer.from(await runText()) });
  await said(/samples of run\.jsonl imported/);
  await expect.poll(async () => (await rowsOf(cell)).size).toBeGreaterThan(2);
  const first = await rowsOf(cell);
  expect([...first.values()].join()).toMatch(/\d+ %.*n = 4/);

  const run = await saved(page, cell, /^Run file/);
  await bring.setInputFiles({ ...run, name: "again.jsonl" });
  await said(/samples of again\.jsonl imported/);
  await expect.poll(() => rowsOf(cell)).toEqual(first);

  const samples = await saved(page, cell, /^Samples of lm-evaluation-harness/);
  expect(samples.name).toMatch(/-lm-eval\.zip$/);
  await bring.setInputFiles({ ...samples, name: "theirs.zip" });
  await said(/predictions of theirs\.zip added to the run/);
  await expect(cell.getByText(/^theirs: /).first()).toBeVisible();
  await expect.poll(async () => (await rowsOf(cell)).size).toBe(2 * first.size);
  const both = await rowsOf(cell);
  const names = new Map([...first.keys()].map((name, i) => [name, [...both.keys()][first.size + i]!]));
  for (const [own, theirs] of names) {
    expect(theirs).toMatch(/^theirs: /);
    expect(both.get(own)).toBe(first.get(own));
    expect(both.get(theirs)).toBe(first.get(own));
  }
});
