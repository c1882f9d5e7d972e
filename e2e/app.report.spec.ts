/** @file The notebook as a page and its figures as files, made in the app and opened where there is no network. */
import AxeBuilder from "@axe-core/playwright";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { THOROUGH } from "../src/lib/testing/thorough.ts";
import { fromCsv } from "../src/figures/testing/readFigure.ts";
import { readZip } from "../src/lib/zip.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 240_000 });

/** Chooses an entry of the notebooks' menu and gives the path of the file that comes. */
async function exported(page: Page, name: string): Promise<{ path: string; file: string }> {
  if (page.url() === "about:blank") await page.goto("/");
  await page.locator("[data-kind=ask]").getByRole("article").first().waitFor({ timeout: 60_000 });
  await page.locator("header button[aria-haspopup=menu]").first().click();
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: 120_000 }),
    page.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click(),
  ]);
  return { path: await download.path(), file: download.suggestedFilename() };
}

test.describe("as a page", () => {
  test.use({ allowedRequests: /^file:/ });
  test("the notebook opens offline with its answers, facts and figures, and nothing in it runs", async ({
    page,
    browser,
  }) => {
    const { path, file } = await exported(page, "Export as a page");
    expect(file).toBe("the-lamp-at-harrow-point.html");
    const html = await readFile(path, "utf8");
    expect(html).not.toMatch(/<script|https?:\/\/|\son\w+=/i);
    const context = await browser.newContext({ offline: true });
    const report = await context.newPage();
    const problems: string[] = [];
    report.on("console", (message) => problems.push(message.text()));
    report.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) problems.push(request.url());
    });
    await report.setContent(html);
    await expect(report.getByRole("heading", { level: 1 })).toHaveText("The lamp at Harrow Point");
    await expect(report.getByText("Where is Mary?")).toBeVisible();
    const drawings = report.locator("figure .drawing > svg");
    const figures = report.locator("figure");
    expect(await drawings.count()).toBe(await figures.count());
    expect(await drawings.count()).toBeGreaterThanOrEqual(6);
    for (const drawing of await drawings.all()) {
      const { width, height } = (await drawing.boundingBox())!;
      // A figure of one row, as where the model chose every anchor, is 28 pixels high.
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(28);
    }
    await report.setViewportSize({ width: 390, height: 844 });
    expect(await report.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const { violations } = await new AxeBuilder({ page: report }).setLegacyMode().analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html: node }) => node)])).toEqual(
      [],
    );
    expect(problems).toEqual([]);
    await context.close();
    if (THOROUGH) await figuresAsFiles(page);
  });
});

/** The figures come as SVG, PNG and CSV, and the CSV reads back as the figure. */
async function figuresAsFiles(page: Page): Promise<void> {
  const { path, file } = await exported(page, "Figures as files");
  expect(file).toBe("the-lamp-at-harrow-point-figures.zip");
  const entries = await readZip(new Uint8Array(await readFile(path)), file);
  const names = [...entries.keys()];
  const stems = new Set(names.map((name) => name.replace(/\.\w+$/, "")));
  expect(stems.size).toBeGreaterThanOrEqual(6);
  for (const stem of stems) {
    const text = async (ending: string): Promise<string> =>
      new TextDecoder().decode(await entries.get(`${stem}.${ending}`)!.read());
    const figure = fromCsv(await text("csv"));
    expect(stem.endsWith(figure.id)).toBe(true);
    expect(figure.rows.length).toBeGreaterThan(0);
    const svg = await text("svg");
    expect(svg).toContain(`aria-label="${figure.title}"`);
    const png = await entries.get(`${stem}.png`)!.read();
    expect([...png.subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
  }
}
