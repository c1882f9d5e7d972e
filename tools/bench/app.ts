/**
 * @file `npm run bench -- app`: a first visit in the built app, on wasm in Chromium: bytes and layout shifts, page interactive, bundled model
 * ready, sample memorised, question answered. With `--text FILE` it memorises that file in place of the sample. With `--memory FILE
 * --ask QUESTION …` it imports that memory instead, and measures the time from *Ask* to the first sentences and to the whole answer.
 */

import { readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync } from "node:zlib";
import type { Page } from "@playwright/test";
import type { Notebook } from "../../src/records/notebook.ts";
import { commit } from "../commit.ts";
import { serveApp } from "../servedApp.ts";

const MINUTES_AT_MOST = 10;
/** Milliseconds per character of somebody who types fast. */
const KEY_MS = 100;

const { text, memory, ask } = parseArgs({
  options: { text: { type: "string" }, memory: { type: "string" }, ask: { type: "string", multiple: true } },
}).values;
const app = await serveApp();
try {
  await (memory ? measureQuestions(memory, ask ?? []) : measureVisit());
} finally {
  await app.close();
}

async function measureVisit(): Promise<void> {
  const page = await app.browser.newPage({ viewport: { width: 1440, height: 1000 } });
  const received = receivedBy(page);
  const interactive = await firstLoad(page);
  const { code, fonts } = await received();
  const shift = await shiftOf(page);
  const again = await secondLoad(page);
  if (text) await dropInEmptyNotebook(page, basename(text), await readFile(text, "utf8"));
  const seen = await watch(page);
  await page.getByRole("button", { name: "Run all" }).click();
  const run = page.getByRole("button", { name: "Run all" });
  await run.waitFor({ state: "hidden" });
  await run.waitFor({ timeout: MINUTES_AT_MOST * 60_000 });
  const { firstFact, longestFrame } = await seen();
  const notebook = await exported(page);
  const of = <K extends string>(kind: K) =>
    notebook.cells.find((cell) => cell.kind === kind) as Extract<Notebook["cells"][number], { kind: K }>;
  const memorized = of("memorize").output!;
  const asked = of("ask")?.output?.history[0];
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
  const rows: [string, string, string][] = [
    [`code and fonts of the first visit, brotli (fonts: ${kilo(fonts)})`, kilo(code + fonts), "300 KB"],
    ["layout shift of the first visit", shift.toFixed(4), "0.01"],
    ["page interactive, first visit", seconds(interactive), "1.5 s"],
    ["page interactive, second visit (service worker)", seconds(again), "1.5 s"],
    ["bundled model ready", seconds(of("model").output!.stamp.milliseconds), "5 s"],
    [
      `${text ? basename(text) : "sample"} memorised (${memorized.encoded} facts, ${memorized.exact} exact)`,
      seconds(memorized.stamp.milliseconds),
      text ? "" : "60 s",
    ],
    [
      "first stored fact in the memory cell, from Run all",
      firstFact === null ? "never" : seconds(firstFact),
      "5 s",
    ],
    ["longest time without a frame while all ran", seconds(longestFrame), "0.2 s"],
  ];
  if (asked) rows.push([`"${asked.answer.question}" answered`, seconds(asked.stamp.milliseconds), "5 s"]);
  const [processor] = cpus();
  console.log(
    `commit ${commit() ?? "unknown"}, ${processor?.model ?? "unknown processor"}, ${cpus().length} cores, ` +
      `load ${loadavg()[0]!.toFixed(1)} at the end, ${app.browser.version()}, ${memorized.stamp.backend}\n`,
  );
  console.log("| what | measured | aimed at |\n|---|---|---|");
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}

/** Imports a memory file into a new notebook, and asks it in the page. */
async function measureQuestions(file: string, questions: readonly string[]): Promise<void> {
  const page = await app.browser.newPage({ viewport: { width: 1440, height: 1000 } });
  await firstLoad(page);
  await emptyNotebook(page, ["Model", "Memory", "Ask"]);
  const buffer = await readFile(file);
  const picker = page.locator("[data-kind=store] input[type=file]");
  await picker.setInputFiles({ name: basename(file), mimeType: "application/zip", buffer });
  const dialog = page.getByRole("dialog", { name: "Import a memory" });
  await dialog
    .getByRole("button", { name: "Import", exact: true })
    .click({ timeout: MINUTES_AT_MOST * 60_000 });
  await dialog.waitFor({ state: "hidden", timeout: MINUTES_AT_MOST * 60_000 });
  await page.locator("[data-kind=model]").getByRole("button", { name: "Open model" }).click();
  await page.getByRole("button", { name: /^Device: wasm ready/ }).waitFor({ timeout: 120_000 });
  const cell = page.locator("[data-kind=ask]");
  console.log("| question | first sentences, ms | whole answer, ms |\n|---|---|---|");
  for (const question of questions) {
    // As fast as people type; meanwhile the page prepares the first question.
    const box = page.getByPlaceholder("Ask the memory");
    await box.clear();
    await box.pressSequentially(question, { delay: KEY_MS });
    const shown = await watchAnswer(page, question);
    await cell.getByRole("button", { name: "Ask", exact: true }).last().click();
    const { first, whole } = await shown();
    console.log(`| ${question} | ${first.toFixed(0)} | ${whole.toFixed(0)} |`);
  }
}

