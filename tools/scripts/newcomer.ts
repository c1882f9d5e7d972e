/**
 * @file `npm run tool -- newcomer`: the path of a newcomer, from the first screen to an answer about a text of 500 words, on
 * wasm in a browser that has never seen the page. Prints its seconds and clicks; the frames go into docs/newcomer.
 */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serveApp } from "../servedApp.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "docs/newcomer" },
    text: { type: "string", default: "tools/scripts/newcomer.txt" },
    question: { type: "string", default: "What is the code of the gate?" },
    answer: { type: "string", default: "5082" },
  },
});
const MOST_MS = 600_000;

mkdirSync(values.out, { recursive: true });
const app = await serveApp();
try {
  const page = await app.browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  page.setDefaultTimeout(MOST_MS);
  const began = performance.now();
  let frames = 0;
  const frame = async (what: string): Promise<void> => {
    const path = join(values.out, `${++frames}.jpg`);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    await page.screenshot({ path, type: "jpeg", quality: 60, scale: "css" });
    console.log(`${seconds.padStart(6)} s  ${path}  ${what}`);
  };
  await page.goto(app.url);
  await page.getByLabel("An example from the memory").waitFor();
  await frame("the first screen");
  await page.getByLabel("Try your own text").fill(readFileSync(values.text, "utf8"));
  await frame("the text is pasted");
  await page.getByRole("button", { name: "Memorise this text" }).click();
  const mine = page.getByRole("region", { name: "Your text in memory" });
  await mine.getByRole("progressbar").waitFor();
  await frame("first click: it is memorised");
  const suggested = mine.getByRole("group", { name: "Suggested questions" }).getByRole("button");
  await suggested.nth(2).waitFor();
  await frame("three questions are suggested");
  await suggested.first().click();
  await mine.locator("mark").first().waitFor();
  await frame("second click: the answer");
  const scrolled = await page.evaluate(() => scrollY);
  await mine.getByLabel("Ask your own question").fill(values.question);
  await page.keyboard.press("Enter");
  await mine.getByText(values.answer).first().waitFor();
  await frame("another question");
  console.log(`scrolled by ${scrolled} pixels`);
} finally {
  await app.close();
}
