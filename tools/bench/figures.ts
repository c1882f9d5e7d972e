/**
 * @file `npm run bench -- figures`: time to draw the figures of a memory of 50,000 made facts, with the longest task meanwhile, and
 * time and size of the report with all of them.
 */

import { parseArgs } from "node:util";
import { chromium } from "@playwright/test";
import { createServer } from "vite";
import { findBrowser } from "../browser.ts";
import { runCommand } from "../cli.ts";

const USAGE = `Usage: npm run bench -- figures [options]
  --url URL   a gallery that is served already, e.g. a build of it`;

interface Page {
  readonly bigFigures: readonly string[];
  readonly timeFigure: (name: string) => Promise<{ shown: number; longest: number }>;
  readonly timeReport: () => Promise<{ shown: number; longest: number; bytes: number }>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { url: { type: "string" } } as const });
  const server = values.url
    ? null
    : await createServer({ server: { port: 4339, host: "127.0.0.1", watch: null }, logLevel: "error" });
  await server?.listen();
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    args: ["--headless=new", "--no-sandbox"],
    ...(executablePath ? { executablePath } : {}),
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.on("pageerror", (error) => {
      console.error(error.message);
    });
    await page.goto(`${values.url ?? "http://127.0.0.1:4339"}/e2e/gallery.html?big`, { timeout: 180_000 });
    await page.waitForFunction(() => "bigFigures" in globalThis, undefined, { timeout: 180_000 });
    const names = await page.evaluate(() => (globalThis as unknown as Page).bigFigures);
    // The chart libraries are fetched with the first figure of each; a second round is without that.
    for (const round of ["first", "again"])
      for (const name of names) {
        const { shown, longest } = await page.evaluate(
          (one) => (globalThis as unknown as Page).timeFigure(one),
          name,
        );
        console.log(
          `${round.padEnd(6)} ${name.padEnd(26)} ${shown.toFixed(0).padStart(6)} ms to the frame, longest task ${longest.toFixed(0)} ms`,
        );
      }
    const report = await page.evaluate(() => (globalThis as unknown as Page).timeReport());
    console.log(
      `report of the memory: ${report.shown.toFixed(0)} ms, ${(report.bytes / 1e6).toFixed(1)} MB, longest task ${report.longest.toFixed(0)} ms`,
    );
  } finally {
    await browser.close();
    await server?.close();
  }
}

await runCommand(main, USAGE);
