/**
 * @file `npm run tool -- shots`: pictures of the gallery (e2e/gallery.html), every section, light and dark, wide and
 * narrow, for looking at. They go to out/figures; --out DIR and --only SECTION change what and where.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium, type Browser } from "@playwright/test";
import { createServer } from "vite";
import { runCommand } from "../cli.ts";
import { findBrowser } from "../browser.ts";

const USAGE = `Usage: npm run tool -- shots [options]
  --out DIR       default out/figures
  --only SECTION  one of the gallery's sections, e.g. gates
  --theme THEME   light or dark; both without it
  --data NAME     one-fact, alike, all-exact or none-exact: with hardly anything to draw
  --width PIXELS  one width; 1440 and 390 without it
  --url URL       a gallery that is served already`;

const OPTIONS = {
  out: { type: "string", default: "out/figures" },
  only: { type: "string" },
  theme: { type: "string" },
  data: { type: "string" },
  width: { type: "string" },
  url: { type: "string" },
} as const;

const SETTLED_MS = 1000;
const SECTIONS = ["extraction", "layers", "encoding", "gates", "maps", "reconstructions", "studies"];

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const served = values.url ? null : await serve();
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    args: ["--headless=new", "--no-sandbox"],
    ...(executablePath ? { executablePath } : {}),
  });
  mkdirSync(values.out, { recursive: true });
  try {
    for (const section of values.only ? [values.only] : SECTIONS)
      for (const theme of values.theme ? [values.theme] : ["light", "dark"])
        for (const width of values.width ? [Number(values.width)] : [1440, 390]) {
          const name = [section, theme, String(width), ...(values.data ? [values.data] : [])].join("-");
          const path = join(values.out, `${name}.png`);
          const url = `${values.url ?? served!.url}/e2e/gallery.html?only=${section}&theme=${theme}${values.data ? `&data=${values.data}` : ""}`;
          await shoot(browser, url, width, path);
          console.log(path);
        }
  } finally {
    await browser.close();
    await served?.close();
  }
}

async function serve(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = await createServer({
    // Another build at the same time would reload the page.
    server: { port: 4338, host: "127.0.0.1", watch: null },
    logLevel: "error",
  });
  await server.listen();
  const { port } = server.config.server;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function shoot(browser: Browser, url: string, width: number, path: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  page.on("pageerror", (error) => {
    console.error(`${url}: ${error.message}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error") console.error(`${url}: ${message.text()}`);
  });
  await page.goto(url, { timeout: 120_000 });
  await page.waitForFunction(
    () => {
      const figures = [...document.querySelectorAll("[data-figure]")];
      const shown = "[data-drawing] :is(svg, canvas), table";
      return figures.length > 0 && figures.every((figure) => figure.querySelector(`${shown}, [data-empty]`));
    },
    undefined,
    { timeout: 120_000 },
  );
  // Drawings of a library that came late are drawn once more when they know their width.
  await page.waitForTimeout(SETTLED_MS);
  await page.screenshot({ path, fullPage: true });
  await page.close();
}

await runCommand(main, USAGE);
