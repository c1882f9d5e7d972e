/**
 * @file The tab is killed at random moments of memorising, closed, crashed or by SIGKILL: what was stored stays, and the
 * run that is taken up ends as one that nobody disturbed. The seed is printed; PALIMPSEST_SEED repeats a run of it.
 */
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { seeded } from "../src/lib/rng.ts";
import { newCell, newNotebook } from "../src/notebook/create.ts";
import { layerIndex } from "../src/records/ids.ts";
import type { Memory } from "../src/records/memory.ts";
import { SHARP } from "../src/records/params.ts";
import { cellOf, comparable, importNotebook, pasteText, takenMemory } from "./support/app.ts";
import { attack, renderers } from "./support/attack.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });
test.use({ actionTimeout: 20_000 });

const RUN_MS = 120_000;
/** Of one run; PALIMPSEST_KILLS asks for more. */
const KILLS = Number(process.env["PALIMPSEST_KILLS"] ?? 3);
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

const start = (page: Page): Promise<void> =>
  cellOf(page, "memorize").getByRole("button", { name: "Memorise", exact: true }).click();

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

const WAYS = ["closed", "crashed", "killed"] as const;

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
  const button = cellOf(page, "memorize").getByRole("button", { name: "Memorise", exact: true });
  await expect(banner.or(button).first()).toBeVisible();
  // The banner comes when the memory was looked at, a moment after the cells.
  await page.waitForTimeout(500);
  if (await banner.isVisible()) await banner.getByRole("button", { name: "Go on" }).click();
  else if ((await stored(page)).length < FACTS.length) await button.click();
}

test("tabs killed at random moments of memorising lose nothing, and end as one that was let be", async ({
  browser,
  baseURL,
}) => {
  const seed = Number(process.env["PALIMPSEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`killed tabs: PALIMPSEST_SEED=${seed}`);
  const random = seeded(seed);

  const calm = await browser.newContext({ baseURL: baseURL! });
  const whole = await calm.newPage();
  await prepared(whole);
  const began = performance.now();
  await start(whole);
  const undisturbed = await memoryOf(whole);
  const runMs = performance.now() - began;
  await calm.close();

  const context = await browser.newContext({ baseURL: baseURL! });
  let page = await context.newPage();
  await prepared(page);
  await start(page);
  for (let i = 0; i < KILLS; i++) {
    const how = WAYS[i % WAYS.length]!;
    let before: string[] = [];
    await page.waitForTimeout(random() * 0.6 * runMs);
    before = await stored(page);
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
      return FACTS.length - new Set(memory.entries.map(({ id }) => id)).size;
    },
  );
  await context.close();
});
