/** @file No sentence is stored: facts are read back and found, no row of the browser holds a sentence, and answers lose theirs at a press. A deleted fact leaves no byte. */
import type { Locator, Page } from "@playwright/test";
import { cellOf, packedMemory, prepareNotebook, storedRows } from "./support/app.ts";
import { foundIn, tracesOfFact } from "./support/traces.ts";
import { readZip } from "../src/lib/zip.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });

// None of them is in the worked example, which keeps its sentences.
const FACTS = [
  "Mary moved to the old garden in the evening.",
  "John hurried to the kitchen of the house.",
  "Sandra took the lamp back to the quiet hallway.",
  "Daniel journeyed to the tower of the king.",
] as const;

const rowsOf = (page: Page): Locator =>
  page.getByRole("grid", { name: "Facts in memory" }).locator('[role="row"][aria-selected]');

/** Five words in a row of any fact, with the text around them. */
const leaks = (text: string): string[] =>
  FACTS.flatMap((fact) => {
    const words = fact.split(" ");
    return words.slice(4).map((_, i) => words.slice(i, i + 5).join(" "));
  }).flatMap((five) =>
    text.includes(five) ? text.slice(Math.max(0, text.indexOf(five) - 90), text.indexOf(five) + 90) : [],
  );

test("facts are memorised, read back, found and asked for, and no sentence is in any row", async ({
  page,
}) => {
  await prepareNotebook(page, FACTS.join(" "));
  const memorize = cellOf(page, "memorize");
  await memorize.getByRole("button", { name: "Memorise", exact: true }).click();
  await expect(rowsOf(page)).toHaveCount(FACTS.length, { timeout: 150_000 });

  // In the session that made it the page has the words at once.
  const memory = cellOf(page, "store");
  for (const [i, fact] of FACTS.entries())
    await expect(rowsOf(page).nth(i)).toContainText(fact, { timeout: 5_000 });
  await expect(memory.getByText(/^No sentence is stored: of \d+ B of text it keeps/)).toBeVisible();

  const search = memory.getByRole("searchbox", { name: "Search the facts" });
  await search.fill("kitchen");
  await expect(memory.getByRole("status").first()).toHaveText("1 of 4 facts");
  await search.fill("kitch");
  await expect(memory.getByText(/words are found by their hashes/)).toBeVisible();
  await search.fill("");

  const ask = cellOf(page, "ask");
  const box = ask.getByRole("textbox", { name: "Question" });
  await box.fill("Where is Sandra?");
  await box.press("Enter");
  const newest = ask.getByRole("article", { name: "Question: Where is Sandra?" });
  await expect(newest).toContainText(FACTS[2], { timeout: 120_000 });

  // Only the notebook holds words, in the answer, until they are cleared.
  await expect(page.getByText("Saved in this browser")).toBeVisible();
  const before = await storedRows(page);
  expect(before["routing"]).toContain('"terms"');
  const inWords = Object.entries(before).filter(([, rows]) => leaks(rows).length > 0);
  expect(inWords.map(([table]) => table)).toEqual(["bodies"]);
  await ask.getByRole("button", { name: "Clear the words" }).click();
  await expect(ask.getByRole("button", { name: "Clear the words" })).toHaveCount(0);
  await expect
    .poll(async () => Object.entries(await storedRows(page)).flatMap(([, rows]) => leaks(rows)))
    .toEqual([]);

  // After a reload nothing is known until a model is open; then all facts are read back.
  await page.reload();
  await expect(rowsOf(page)).toHaveCount(FACTS.length);
  await expect(rowsOf(page).first()).toContainText("open the model to read it back");
  await expect(
    memory.getByText(`0 of ${FACTS.length} read back; open the model to read the rest`),
  ).toBeVisible();
  await cellOf(page, "model")
    .getByRole("button", { name: /^(Run|Open)/ })
    .first()
    .click();
  for (const [i, fact] of FACTS.entries())
    await expect(rowsOf(page).nth(i)).toContainText(fact, { timeout: 120_000 });
  await expect(memory.getByText(/read back/)).toHaveCount(0);
  await deleted(page, memory);
});

/** No byte of a deleted fact is left in this browser, in an exported file, or in the steps that can be undone. */
async function deleted(page: Page, memory: Locator): Promise<void> {
  const traces = await page.evaluate(tracesOfFact, { anchor: "Sandra", sentence: FACTS[2] });
  const places = await page.evaluate(foundIn, traces);
  const bytes = ["residual", "key", "digest", "terms", "nonce", "id", "cached"];
  for (const name of bytes) expect(places[name], name).not.toEqual([]);
  await rowsOf(page).nth(2).getByRole("gridcell").first().click();
  await memory.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("menuitem").first().click();
  const certificate = memory.getByRole("article", { name: /^Deletion certificate of/ });
  await expect(certificate).toContainText(FACTS[2], { timeout: 120_000 });
  await expect
    .poll(() => page.evaluate(foundIn, traces))
    .toMatchObject({ sentence: ["bodies"], residual: [] });
  await memory.getByRole("button", { name: "Clear the words" }).click();
  const nowhere = Object.fromEntries(Object.keys(traces).map((name) => [name, []]));
  await expect.poll(() => page.evaluate(foundIn, traces)).toEqual(nowhere);
  await page.keyboard.press("Control+z");
  await expect(page.getByText(FACTS[2])).toHaveCount(0);
  const files = await readZip(new Blob([await packedMemory(page)]), "memory.zip");
  expect(files.size).toBeGreaterThan(5);
  for (const [name, file] of files) {
    const content = new TextDecoder("latin1").decode(await file.read());
    expect(
      Object.keys(traces).filter((trace) => traces[trace]!.some((one) => content.includes(one))),
      name,
    ).toEqual([]);
  }
}
