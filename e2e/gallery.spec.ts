/**
 * @file The gallery: every figure is drawn from the recorded runs, its table says what its rows say, what it exports
 * reads back as the same figure, and axe finds no serious violation. Then, the gate that closes as θ moves.
 */

import { readFileSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { toCsv, type Figure } from "../src/figures/figure.ts";
import { DEGENERATE, type DegenerateName } from "../src/figures/testing/degenerate.ts";
import { galleryFigures, type Gallery } from "../src/figures/testing/gallery.ts";
import { fromCsv } from "../src/figures/testing/readFigure.ts";
import { readableColumns } from "../src/figures/registry.ts";
import { cellText } from "../src/ui/charts/kit/text.ts";
import { expect, test } from "./support/test.ts";

const gallery = JSON.parse(readFileSync("docs/runs/gallery.json", "utf8")) as Gallery;
const figures = galleryFigures(gallery).map(({ section, figure }): { section: string; figure: Figure } => ({
  section,
  figure,
}));
const expected = new Map(
  [...new Set(figures.map(({ section }) => section))].map((section) => [
    section,
    figures.filter((one) => one.section === section),
  ]),
);

async function open(page: Page, section: string, theme = "light"): Promise<void> {
  await page.goto(`/e2e/gallery.html?only=${section}&theme=${theme}`);
  await expect(page.locator("[data-figure]").first()).toBeVisible();
  await expect
    .poll(() => page.locator("[data-drawing]:not(:has(svg, canvas))").count(), { message: "all are drawn" })
    .toBe(0);
}

/** Figures as they stand; those that change under the reader's hands are tested by hand below. */
const still = (page: Page): Locator => page.locator("[data-figure]:not([data-live] *)");

/** The parts that draw them draw those of the other sections too. */
const named = (section: string): string => (section === "gates" ? section : `${section} @thorough`);

for (const [section, ofSection] of expected)
  test(`${named(section)}: drawings, tables and exports agree with the records; axe finds nothing serious`, async ({
    page,
  }) => {
    test.setTimeout(180_000);
    await open(page, section);
    await fits(page, section);
    await noViolations(page);
    await expect(still(page)).toHaveCount(ofSection.length);
    for (const [i, { figure }] of ofSection.entries()) {
      const shown = still(page).nth(i);
      await expect(shown).toHaveAttribute("data-figure", figure.id);
      await expect(shown.getByRole("heading", { name: figure.title, exact: true })).toBeVisible();
      await expect(shown).toContainText(figure.source.model);

      const csv = await exported(page, shown, "CSV");
      expect(rounded(fromCsv(csv))).toEqual(rounded(fromCsv(toCsv(figure))));

      const toggle = shown.getByRole("button", { name: /^Table of/ });
      if ((await toggle.count()) > 0) {
        const svg = await exported(page, shown, "SVG");
        expect(svg, `${figure.id} as SVG`).toContain(`aria-label="${escaped(figure.title)}"`);
        expect(svg).not.toContain("var(--");
        expect(svg).not.toContain("color-mix");
        await toggle.click();
      }
      const cells = shown.locator("tbody tr");
      await expect(cells).toHaveCount(Math.min(100, figure.rows.length));
      const texts = await cells.evaluateAll((rows) =>
        rows.slice(0, 20).map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)),
      );
      expect(texts).toEqual(
        figure.rows.slice(0, 20).map((row) => readableColumns(figure).map((column) => cellText(column, row))),
      );
    }
  });

test("studies: axe finds nothing serious @thorough", async ({ page }) => {
  test.setTimeout(180_000);
  await open(page, "studies");
  await fits(page, "studies");
  await noViolations(page);
});

/** In light and in dark. */
async function noViolations(page: Page): Promise<void> {
  const axe = new AxeBuilder({ page }).include("main");
  for (const theme of ["dark", "light"]) {
    await page.evaluate((name) => void (document.documentElement.dataset["theme"] = name), theme);
    // The theme changes colours, and nothing else.
    axe.options(theme === "dark" ? { runOnly: ["color-contrast"] } : {});
    const { violations } = await axe.analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(
      serious.map(({ id, nodes }) => [id, nodes[0]?.html.slice(0, 300), nodes[0]?.failureSummary]),
    ).toEqual([]);
  }
}

/** On a narrow page; then as wide as before. */
async function fits(page: Page, section: string): Promise<void> {
  const before = page.viewportSize()!;
  await page.setViewportSize({ width: 360, height: 800 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), { message: section })
    .toBeLessThanOrEqual(0);
  await page.setViewportSize(before);
}

test("a figure exports as a PNG; moving θ above the similarity closes the gate, and β moves the weights", async ({
  page,
}) => {
  await open(page, "gates", "dark");
  await exportedAsPng(page);
  await gateMoves(page);
});

