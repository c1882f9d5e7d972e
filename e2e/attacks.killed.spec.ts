/**
 * @file Runs that are cut off while they memorise end as one that nobody disturbed. The tab is closed in mid-run, then killed
 * at random moments (SIGKILL, crash, closed), and the engine worker dies. The seed is printed; PALIMPSEST_SEED repeats it.
 */
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { seeded } from "../src/lib/rng.ts";
import { rounds } from "../src/lib/testing/thorough.ts";
import { newCell, newNotebook } from "../src/notebook/kinds.ts";
import { layerIndex } from "../src/records/ids.ts";
import type { Memory } from "../src/records/memory.ts";
import { SHARP } from "../src/records/params.ts";
import { cellOf, comparable, importNotebook, pasteText, takenMemory } from "./support/app.ts";
import { attack, renderers } from "./support/attack.ts";
import { expect, test } from "./support/test.ts";

// In order, and again from the first if one fails: the others are compared with its memory.
test.describe.configure({ mode: "serial", timeout: 300_000 });
test.use({ actionTimeout: 20_000, allowedConsole: /killed by a test/ });

const RUN_MS = 120_000;
const KILLS = rounds(2, 30);
const PEOPLE = ["Mary", "John", "Sandra", "Daniel", "Clara", "Peter"];
const FACTS = ["garden", "kitchen"].flatMap((room) =>
  PEOPLE.map((person) => `${person} went to the ${room}.`),
);

/** Small batches that use every step: a checkpoint every second or two. */
const NOTEBOOK = newNotebook(
  "killed-by-a-test",
  "Killed",
  [
    newCell("model", "m"),
    newCell("source", "s"),
    newCell("memorize", "r", {
      params: {
        ...SHARP,
        anchors: "rules",
        questionsPerFact: 1,
        encodeBatch: 2,
        steps: 20,
        schedule: "paper",
      },
      layers: [3, 4].map(layerIndex),
    }),
    newCell("store", "f"),
  ],
  "2026-01-01T00:00:00.000Z",
);

/** Pressed again if the page moved under the first press: the marks of the text come in above. */
async function start(page: Page): Promise<void> {
  const cell = cellOf(page, "memorize");
  await expect(async () => {
    await cell.getByRole("button", { name: "Memorise", exact: true }).click();
    await expect(cell.getByRole("button", { name: "Stop" })).toBeVisible({ timeout: 2000 });
  }).toPass();
}

/** Waits until some facts are stored and many are not. */
const midway = (page: Page): Promise<void> =>
  expect
    .poll(async () => (await stored(page)).length, { timeout: RUN_MS, intervals: [200] })
    .toBeGreaterThan(0);

async function prepared(page: Page): Promise<void> {
  await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  await importNotebook(page, NOTEBOOK);
  await pasteText(page, FACTS.join(" "));
  await expect(page.getByText("Saved in this browser")).toBeVisible();
}

/** Ids of the facts that the database holds, whatever the page says. */
const stored = (page: Page): Promise<string[]> =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open("palimpsest");
        opening.onerror = () => reject(new Error(opening.error?.message));
        opening.onsuccess = () => {
          const database = opening.result;
          const reading = database.transaction("entries").objectStore("entries").getAll();
          reading.onerror = () => reject(new Error(reading.error?.message));
          reading.onsuccess = () => {
            database.close();
            const rows = reading.result as { ids: [string, string][] }[];
            resolve(rows.flatMap(({ ids }) => ids.map(([, id]) => id)));
          };
        };
      }),
  );

/** The memory as a person takes it away, once all facts are in. */
async function memoryOf(page: Page): Promise<Memory> {
  const store = cellOf(page, "store");
  await expect(store.getByRole("grid", { name: "Facts in memory" })).toHaveAttribute(
    "aria-rowcount",
    String(FACTS.length + 1),
    { timeout: RUN_MS },
  );
  await expect(cellOf(page, "memorize").getByRole("button", { name: "Stop" })).toHaveCount(0, {
    timeout: RUN_MS,
  });
  return takenMemory(page);
}

const WAYS = ["closed", "killed", "crashed"] as const;

