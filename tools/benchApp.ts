/**
 * @file `npm run bench:app`: what a newcomer waits for, measured in the built app on wasm in Chromium: page
 * interactive, bundled model ready, sample memorised, question answered. Prints figures; asserts nothing.
 */

import { readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import type { Page } from "@playwright/test";
import type { Notebook } from "../src/records/notebook.ts";
import { commit } from "./commit.ts";
import { serveApp } from "./servedApp.ts";

const MINUTES_AT_MOST = 10;

const app = await serveApp();
try {
  const page = await app.browser.newPage({ viewport: { width: 1440, height: 1000 } });
  const interactive = await firstLoad(page);
  const again = await secondLoad(page);
  await page.getByRole("button", { name: "Run all" }).click();
  const run = page.getByRole("button", { name: "Run all" });
  await run.waitFor({ state: "hidden" });
  await run.waitFor({ timeout: MINUTES_AT_MOST * 60_000 });
  const notebook = await exported(page);
  const of = <K extends string>(kind: K) =>
    notebook.cells.find((cell) => cell.kind === kind) as Extract<Notebook["cells"][number], { kind: K }>;
  const memorized = of("memorize").output!;
  const asked = of("ask").output!.history[0]!;
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
  const rows: [string, string, string][] = [
    ["page interactive, first visit", seconds(interactive), "1.5 s"],
    ["page interactive, second visit (service worker)", seconds(again), "1.5 s"],
    ["bundled model ready", seconds(of("model").output!.stamp.milliseconds), "5 s"],
    [
      `sample memorised (${memorized.encoded} facts, ${memorized.exact} exact)`,
      seconds(memorized.stamp.milliseconds),
      "60 s",
    ],
    [`"${asked.answer.question}" answered`, seconds(asked.stamp.milliseconds), "5 s"],
  ];
  const [processor] = cpus();
  console.log(
    `commit ${commit() ?? "unknown"}, ${processor?.model ?? "unknown processor"}, ${cpus().length} cores, ` +
      `load ${loadavg()[0]!.toFixed(1)} at the end, ${app.browser.version()}, ${asked.stamp.backend}\n`,
  );
  console.log("| what | measured | aimed at |\n|---|---|---|");
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
} finally {
  await app.close();
}

/** Milliseconds until the title can be edited and the buttons answer. */
async function firstLoad(page: Page): Promise<number> {
  const started = performance.now();
  await page.goto(app.url, { waitUntil: "commit" });
  await page.getByRole("button", { name: "Run all" }).waitFor();
  return performance.now() - started;
}

async function secondLoad(page: Page): Promise<number> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const started = performance.now();
  await page.reload({ waitUntil: "commit" });
  await page.getByRole("button", { name: "Run all" }).waitFor();
  return performance.now() - started;
}

async function exported(page: Page): Promise<Notebook> {
  await page.locator("header button[aria-haspopup=menu]").first().click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export as a file" }).click(),
  ]);
  return JSON.parse(await readFile(await download.path(), "utf8")) as Notebook;
}
