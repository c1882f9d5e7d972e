/**
 * @file `npx tsx tools/benchTable.ts`: the fact table of the store cell with 50,000 made facts in Chromium: time to
 * the first rows, the longest task while scrolling through all of it, and what a search and a sort cost. Prints
 * figures; asserts nothing.
 */

import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium, type Browser, type Page } from "@playwright/test";
import react from "@vitejs/plugin-react";
import { build, preview } from "vite";
import { findBrowser } from "./browser.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "50000" },
    width: { type: "string", default: "1440" },
    port: { type: "string", default: "4391" },
    out: { type: "string", default: "out/bench-table" },
  },
});

/** What an action cost the page's main thread, in milliseconds. */
interface Cost {
  /** From the action to its end on the page. */
  readonly wall: number;
  /** The longest task by the clock, which on a busy machine counts the others' work too. */
  readonly task: number;
  /** The longest task by the thread's own processor time. */
  readonly cpu: number;
  /** Tasks of 50 ms of processor time and more. */
  readonly over50: number;
  /** Processor time of all tasks. */
  readonly total: number;
}

/** One event of a Chromium trace; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const root = fileURLToPath(new URL("./factTable/", import.meta.url));
const outDir = fileURLToPath(new URL(`../${values.out}`, import.meta.url));

/** The page as it would ship: production React, minified. */
async function serve(): Promise<{ url: string; close: () => Promise<void> }> {
  const shared = { configFile: false as const, root, logLevel: "error" as const };
  await build({
    ...shared,
    plugins: [react()],
    build: { outDir, emptyOutDir: true, target: "esnext", rolldownOptions: { input: `${root}page.html` } },
  });
  const server = await preview({
    ...shared,
    build: { outDir },
    preview: { host: "127.0.0.1", port: Number(values.port), strictPort: true },
  });
  return { url: `http://127.0.0.1:${values.port}/page.html`, close: () => server.close() };
}

/** Runs `action` under a trace of the page's main thread. */
async function watched(browser: Browser, page: Page, action: () => Promise<unknown>): Promise<Cost> {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  const started = performance.now();
  await action();
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  });
  const wall = performance.now() - started;
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const tasks = mainThreadTasks(trace.traceEvents);
  const most = (pick: (task: TraceEvent) => number): number =>
    tasks.reduce((longest, task) => Math.max(longest, pick(task) / 1000), 0);
  return {
    wall,
    task: most(({ dur }) => dur ?? 0),
    cpu: most(({ tdur }) => tdur ?? 0),
    over50: tasks.filter(({ tdur }) => (tdur ?? 0) >= 50_000).length,
    total: tasks.reduce((sum, { tdur }) => sum + (tdur ?? 0) / 1000, 0),
  };
}

/** Tasks of the renderer that worked most: the page's, where the others wait. */
function mainThreadTasks(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const mains = events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const tasksOf = ({ pid, tid }: TraceEvent): TraceEvent[] =>
    events.filter(
      (event) => event.pid === pid && event.tid === tid && event.ph === "X" && event.name.endsWith("RunTask"),
    );
  const busy = (tasks: readonly TraceEvent[]): number =>
    tasks.reduce((sum, { tdur }) => sum + (tdur ?? 0), 0);
  return mains.map(tasksOf).sort((x, y) => busy(y) - busy(x))[0] ?? [];
}

/** Scrolls as a wheel does, a screen and a half at a time, then jumps through the whole table. */
async function scrollAll(page: Page): Promise<void> {
  await page.getByRole("grid").evaluate(async (grid) => {
    const frame = (): Promise<number> => new Promise(requestAnimationFrame);
    for (let step = 0; step < 120; step++) {
      grid.scrollTop += grid.clientHeight * 0.4;
      await frame();
    }
    for (let step = 0; step <= 60; step++) {
      grid.scrollTop = (grid.scrollHeight * step) / 60;
      await frame();
    }
  });
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;

async function main(): Promise<void> {
  const { url, close } = await serve();
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    args: ["--headless=new", "--no-sandbox", "--disable-quic"],
    ...(executablePath ? { executablePath } : {}),
  });
  try {
    const page = await browser.newPage({ viewport: { width: Number(values.width), height: 900 } });
    // tsx keeps the names of functions with a helper that the page does not have.
    await page.addInitScript({ content: "globalThis.__name = (named) => named;" });
    const load = await watched(browser, page, async () => {
      await page.goto(`${url}?rows=${values.rows}`);
      await page.locator('[role="row"][aria-rowindex="2"]').waitFor();
    });
    const first = await page.evaluate(() => {
      const at = (name: string): number => performance.getEntriesByName(name)[0]!.startTime;
      return { now: performance.now(), drawing: at("drawing") };
    });
    const rendered = await page.locator('[role="row"]').count();
    const scroll = await watched(browser, page, () => scrollAll(page));
    const search = await watched(browser, page, async () => {
      await page.getByRole("searchbox", { name: "Search the facts" }).fill("lantern 17");
      await page.getByRole("status").filter({ hasText: " of " }).waitFor();
    });
    await page.getByRole("button", { name: "Clear filters" }).click();
    const sort = await watched(browser, page, async () => {
      await page.getByRole("button", { name: "Columns and order" }).click();
      await page.getByRole("menuitem", { name: "Sort by as recalled" }).click();
    });
    const all = await watched(browser, page, () =>
      page.getByRole("button", { name: "Select all", exact: true }).click(),
    );
    console.log(
      `fact table, ${values.rows} facts, ${values.width} px, Chromium ${browser.version()}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}`,
    );
    console.log(
      `first rows      ${ms(first.now - first.drawing)} after drawing began; ${ms(load.total)} of processor time with the making of the facts; ${rendered} rows in the document`,
    );
    console.log(`scrolling       ${cost(scroll)}`);
    console.log(`search          ${cost(search)}`);
    console.log(`sort by text    ${cost(sort)}`);
    console.log(`select all      ${cost(all)}`);
  } finally {
    await browser.close();
    await close();
  }
}

const cost = ({ wall, task, cpu, over50 }: Cost): string =>
  `${ms(wall)}; longest task ${ms(cpu)} of processor time (${ms(task)} by the clock), ${over50} of 50 ms or more`;

await main();
