/** @file The command palette: by keyboard to a cell, to a fact by its words, and to a command. */
import { expect, test } from "./support/test.ts";

test("it goes to a cell, finds a fact by its words, and does what the menu does", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("grid", { name: "Facts in memory" }).waitFor();
  const palette = page.getByRole("dialog", { name: "Go to, find or do" });
  const open = async (words: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").fill(words);
  };
  await open("");
  await expect(palette.getByRole("option").first()).toContainText("1. A palimpsest is a page");
  await palette.getByRole("combobox").fill("ask");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-kind=ask]")).toBeFocused();
  await expect(page.locator("[data-kind=ask]")).toBeInViewport();

  await open("mushrooms lind");
  await expect(palette.getByRole("option")).toHaveText([/Hugo Lind cannot eat mushrooms/]);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary", { name: "Fact" })).toContainText(
    "Hugo Lind cannot eat mushrooms",
  );
  await page.keyboard.press("Escape");

  await open("zzz");
  await expect(palette).toContainText("Nothing in this notebook has these words.");
  await palette.getByRole("combobox").fill("empty notebook");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-cell]")).toHaveCount(1);
});
