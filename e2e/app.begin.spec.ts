/** @file The way in: from the first screen to an answer about one's own text, in two clicks, without a menu and without scrolling. */
import { readFileSync } from "node:fs";
import { dropTexts } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });
test.use({ viewport: { width: 1440, height: 900 } });

/** 550 words, which `npm run tool -- newcomer` takes for its frames. */
const NOTES = readFileSync("tools/scripts/newcomer.txt", "utf8");

test("a pasted text is memorised, three questions are suggested, and one click answers", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel("Try your own text").fill(NOTES);
  await page.getByRole("button", { name: "Memorise this text" }).click();
  const mine = page.getByRole("region", { name: "Your text in memory" });
  await expect(mine.getByRole("progressbar")).toBeVisible();

  const suggested = mine.getByRole("group", { name: "Suggested questions" });
  await expect(suggested.getByRole("button")).toHaveCount(3, { timeout: PATIENCE });
  await suggested.getByRole("button", { name: "How much is the rent for a plot?" }).click();
  await expect(mine.locator("mark")).toHaveText("84 pounds per year", { timeout: PATIENCE });
  await expect(suggested.getByRole("button")).toHaveCount(2);
  await mine.getByLabel("Ask your own question").fill("What is the code of the gate?");
  await mine.getByRole("button", { name: "Ask", exact: true }).click();
  const answer = mine.locator("mark").filter({ hasText: "5082" });
  await expect(answer).toBeInViewport({ timeout: PATIENCE });
  expect(await page.evaluate(() => scrollY)).toBe(0);
  // The text is deleted, and the example is as it was.
  await expect(page.locator("[data-kind=source]")).toContainText("forgotten");
  await page.locator("header button[aria-haspopup=menu]").first().click();
  await expect(page.getByRole("menuitem", { name: /The lamp at Harrow Point/ })).toBeVisible();
  // On the next visit it can be asked at the same place, and one click reads it back.
  await page.reload();
  await expect(mine.getByLabel("Ask your own question")).toBeVisible();
  await mine.getByRole("button", { name: "Open the model" }).click();
  await expect(mine).toContainText("Said from memory", { timeout: PATIENCE });
  await expect(mine.getByText(/read back/)).toHaveCount(0);
  // On a phone the answer comes into view.
  await page.setViewportSize({ width: 390, height: 844 });
  await mine.getByLabel("Ask your own question").fill("How much is the rent for a plot?");
  await page.keyboard.press("Enter");
  await expect(mine.locator("mark").filter({ hasText: "84 pounds" })).toBeInViewport({ timeout: PATIENCE });
});

test("a file dropped anywhere on the example begins a notebook; a file without text says why @thorough", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByLabel("Try your own text").waitFor();
  await dropTexts(page.locator("header").first(), [
    { name: "broken.pdf", text: "%PDF-1.7 and nothing behind it" },
  ]);
  const mine = page.getByRole("region", { name: "Your text in memory" });
  await expect(page.getByRole("alert").filter({ hasText: "broken.pdf" }).first()).toBeVisible();
  // It is blank still: another text begins here.
  await page.getByLabel("Try your own text").fill("Clara lives in Lisbon.");
  await page.getByRole("button", { name: "Memorise this text" }).click();
  await expect(mine.getByRole("button", { name: "Where does Clara live?" })).toBeVisible({
    timeout: PATIENCE,
  });
  await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue(
    "Pasted text, 4 words",
  );
});

/** Of opening the model, a run and an answer, on a machine that does other things as well. */
const PATIENCE = 120_000;
