/** @file A memory without words in the app: its facts are said and found, and no row of the browser holds a sentence. */
import type { Locator, Page } from "@playwright/test";
import { cellOf, prepareNotebook, storedRows } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });

const FACTS = [
  "Mary moved to the old garden in the evening.",
  "John went to the kitchen of the house.",
  "Sandra took the lamp back to the quiet hallway.",
  "Daniel journeyed to the bedroom of the king.",
] as const;

const rowsOf = (page: Page): Locator =>
  page.getByRole("grid", { name: "Facts in memory" }).locator('[role="row"][aria-selected]');

/** Six words in a row of any fact. */
const leaks = (text: string): string[] =>
  FACTS.flatMap((fact) => {
    const words = fact.split(" ");
    return words.slice(5).map((_, i) => words.slice(i, i + 6).join(" "));
  }).flatMap((six) => (text.includes(six) ? text.slice(text.indexOf(six) - 90, text.indexOf(six) + 90) : []));

test("facts are memorised, said, found and asked for, and no sentence stands in any row @thorough", async ({
  page,
}) => {
  await prepareNotebook(page, FACTS.join(" "));
  const memorize = cellOf(page, "memorize");
  await memorize.getByRole("button", { name: /^Sharp/ }).click();
  await memorize.getByRole("button", { name: /^Routing/ }).click();
  await memorize.getByRole("combobox", { name: "Index" }).click();
  await page.getByRole("option", { name: /^Wordless/ }).click();
  await memorize.getByRole("button", { name: "Memorise", exact: true }).click();
  await expect(rowsOf(page)).toHaveCount(FACTS.length, { timeout: 150_000 });

  // The model says what no file holds.
  const memory = cellOf(page, "store");
  for (const [i, fact] of FACTS.entries())
    await expect(rowsOf(page).nth(i)).toContainText(fact, { timeout: 60_000 });
  await expect(memory.getByText(/no sentence in it/)).toBeVisible();

  const search = memory.getByRole("searchbox", { name: "Search the facts" });
  await search.fill("kitchen");
  await expect(memory.getByRole("status").first()).toHaveText("1 of 4 facts");
  await search.fill("kitch");
  await expect(memory.getByText(/hashes, so only whole words match/)).toBeVisible();
  await search.fill("");

  const ask = cellOf(page, "ask");
  const box = ask.getByRole("textbox", { name: "Question" });
  await box.fill("Where is Sandra?");
  await box.press("Enter");
  const newest = ask.getByRole("article", { name: "Question: Where is Sandra?" });
  await expect(newest).toContainText(FACTS[2], { timeout: 120_000 });

  await expect(page.getByText("Saved in this browser")).toBeVisible();
  const before = await storedRows(page);
  expect(before["routing"]).toContain('"terms"');
  for (const [table, rows] of Object.entries(before)) expect([table, leaks(rows)]).toEqual([table, []]);

  // After a reload the words are gone from the page as well, until a model is open.
  await page.reload();
  await expect(rowsOf(page)).toHaveCount(FACTS.length);
  await expect(rowsOf(page).first()).toContainText("stored without words");
});
