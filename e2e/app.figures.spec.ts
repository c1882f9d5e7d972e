/**
 * @file Figures of a memory in the app: every mark and every row of their tables leads to its fact, and two memories
 * stand beside each other on one scale: this one, and as it was before a fact was deleted.
 */
import AxeBuilder from "@axe-core/playwright";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { fromCsv } from "../src/figures/testing/readFigure.ts";
import { cellOf, prepareNotebook } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 600_000 });
/** The model takes seconds to open, and a fact seconds to encode, on a machine that does other things as well. */
const LONG = { timeout: 180_000 };

const FACTS = [
  "Mary moved to the garden.",
  "John went to the kitchen.",
  "Sandra went back to the hallway.",
  "Daniel journeyed to the bedroom.",
  "Mary picked up the lantern there.",
] as const;

const store = (page: Page): Locator => cellOf(page, "store");
const drawer = (page: Page): Locator => page.getByRole("complementary", { name: "Fact" });
const key = (page: Page): Locator => drawer(page).getByRole("heading", { level: 3 });
const figures = (page: Page, id: string): Locator => store(page).locator(`[data-figure="${id}"]`);
const rows = (page: Page): Locator =>
  page.getByRole("grid", { name: "Facts in memory" }).locator('[role="row"][aria-selected]');

async function memorized(page: Page): Promise<void> {
  // The writer would leave no losses to draw.
  await prepareNotebook(page, FACTS.join(" "), { start: "zero" });
  await page.getByRole("switch", { name: /^Forget the source/ }).click();
  await cellOf(page, "memorize").getByRole("button", { name: "Memorise", exact: true }).click();
  await expect(rows(page)).toHaveCount(FACTS.length, LONG);
  await store(page).getByRole("button", { name: "Figures", exact: true }).click();
}

async function section(page: Page, name: string): Promise<void> {
  await store(page).getByRole("radiogroup", { name: "Figures of" }).getByRole("radio", { name }).click();
}