async function kill(page: Page, browser: Browser, how: (typeof WAYS)[number]): Promise<void> {
  if (how !== "closed") {
    const crashed = page.waitForEvent("crash");
    if (how === "crashed") void page.goto("chrome://crash").catch(() => undefined);
    else for (const pid of await renderers(browser)) process.kill(pid, "SIGKILL");
    await crashed;
  }
  await page.close();
}

/** The page again; the run that was cut off is taken up where it waits, and begun where nothing of it was stored. */
async function again(context: BrowserContext): Promise<Page> {
  // Chromium keeps a process ready for the next page, which was killed as well.
  const page = await context.newPage().catch(() => context.newPage());
  await page.goto("/");
  await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue("Killed");
  return page;
}

async function goOn(page: Page): Promise<void> {
  const banner = page.getByRole("status").filter({ hasText: "A run was interrupted" });
  const resume = banner.getByRole("button", { name: "Go on" });
  // Earlier rounds may have stored all facts: the run has ended, or has only its last stage before it.
  const facts = (await stored(page)).length;
  if (facts === FACTS.length) return resume.click({ timeout: 2000 }).catch(() => undefined);
  if (facts === 0) return start(page);
  const [waiting, safe] = [FACTS.length - facts, facts];
  await expect(banner).toContainText(
    new RegExp(`^\\D*${waiting} facts? waits? to be encoded; ${safe} facts? (is|are) safe in the memory`),
  );
  // What is stored is there already, before anything goes on.
  await expect(cellOf(page, "store").getByRole("grid", { name: "Facts in memory" })).toHaveAttribute(
    "aria-rowcount",
    String(facts + 1),
  );
  await resume.click();
}

let undisturbed: Memory;
let runMs: number;

test("a run that nobody disturbs stores every fact @thorough", async ({ page }) => {
  await prepared(page);
  await expect(cellOf(page, "memorize")).toContainText("Storage layers 3, 4, given");
  const began = performance.now();
  await start(page);
  undisturbed = await memoryOf(page);
  runMs = performance.now() - began;
  expect(undisturbed.entries.filter(({ report }) => report.exact).length).toBeGreaterThan(FACTS.length * 0.8);
});

test("tabs killed while they memorise lose nothing, and end as one that was let be @thorough", async ({
  browser,
  baseURL,
}) => {
  const seed = Number(process.env["PALIMPSEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`killed tabs: PALIMPSEST_SEED=${seed}`);
  const random = seeded(seed);

  const context = await browser.newContext({ baseURL: baseURL! });
  let page = await context.newPage();
  await prepared(page);
  await start(page);
  for (let i = 0; i < KILLS; i++) {
    const how = WAYS[i % WAYS.length]!;
    if (i === 0) await midway(page);
    else await page.waitForTimeout(random() * 0.6 * runMs);
    const before = await stored(page);
    await kill(page, browser, how);
    page = await again(context);
    const facts = before.length;
    await attack(
      browser,
      { kind: "killed tabs", name: `${how} with ${facts} facts stored`, facts },
      async () => {
        const now = new Set(await stored(page));
        await goOn(page);
        return before.filter((id) => !now.has(id)).length;
      },
    );
  }
  await attack(
    browser,
    { kind: "killed tabs", name: "a run taken up after all of them", facts: FACTS.length },
    async () => {
      const memory = await memoryOf(page);
      expect(comparable(memory)).toEqual(comparable(undisturbed));
      await expect(page.getByText("A run was interrupted")).toHaveCount(0);
      return FACTS.length - new Set(memory.entries.map(({ id }) => id)).size;
    },
  );
  await context.close();
});

test("an engine worker that dies in the middle of encoding: it is said, and starting again ends the same @thorough", async ({
  page,
}) => {
  await prepared(page);
  await start(page);
  await midway(page);
  const engine = page.workers().find((worker) => /engine/.test(worker.url()))!;
  await engine.evaluate(() => {
    setTimeout(() => {
      throw new Error("killed by a test");
    });
  });
  const failure = cellOf(page, "memorize").getByRole("alert");
  await expect(failure).toContainText(/killed by a test/);
  await failure.getByRole("button", { name: /again/i }).click();
  expect(comparable(await memoryOf(page))).toEqual(comparable(undisturbed));
});
