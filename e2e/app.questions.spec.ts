/** @file A question set on the page: dropped as a table, asked, judged, exported, and asked again after a reload. */
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { cellOf, dropTexts, prepareNotebook, runAll } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 240_000 });
test.use({ actionTimeout: 15_000 });

const TEXT = `Mary moved to the garden. Sandra picked up the lantern there. Clara lives in Lisbon.
The code of Project Beacon is AB-417. Peter's passport is 48213.`;

test("a question entered while another is answered waits in its box; a set is asked in one go, judged by stage, and kept @thorough", async ({
  page,
}) => {
  await prepareNotebook(page, TEXT);
  await runAll(page, 120_000);
  await askTwo(page);
  await askSet(page);
});

async function askTwo(page: Page): Promise<void> {
  const cell = cellOf(page, "ask");
  const box = cell.getByRole("textbox").first();
  await box.fill("Where is Mary?");
  await box.press("Enter");
  await box.fill("Where does Clara live?");
  await box.press("Enter");
  await expect(cell.getByText("One question at a time")).toBeVisible();
  const asked = (question: string) => cell.getByRole("article", { name: `Question: ${question}` });
  await expect(asked("Where is Mary?")).toBeVisible({ timeout: 60_000 });
  await expect(box).toHaveValue("Where does Clara live?");
  await box.press("Enter");
  await expect(asked("Where does Clara live?")).toBeVisible({ timeout: 60_000 });
}

async function askSet(page: Page): Promise<void> {
  await page.locator("[data-add-at] button").last().click();
  await page.getByRole("menuitem", { name: /^Question set\b/ }).click();
  const cell = cellOf(page, "questions");
  await dropTexts(cell.getByText("Drop a table of questions"), [
    {
      name: "set.csv",
      text: "question,answer\nWhere is Mary?,garden\nWhere does Clara live?,Oslo\nWho is the mayor?,-\n",
    },
  ]);
  await expect(cell.getByText("3 questions, 2 with an answer, 1 that the texts do not answer")).toBeVisible();
  await cell.getByRole("button", { name: "Ask all" }).click();
  await expect(cell.getByText(/^\d of 3, \d+ % right \(95 % interval \d+ to \d+ %\)\.$/)).toBeVisible({
    timeout: 120_000,
  });
  const rows = cell.getByRole("table", { name: "Every question of the set" });
  await expect(rows.getByRole("row", { name: /^Where is Mary\?/ })).toContainText("right");
  // No sentence of the text has "Oslo".
  await expect(rows.getByRole("row", { name: /^Where does Clara live\?/ })).toContainText(
    "sentence not stored",
  );
  await expect(
    cell
      .getByRole("table", { name: "How far the questions came" })
      .getByRole("row", { name: /stored/ })
      .first(),
  ).toContainText("1 of 2");

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    cell.getByRole("button", { name: "Save as CSV" }).click(),
  ]);
  expect(await readFile(await file.path(), "utf8")).toMatch(/^question,answer,.*\r\nWhere is Mary\?,garden,/);

  await expect(page.getByText("Saved in this browser")).toBeVisible();
  await page.reload();
  await cell.getByRole("button", { name: "Run again" }).click();
  await expect(cell.getByText("Since the run before: 0 now right, 0 now wrong.")).toBeVisible({
    timeout: 120_000,
  });
  await expect(
    cell.getByRole("table", { name: "Runs of this set, newest first" }).getByRole("row"),
  ).toHaveCount(3);
}
