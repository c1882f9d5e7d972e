/** @file The page with scroll bars that take room, as most desktops have them: nothing is hidden behind one. */
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 180_000 });

test.use({
  launchOptions: [
    async ({ launchOptions }, use) => {
      await use({ ...launchOptions, ignoreDefaultArgs: ["--hide-scrollbars"] });
    },
    { scope: "worker" },
  ],
});

test("a table of one fact shows it, its names stand above their columns, and a title and a question of one line have no scroll bar @thorough", async ({
  page,
}) => {
  await page.goto("/");
  const grid = page.getByRole("grid", { name: "Facts in memory" });
  await expect(grid).toBeVisible({ timeout: 60_000 });
  const edges = (role: string): Promise<number[]> =>
    grid
      .getByRole(role as "gridcell")
      .evaluateAll((cells) => cells.slice(1, 9).map((cell) => Math.round(cell.getBoundingClientRect().left)));
  expect(await edges("columnheader")).toEqual(await edges("gridcell"));
  expect(await grid.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await page.getByRole("searchbox", { name: "Search the facts" }).fill("Project Beacon");
  await expect(grid.locator('[role="row"][aria-selected]')).toHaveCount(1);
  expect(await grid.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
  const title = page.getByRole("textbox", { name: "Title of the notebook" });
  expect(await title.evaluate((box: HTMLElement) => box.offsetWidth - box.clientWidth)).toBe(0);
  const box = page.getByRole("textbox", { name: "Question" });
  expect(await box.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
});