/** The place of a drawing's first mark of a kind. */
async function clickMark(page: Page, id: string, mark: string, n = 0): Promise<void> {
  const drawing = figures(page, id).locator("[data-drawing]");
  await expect(drawing.locator("svg, canvas").first()).toBeVisible(LONG);
  await drawing.locator(mark).nth(n).scrollIntoViewIfNeeded();
  const box = (await drawing.locator(mark).nth(n).boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  // Charts find the mark under the pointer as it moves.
  await page.mouse.move(x - 2, y - 2);
  await page.mouse.move(x, y, { steps: 3 });
  await page.mouse.click(x, y);
}

/** From a list of facts that a mark opened to the first of them. */
async function openFirstListed(page: Page, id: string): Promise<void> {
  const list = figures(page, id).locator("[data-picked]");
  await expect(list).toBeFocused();
  const first = list.getByRole("listitem").first().getByRole("button");
  const name = (await first.locator("span").first().textContent())!;
  await first.click();
  await expect(key(page)).toHaveText(name);
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
}

/** From the table of a figure, by keyboard alone. */
async function openFromTable(page: Page, id: string, lists: boolean): Promise<void> {
  const figure = figures(page, id);
  await figure.getByRole("button", { name: /^Table of/ }).focus();
  await page.keyboard.press("Enter");
  const link = figure.locator("tbody button").first();
  const name = (await link.textContent())!;
  await link.focus();
  await page.keyboard.press("Enter");
  if (lists) {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(key(page)).toHaveText(/\(\d\)$/);
  } else await expect(key(page)).toHaveText(name);
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
}

test("figures of a memory lead to its facts, and stand beside those of an earlier state @thorough", async ({
  page,
}) => {
  await memorized(page);
  await leadToFacts(page);
  await standBesideAnEarlierState(page);
});

/** Every figure, by a click and by keyboard. */
async function leadToFacts(page: Page): Promise<void> {
  await section(page, "Layers");
  await clickMark(page, "facts-per-layer", ".recharts-bar-rectangle path");
  await openFirstListed(page, "facts-per-layer");
  await openFromTable(page, "facts-per-layer", true);
  await clickMark(page, "round-robin", "g > rect", 4);
  await expect(key(page)).toHaveText(/\(\d\)$/);
  await page.keyboard.press("Escape");
  await openFromTable(page, "round-robin", false);

  await section(page, "Encoding");
  await clickMark(page, "steps-histogram", ".recharts-bar-rectangle path");
  await openFirstListed(page, "steps-histogram");
  await openFromTable(page, "steps-histogram", true);
  await clickMark(page, "loss-curves", ".recharts-line-curve");
  await expect(key(page)).toHaveText(/\(\d\)$/);
  await page.keyboard.press("Escape");
  await openFromTable(page, "loss-curves", false);

  await section(page, "Gates");
  await expect(figures(page, "margins").locator("svg").first()).toBeVisible(LONG);
  const layer = store(page).getByRole("combobox", { name: "Layer" });
  // The layer with two facts: two cells of the matrix name both.
  for (let tries = 0; tries < 6; tries++) {
    if (/^All [2-9]/.test((await figures(page, "similarity-matrix").locator("figcaption p").textContent())!))
      break;
    await layer.click();
    await page
      .getByRole("option")
      .nth(tries + 1)
      .click();
    await expect(figures(page, "margins").locator("svg").first()).toBeVisible(LONG);
  }
  await clickMark(page, "similarity-matrix", "g > rect", 1);
  await expect(figures(page, "similarity-matrix").getByRole("listitem")).toHaveCount(2);
  await openFirstListed(page, "similarity-matrix");
  await clickMark(page, "margins", ".recharts-bar-rectangle path");
  await expect(key(page)).toHaveText(/\(\d\)$/);
  // Inside the inspector the neighbours lead on.
  const own = await key(page).textContent();
  await drawer(page).getByRole("button", { name: "Nearest facts", exact: true }).click();
  const nearest = drawer(page).getByRole("table", { name: "Nearest facts by residual" });
  await expect(nearest).toBeVisible(LONG);
  await nearest.getByRole("button").first().click();
  await expect(key(page)).not.toHaveText(own!);
  await page.keyboard.press("Escape");
  await openFromTable(page, "margins", false);

  await section(page, "Maps");
  await clickMark(page, "map-residual-pca", "circle", 6);
  await expect(key(page)).toHaveText(/\(\d\)$/);
  await page.keyboard.press("Escape");
  await openFromTable(page, "map-residual-pca", false);

  // From a part of the strip to the facts in it; the text is kept, so that decisions have samples.
  await section(page, "Extraction");
  await openFromTable(page, "extraction-strip", true);
  await figures(page, "extraction-strip")
    .getByRole("button", { name: /^Table of/ })
    .click();
  await clickMark(page, "extraction-strip", "svg g:last-of-type rect");
  await openFirstListed(page, "extraction-strip");
  await store(page).getByRole("button", { name: "Show samples of the decisions" }).click();
  await expect(figures(page, "extraction-reasons")).toHaveCount(2, LONG);
}

/** As the memory was before a fact was deleted, on one scale. */
async function standBesideAnEarlierState(page: Page): Promise<void> {
  await store(page).getByRole("button", { name: "Keep a copy to compare with" }).click();
  await expect(page.getByText(/A copy of this memory was saved as the notebook “/)).toBeVisible();

  // One fact is deleted in the inspector, which shows no other fact in its place.
  await rows(page).getByText("Sandra", { exact: true }).click();
  await expect(key(page)).toHaveText("Sandra (1)");
  await drawer(page).getByRole("button", { name: "Delete" }).click();
  await expect(drawer(page)).toContainText("This fact is being deleted.");
  await expect(rows(page)).toHaveCount(FACTS.length - 1);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete now" }).click();
  await expect(
    store(page)
      .getByText(/Deleted|certificate/i)
      .first(),
  ).toBeVisible(LONG);

  const chooser = store(page).getByRole("combobox", { name: "Compare with" });
  await expect(chooser).toBeEnabled();
  await chooser.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("option", { name: /this one alone/ })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("option", { name: /UTC/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(chooser).toContainText("UTC");

  await section(page, "Layers");
  const perLayer = figures(page, "facts-per-layer");
  await expect(perLayer).toHaveCount(2);
  await expect(perLayer.nth(0)).toContainText(`${FACTS.length - 1} facts on`);
  await expect(perLayer.nth(1)).toContainText(`${FACTS.length} facts on`);
  const ticks = (figure: Locator) => figure.locator(".recharts-yAxis-tick-labels text").allTextContents();
  await expect.poll(async () => (await ticks(perLayer.nth(0))).length).toBeGreaterThan(1);
  expect(await ticks(perLayer.nth(0))).toEqual(await ticks(perLayer.nth(1)));

  await section(page, "Encoding");
  for (const id of ["loss-curves", "steps-histogram"])
    await expect(figures(page, id), id).toHaveCount(2, LONG);
  expect(await ticks(figures(page, "loss-curves").nth(0))).toEqual(
    await ticks(figures(page, "loss-curves").nth(1)),
  );

  await section(page, "Gates");
  for (const id of ["similarity-matrix", "margins"]) await expect(figures(page, id), id).toHaveCount(2, LONG);

  // In one projection, a fact that both remember lies at one place.
  await section(page, "Maps");
  const maps = figures(page, "map-residual-pca");
  await expect(maps).toHaveCount(2, LONG);
  // They stay as they are, with what is open in them, while something else is written in the notebook.
  await maps.nth(1).evaluate((figure) => figure.setAttribute("data-same", ""));
  await page.getByRole("textbox", { name: "Question" }).fill("Where is Mary?");
  await expect(page.locator("[data-same]")).toHaveCount(1);
  const files = [await csvOf(page, maps.nth(0)), await csvOf(page, maps.nth(1))].map(fromCsv);
  const [now, before] = files;
  expect(now!.title).not.toBe(before!.title);
  expect(before!.title).toContain("UTC");
  expect(before!.rows).toHaveLength(now!.rows.length + 1);
  for (const row of now!.rows)
    expect(before!.rows.find(({ fact }) => fact === row["fact"])).toMatchObject({
      x: expect.closeTo(row["x"] as number, 3) as unknown,
      y: expect.closeTo(row["y"] as number, 3) as unknown,
    });

  const { violations } = await new AxeBuilder({ page }).include("[data-kind=store]").analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => [id, nodes[0]?.html.slice(0, 300)])).toEqual([]);

  // The other memory's facts open where they are: the deleted one is still in the copy.
  await maps
    .nth(1)
    .getByRole("button", { name: /^Table of/ })
    .click();
  await maps.nth(1).getByRole("button", { name: "Sandra (1): open this fact" }).click();
  await expect(key(page)).toHaveText("Sandra (1)", LONG);
  await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue(/UTC$/);
  await expect(rows(page)).toHaveCount(FACTS.length);
}

async function csvOf(page: Page, figure: Locator): Promise<string> {
  await figure.getByRole("button", { name: /^Export/ }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^CSV/ }).click(),
  ]);
  return readFile(await download.path(), "utf8");
}