/** Watches for an answer to `question`; the returned function gives the milliseconds from the next click to what is on the screen. */
async function watchAnswer(page: Page, question: string) {
  await nameHelper(page);
  const following = await page.evaluateHandle((asked) => {
    let from = 0;
    addEventListener("click", () => (from = performance.now()), { capture: true, once: true });
    let first: number | undefined;
    const cell = document.querySelector("[data-kind=ask]")!;
    const shown = new Promise<{ first: number; whole: number }>((resolve, reject) => {
      setTimeout(() => reject(new Error(`no answer to "${asked}" within two minutes`)), 120_000);
      const frame = (): void => {
        if (from === 0) return void requestAnimationFrame(frame);
        const taken = performance.now() - from;
        const answered = [...cell.querySelectorAll("article")].some(({ textContent }) =>
          textContent.includes(asked),
        );
        // The sentences stand behind the line "Recalling" until the answer takes its place.
        const told = answered || cell.querySelector("[aria-busy=true] + p") !== null;
        if (told) first ??= taken;
        if (answered) resolve({ first: first!, whole: taken });
        else requestAnimationFrame(frame);
      };
      frame();
    });
    return { shown };
  }, question);
  return () => following.evaluate(({ shown }) => shown);
}

function kilo(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}

/** Bytes of the page's files until it is drawn, as a server sends them; without the example's data and the model. */
function receivedBy(page: Page): () => Promise<{ readonly code: number; readonly fonts: number }> {
  const files: { readonly font: boolean; readonly body: Promise<Buffer> }[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (!/(\/|\.(html|js|css|woff2))$/.test(pathname)) return;
    files.push({ font: pathname.endsWith(".woff2"), body: response.body() });
  });
  return async () => {
    await page.getByRole("grid", { name: "Facts in memory" }).waitFor();
    // Compressed only now: it would take a core from the page whose start is timed.
    let [code, fonts] = [0, 0];
    for (const { font, body } of files)
      if (font) fonts += (await body).length;
      else code += brotliCompressSync(await body).length;
    return { code, fonts };
  };
}

/** The cumulative layout shift so far. */
function shiftOf(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(sum), 500);
      }),
  );
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

/** A notebook with the cells that the main job takes, and a text dropped on the page. */
async function dropInEmptyNotebook(page: Page, name: string, words: string): Promise<void> {
  await emptyNotebook(page, ["Model", "Source", "Memorise", "Memory"]);
  const data = await page.evaluateHandle(
    (file) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([file.words], file.name));
      return transfer;
    },
    { name, words },
  );
  await page.locator("header").first().dispatchEvent("drop", { dataTransfer: data });
  await page.locator("[data-kind=source]").getByText("ready").first().waitFor();
}

async function emptyNotebook(page: Page, kinds: readonly string[]): Promise<void> {
  await page.locator("header button[aria-haspopup=menu]").first().click();
  await page.getByRole("menuitem", { name: "Empty notebook" }).click();
  for (const kind of kinds) {
    await page.locator("[data-add-at] button").last().click();
    await page.getByRole("menuitem", { name: new RegExp(`^${kind}\\b`) }).click();
  }
}

interface Seen {
  /** Milliseconds until the memory cell showed a fact. */
  readonly firstFact: number | null;
  readonly longestFrame: number;
}

/** Watches the page from now on; the returned function gives the results. */
async function watch(page: Page): Promise<() => Promise<Seen>> {
  await nameHelper(page);
  const following = await page.evaluateHandle(() => {
    const from = performance.now();
    const seen = { firstFact: null as number | null, longestFrame: 0, last: from };
    const frame = (): void => {
      const now = performance.now();
      seen.longestFrame = Math.max(seen.longestFrame, now - seen.last);
      seen.last = now;
      if (seen.firstFact === null && document.querySelector("[data-kind=store] [role=row][aria-selected]"))
        seen.firstFact = now - from;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    return seen;
  });
  return () => following.evaluate(({ firstFact, longestFrame }) => ({ firstFact, longestFrame }));
}

/** tsx names inner functions by a helper that the page does not have. */
async function nameHelper(page: Page): Promise<void> {
  await page.evaluate("globalThis.__name = (named) => named");
}

async function exported(page: Page): Promise<Notebook> {
  await page.locator("header button[aria-haspopup=menu]").first().click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export without its memory" }).click(),
  ]);
  return JSON.parse(await readFile(await download.path(), "utf8")) as Notebook;
}
