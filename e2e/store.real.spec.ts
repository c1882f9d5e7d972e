/** Memories of real size, measured: `npm run bench -- store`. What it prints is for docs/benchmarks; it asserts what no machine may change. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { commit } from "../tools/commit.ts";
import { findBrowser, QUIET } from "../tools/browser.ts";
import { cellOf } from "./support/app.ts";
import type { CallCheck } from "./support/test.ts";
import { expect, test } from "./support/test.ts";
import { madeWord } from "./support/realSize.ts";
import type { RealSizeChecks } from "./workers/realSize.worker.ts";

test.skip(!process.env["PALIMPSEST_BENCH"], "a measurement: npm run bench -- store");

const FACTS = Number(process.env["PALIMPSEST_FACTS"] ?? 50_000);
const FEW = 100;
const MB = 1e6;

test("a memory of 50,000 facts in the widths of Qwen3-4B", async ({ baseURL }) => {
  test.setTimeout(45 * 60_000);
  const executablePath = findBrowser();
  // Memory is asked for many times; without the flag each answer waits for a collection of some twenty seconds.
  const args = [...QUIET, "--enable-blink-features=ForceEagerMeasureMemory"];
  // A profile on disk, as people have: one without keeps everything in memory, uncompressed.
  const profile = mkdtempSync(join(tmpdir(), "palimpsest-store-"));
  const options = { args, baseURL: baseURL!, ...(executablePath ? { executablePath } : {}) };
  const context = await chromium.launchPersistentContext(profile, options);
  try {
    const app = await context.newPage();
    const memory = await notebookWithMemory(app);
    const page = await context.newPage();
    await page.goto("/e2e/page.html?worker=realSize");
    await page.waitForFunction(() => typeof window.callWorker === "function");
    const check: CallCheck<RealSizeChecks> = async (name, ...[argument]) => {
      const answer = await page.evaluate(([c, a]) => window.callWorker(c, a), [name, argument] as const);
      if ("error" in answer) throw new Error(answer.error.message);
      return answer.value as never;
    };
    console.log(
      `commit ${commit() ?? "unknown"}, ${FACTS} facts, ${context.browser()?.version() ?? "unknown"}`,
    );
    const weights = await check("open", { tokenizer: `${baseURL!}/models/palimpsest-7m/` });
    console.log(`model on wasm in q8: ${(weights / MB).toFixed(0)} MB of weights`);
    await check("make", { memory: "few", facts: FEW });
    const few = await check("recall", { memory: "few", layers: 1 });
    const made = await check("make", { memory, facts: FACTS });
    console.log("made", JSON.stringify(made));
    console.log("table", JSON.stringify(await check("table", { memory })));
    const found = await check("find", {
      memory,
      question: `Which ledger has ${madeWord(900)} and ${madeWord(90)}?`,
    });
    console.log("found", JSON.stringify(found));
    expect(found.prepared.facts).toBe(found.first.facts);
    expect(found.first.facts).toBeGreaterThan(0);
    const heap = await heapWhile(page, check, () => check("recall", { memory, layers: 1 }));
    console.log(`few ${JSON.stringify(few)}\none layer ${JSON.stringify(heap)}`);
    const both = await heapWhile(page, check, () => check("recall", { memory, layers: 2 }));
    console.log(`two layers ${JSON.stringify(both)}`);
    const copied = await heapWhile(page, check, () => check("copy", { from: memory, to: "copy" }));
    console.log(`exported and imported ${JSON.stringify(copied)}`);
    expect(copied.value.added).toBe(FACTS);
    console.log("memory cell, ms and bytes", JSON.stringify(await memoryCell(app)));
    expect(Object.keys(heap.value.read)).toEqual(["0"]);
    expect(Object.keys(both.value.read)).toEqual(["0", "1"]);
    expect([heap.value.won, both.value.won]).toEqual([heap.value.facts, both.value.facts]);
    console.log(`device beside vectors: ${few.beside} and ${heap.value.beside} bytes`);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
});

/** An empty notebook with a memory cell; its id is that of its memory. */
async function notebookWithMemory(page: Page): Promise<string> {
  await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  await page.locator("header button[aria-haspopup=menu]").first().click();
  await page.getByRole("menuitem", { name: "Empty notebook" }).click();
  await expect(page.locator("[data-cell]")).toHaveCount(1);
  await page.locator("[data-add-at] button").last().click();
  await page.getByRole("menuitem", { name: /^Memory\b/ }).click();
  await cellOf(page, "store").waitFor();
  const newest = () =>
    page.evaluate(
      () =>
        new Promise<{ id: string; cells: number } | undefined>((resolve) => {
          const opening = indexedDB.open("palimpsest");
          opening.onsuccess = () => {
            const all = opening.result.transaction("notebooks").objectStore("notebooks").getAll();
            all.onsuccess = () => {
              opening.result.close();
              const heads = all.result as { id: string; updated: string; cells: number }[];
              resolve(heads.sort((a, b) => (a.updated < b.updated ? 1 : -1))[0]);
            };
          };
        }),
    );
  await expect.poll(async () => (await newest())?.cells).toBe(2);
  return (await newest())!.id;
}

/**
 * Milliseconds from a reload until the page answers, and from then until rows of the memory are there; what the page and
 * its workers take then, with no model open.
 */
async function memoryCell(
  page: Page,
): Promise<{ readonly page: number; readonly rows: number; readonly bytes: number }> {
  const started = performance.now();
  await page.reload({ waitUntil: "commit" });
  await page.getByRole("button", { name: "Run all" }).waitFor();
  const interactive = performance.now();
  await page.locator("[data-kind=store] [role=row][aria-selected]").first().waitFor({ timeout: 120_000 });
  const rows = performance.now() - interactive;
  return { page: Math.round(interactive - started), rows: Math.round(rows), bytes: await bytesOf(page) };
}

interface Heap<T> {
  readonly value: T;
  /**
   * Bytes of JavaScript, of the page and its workers together, without what is the device here: the most that was seen,
   * after how many seconds, and the median.
   */
  readonly javascript: { readonly most: number; readonly after: number; readonly median: number };
  /** Looks at which the device held the same before and after, of all. */
  readonly samples: number;
  readonly looks: number;
}

type Measured = Performance & { measureUserAgentSpecificMemory(): Promise<{ readonly bytes: number }> };

const bytesOf = (page: Page): Promise<number> =>
  page.evaluate(async () => (await (performance as Measured).measureUserAgentSpecificMemory()).bytes);

/** Looks at the memory of the page while `work` runs, and once when it has ended. */
async function heapWhile<T>(
  page: Page,
  check: CallCheck<RealSizeChecks>,
  work: () => Promise<T>,
): Promise<Heap<T>> {
  const seen: { readonly bytes: number; readonly at: number }[] = [];
  const started = performance.now();
  let [looks, running] = [0, true];
  const look = async (): Promise<void> => {
    const before = await check("device");
    const all = await bytesOf(page);
    // What was on the device all the while: what is left is not less than it was.
    const at = Math.round((performance.now() - started) / 1000);
    // Where vectors came to the device meanwhile nobody knows how many of them were counted.
    if ((await check("device")) === before) seen.push({ bytes: all - before, at });
    looks++;
  };
  const looking = (async () => {
    while (running) await look();
  })();
  const value = await work().finally(() => (running = false));
  await looking;
  await look();
  const sorted = seen.toSorted((a, b) => b.bytes - a.bytes);
  const [{ bytes: most, at: after }, { bytes: median }] = [sorted[0]!, sorted[sorted.length >> 1]!];
  return { value, javascript: { most, after, median }, samples: seen.length, looks };
}