/** A figure exports as a PNG at twice its size, on white. */
async function exportedAsPng(page: Page): Promise<void> {
  const shown = still(page).first();
  const bytes = await exportedBytes(page, shown, "PNG");
  expect(bytes.subarray(1, 4).toString("latin1")).toBe("PNG");
  const box = (await shown.locator("[data-drawing]").boundingBox())!;
  // Width of the IHDR chunk: the drawing and two margins, twice.
  expect(bytes.readUInt32BE(16)).toBeGreaterThanOrEqual(2 * box.width);
}

async function gateMoves(page: Page): Promise<void> {
  const panel = page.locator("[data-live]");
  const strip = panel.locator('[data-figure="gate-strip-soft"] svg[role="img"]');
  await expect(strip).toHaveAccessibleName(/gate is open at 1 position/);
  const theta = panel.getByRole("slider").first();
  await theta.focus();
  await theta.press("End");
  await expect(strip).toHaveAccessibleName(/At θ = 1 the gate is open at 0 positions.*injected at 0/);
  const weights = panel.locator('[data-figure="competitor-weights"] [role="img"]');
  const before = await weights.getAttribute("aria-label");
  const beta = panel.getByRole("slider").nth(1);
  await beta.focus();
  await beta.press("Home");
  await expect(weights).not.toHaveAccessibleName(before!);

  // Another position, by keyboard, has other competitors.
  const heading = panel.locator('[data-figure="competitor-weights"] h4');
  const at = Number(/position (\d+)/.exec((await heading.textContent())!)![1]);
  await panel.locator('[data-figure="gate-strip-top1"]').getByRole("group").press("ArrowRight");
  await expect(heading).toContainText(`position ${at + 1}`);
}

test("the arrow keys walk through the points of a chart", async ({ page }) => {
  await open(page, "encoding");
  const chart = page.locator('[data-figure="steps-histogram"]');
  await chart.locator("svg[role=img]").focus();
  await expect(chart).toContainText(/0–3 steps/);
  await page.keyboard.press("ArrowRight");
  await expect(chart).toContainText(/4–7 steps/);
});

/** Of the made memories one shows most of what can be missing. */
const degenerate = (data: DegenerateName): string => (data === "one-fact" ? data : `${data} @thorough`);

for (const data of Object.keys(DEGENERATE) as DegenerateName[])
  test(`every figure is drawn, or says why not, of a memory with hardly anything to draw: ${degenerate(data)}`, async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const made = galleryFigures(DEGENERATE[data](gallery));
    await page.goto(`/e2e/gallery.html?data=${data}`);
    for (const section of new Set(made.map((one) => one.section))) {
      const ofSection = page.locator(`section#${section}`).locator(still(page));
      const all = made.filter((one) => one.section === section);
      await expect(ofSection).toHaveCount(all.length);
      for (const [i, { figure }] of all.entries()) {
        const shown = ofSection.nth(i);
        await expect(
          shown.locator("[data-drawing] :is(svg, canvas), table, [data-empty]").first(),
        ).toBeVisible();
        const { words, places } = await shown.evaluate(saidAndPlaced);
        expect(words, `${data}, ${figure.id}`).not.toMatch(/NaN|undefined|Infinity|\bnull\b|\b1 facts\b/);
        expect(places, `${data}, ${figure.id}`).not.toMatch(/NaN|Infinity|undefined/);
      }
    }
  });

/** What a figure says, to the eye and read aloud, and the numbers that its marks are drawn by. */
function saidAndPlaced(figure: Element): { words: string; places: string } {
  const all = [figure, ...figure.querySelectorAll("*")];
  const values = (names: readonly string[]): string =>
    all.flatMap((one) => names.flatMap((name) => one.getAttribute(name) ?? [])).join(" ");
  return {
    words: `${figure.textContent} ${values(["aria-label", "title"])}`,
    places: values(["d", "points", "x", "y", "x1", "y1", "cx", "cy", "r", "width", "height", "transform"]),
  };
}

async function exported(page: Page, figure: Locator, as: string): Promise<string> {
  return (await exportedBytes(page, figure, as)).toString("utf8");
}

async function exportedBytes(page: Page, figure: Locator, as: string): Promise<Buffer> {
  await figure.getByRole("button", { name: /^Export/ }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: as }).click();
  return readFileSync(await (await waiting).path());
}

/** Math.exp of two engines may differ in the last digit. */
const rounded = (figure: Figure) => ({
  ...figure,
  rows: figure.rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === "number" ? Number(value.toPrecision(12)) : value,
      ]),
    ),
  ),
});

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
