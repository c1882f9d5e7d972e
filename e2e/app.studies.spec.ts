/**
 * @file The probe and experiment cells with the bundled model: a ranking that the memorise cell takes, and a small
 * capacity study that is stopped, gone on with, still there after a reload, and compared with another run.
 */

import type { Page } from "@playwright/test";
import { expect, test } from "./support/test.ts";

/** The model, two probes of a layer and some facts, on a machine that does other things as well. */
const PATIENCE = 400_000;

async function addCell(page: Page, name: string): Promise<void> {
  // The example's cells draw themselves one by one; a menu opened before that is pushed out of view.
  await page.locator("[data-kind=ask] article").first().waitFor();
  await page.locator("[data-kind=store] [role=grid]").waitFor();
  await page.getByRole("button", { name: "Add a cell", exact: true }).click();
  await page.getByRole("menuitem", { name }).click();
}

test("a probe ranks layers and offers them to the memorise cell @thorough", async ({ page }) => {
  test.setTimeout(PATIENCE);
  await page.goto("/");
  await addCell(page, "Layer probe");
  const cell = page.locator("[data-kind=probe]");
  const layers = cell.getByRole("group", { name: "Candidate layers" });
  for (const name of ["1", "3"]) await layers.getByRole("checkbox", { name, exact: true }).check();
  await cell.getByLabel("K, layers to choose").fill("1");
  await cell.getByRole("button", { name: "Probe", exact: true }).click();
  await expect(cell.locator('[data-figure="layer-probe"]')).toBeVisible({ timeout: PATIENCE });
  await expect(cell.getByRole("table", { name: "Layers, best first" }).locator("tbody tr")).toHaveCount(2);
  const lengths = cell.getByRole("table", { name: /^Longest part of a value/ });
  await expect(lengths.getByText("chosen")).toHaveCount(1);
  await cell.getByRole("button", { name: "Use these layers" }).click();
  await expect(cell.getByText(/The memorise cell uses layer (1|3) and does not run a probe/)).toBeVisible();
});

test("a study is kept case by case, goes on, and is compared @thorough", async ({ page }) => {
  test.setTimeout(3 * PATIENCE);
  await page.goto("/");
  await addCell(page, "Experiment");
  const cell = page.locator("[data-kind=experiment]");
  await cell.getByLabel("Store sizes").fill("2, 4");
  await cell.getByLabel("Facts asked for").fill("2");
  await expect(cell.getByText("8 facts to encode")).toBeVisible();
  // A kind of facts is ticked, and the last one stays.
  const kinds = cell.getByRole("group", { name: "Kind of facts" }).getByRole("checkbox");
  await kinds.nth(1).check();
  await expect(cell.getByText("16 facts to encode")).toBeVisible();
  await kinds.nth(1).uncheck();
  await kinds.nth(0).click();
  await expect(kinds.nth(0)).toBeChecked();
  await cell.getByRole("button", { name: "Run study", exact: true }).click();
  const table = cell.locator('[data-figure="study-capacity-cases"] tbody tr');
  // What is done now, how much of it, and how long it will take: seen, and read aloud.
  await expect(cell.getByText(/^[01] of 4 cases/)).toBeVisible({ timeout: PATIENCE });
  await expect(cell.locator("[aria-live=polite]").first()).toContainText(
    /^Experiment: .+: [0-3] of 4 cases(, about \d.* left|, nearly done)?$/,
    { timeout: PATIENCE },
  );
  await expect(table.first()).toBeVisible({ timeout: PATIENCE });
  // Stopped wherever it is now, closed, and opened again: nothing that was done is lost.
  await page.reload();
  await expect(table.first()).toBeVisible({ timeout: 60_000 });
  const goOn = cell.getByRole("button", { name: "Go on" });
  if (await goOn.isVisible()) await goOn.click();
  await expect(table).toHaveCount(4, { timeout: PATIENCE });
  await expect(cell.getByText("This run is not complete")).toBeHidden();
  // In the table as in the paper: the sharp read does not depend on how many facts there are.
  const exact = await table.evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll("td")].map((one) => one.textContent)),
  );
  const heads = await cell.locator('[data-figure="study-capacity-cases"] thead th').allInnerTexts();
  // The study's inputs come first, and it may get more of them.
  const at = heads.findIndex((head) => /^exact\b/.test(head));
  const sharp = exact.filter(([id]) => id?.includes("/sharp/")).map((cells) => cells[at]);
  expect(new Set(sharp).size).toBe(1);
  // Paper stands beside it as it came out: its own cases, its own line on the same scale.
  const paper = exact.filter(([id]) => id?.includes("/paper/")).map((cells) => cells[at]);
  expect(paper).toHaveLength(2);
  const curve = cell.locator('[data-figure="study-capacity"]');
  await curve.getByRole("button", { name: /^Table of/ }).click();
  const shares = await curve
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("td")].slice(0, 4).map((one) => one.textContent)),
    );
  const exactOfPaper = shares.filter(
    ([panel, line]) => panel === "exact (share)" && line === "paper, template",
  );
  expect(exactOfPaper.map(([, , , value]) => value)).toEqual(paper);

  await cell.getByRole("button", { name: "Run again" }).click();
  await expect(cell.getByText("This run is not complete")).toBeHidden();
  const beside = cell.getByLabel("Compare with");
  await expect(beside).toBeVisible({ timeout: PATIENCE });
  await beside.click();
  await page.getByRole("option").nth(1).click();
  await expect(cell.locator('[data-figure="compare-capacity"]')).toBeVisible();
  await expect(cell.locator('[data-figure="compare-capacity"]')).toContainText("A: ");
});
