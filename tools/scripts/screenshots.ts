/**
 * @file `npm run tool -- screenshots`: every cell of the worked example, light and dark, wide and narrow, as a newcomer sees
 * it, into docs/screenshots. Look at them after a change to the looks.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "@playwright/test";
import { serveApp } from "../servedApp.ts";

const { values } = parseArgs({ options: { out: { type: "string", default: "docs/screenshots" } } });
const WIDTHS = { wide: 1440, narrow: 390 } as const;
/** Animations of the first drawing (a sentence writes itself back in) have ended. */
const SETTLED_MS = 4000;
const ROWS_MS = 500;

mkdirSync(values.out, { recursive: true });
const app = await serveApp();
try {
  for (const theme of ["light", "dark"] as const)
    for (const [name, width] of Object.entries(WIDTHS)) {
      const context = await app.browser.newContext({
        viewport: { width, height: 1000 },
        colorScheme: theme,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      await page.goto(app.url);
      await page.locator("[data-kind=ask] article").first().waitFor();
      await page.waitForTimeout(SETTLED_MS);
      await page.screenshot({ path: join(values.out, `page-${theme}-${name}.png`) });
      await cells(page, `${theme}-${name}`);
      await context.close();
    }
} finally {
  await app.close();
}

/** One picture of each cell, with the trace of an answer unfolded. */
async function cells(page: Page, suffix: string): Promise<void> {
  await page.locator("[data-kind=ask] article button[aria-expanded=false]").first().click();
  // A cell higher than the window would have the header over its middle.
  await page
    .locator("header")
    .first()
    .evaluate((header) => (header.style.position = "static"));
  for (const cell of await page.locator("[data-cell]").all()) {
    const kind = await cell.getAttribute("data-kind");
    await cell.scrollIntoViewIfNeeded();
    // The rows of a long table are drawn once it is in view.
    await page.waitForTimeout(ROWS_MS);
    // Of a cell nearly as high as the view, Chromium leaves the end blank unless the page is taken whole.
    const clip = await cell.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y: y + scrollY, width, height };
    });
    await page.screenshot({ path: join(values.out, `${kind}-${suffix}.png`), fullPage: true, clip });
  }
}
