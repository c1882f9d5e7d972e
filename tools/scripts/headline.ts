/**
 * @file `npm run tool -- headline`: the picture at the top of the README, accuracy by length of the text, as the page about
 * the paper draws it from docs/runs.
 */

import { serveApp } from "../servedApp.ts";

const OUT = "docs/screenshots/headline-light.png";
const SETTLED_MS = 1500;
const FIGURE = "Accuracy by length of the text";

const app = await serveApp();
try {
  const page = await app.browser.newPage({
    viewport: { width: 1100, height: 1000 },
    deviceScaleFactor: 2,
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  await page.goto(app.url);
  await page.locator("[data-kind=ask] article").first().waitFor();
  await page.locator("header [aria-haspopup=menu]").first().click();
  await page.getByRole("menuitem", { name: /^The paper/ }).click();
  const part = page.getByRole("region", { name: /^Figure 4/ });
  await part.getByRole("button", { name: /^Saved result: qa1, qa2 at .*2M/ }).click();
  await part.getByRole("button", { name: /^Figures/ }).click();
  const figure = part.getByRole("figure", { name: FIGURE });
  await figure.scrollIntoViewIfNeeded();
  await page.waitForTimeout(SETTLED_MS);
  await figure.screenshot({ path: OUT });
} finally {
  await app.close();
}
