/** @file A browser that was last used with Palimpsest 0.1: its database opens in today's page, with every fact. */
import { restoreDatabase, v01Database, v01Recall } from "../src/store/testing/v01.ts";
import { cellOf } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 120_000 });

test("the page opens a database of version 0.1, and says whose memory it is", async ({ page }) => {
  const facts = v01Recall().app;
  // Of the same origin, and without the app, which would open the database itself.
  await page.goto("/e2e/page.html?worker=store");
  await page.evaluate(restoreDatabase, v01Database());
  await page.goto("/");
  await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue("Of version 0.1");
  await expect(page.locator("[data-cell]")).toHaveCount(8);
  const store = cellOf(page, "store");
  await expect(store.getByRole("status").first()).toHaveText(`All ${facts.length} facts`, {
    timeout: 60_000,
  });
  const search = store.getByRole("searchbox", { name: "Search the facts" });
  for (const { value } of facts) {
    await search.fill(value.replace(/\.$/, ""));
    const rows = store.locator('[role="row"][aria-selected]').filter({ hasText: value });
    await expect(rows).toHaveCount(facts.filter((fact) => fact.value === value).length);
  }
  await search.fill("");
  await expect(store).toContainText("Daniel (1)");
  await expect(cellOf(page, "experiment").locator("figure").first()).toBeVisible({ timeout: 60_000 });

  // The bundled model is another one: its answers would be of nothing, and the page says so.
  const ask = cellOf(page, "ask");
  await expect(ask.getByRole("article").first()).toHaveAttribute(
    "aria-label",
    "Question: What did Sandra sell?",
  );
  const box = ask.getByRole("textbox", { name: "Question" });
  await box.fill("Where is Mary?");
  await box.press("Enter");
  await expect(ask).toContainText("The stored memory belongs to taught-to-be-steered", { timeout: 90_000 });
});
