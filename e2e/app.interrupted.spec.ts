/** @file Runs that are cut off, by a closed tab and by a worker that dies, end as one that nobody disturbed. */
import type { Locator, Page } from "@playwright/test";
import { newCell, newNotebook } from "../src/notebook/create.ts";
import { layerIndex } from "../src/records/ids.ts";
import type { Memory } from "../src/records/memory.ts";
import { SHARP } from "../src/records/params.ts";
import { cellOf, comparable, importNotebook, pasteText, takenMemory } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

// In order, and again from the first where one fails: the others are compared with what it left.
test.describe.configure({ mode: "serial", timeout: 300_000 });
test.use({ actionTimeout: 15_000, allowedConsole: /killed by a test/ });

const RUN_MS = 120_000;
const PEOPLE = ["Mary", "John", "Sandra", "Daniel", "Clara", "Peter", "Julie", "Fred"];
const ROOMS = ["garden", "kitchen"];
const FACTS = ROOMS.flatMap((room) => PEOPLE.map((person) => `${person} went to the ${room}.`));

/** More candidates than the model finds anchors for in a few seconds. */
const MANY = ["went to", "moved to", "journeyed to", "travelled to"].flatMap((verb) =>
  FACTS.map((fact) => fact.replace("went to", verb)),
);

/** Small batches that use every step: there is time to disturb the run between two checkpoints. */
const NOTEBOOK = newNotebook(
  "made-by-a-test",
  "Cut off",
  [
    newCell("model", "m"),
    newCell("source", "s"),
    newCell("memorize", "r", {
      params: {
        ...SHARP,
        anchors: "rules",
        questionsPerFact: 1,
        encodeBatch: 4,
        steps: 20,
        schedule: "paper",
      },
      // Given, so that no probe runs.
      layers: [1, 2].map(layerIndex),
    }),
    newCell("store", "f"),
  ],
  "2026-01-01T00:00:00.000Z",
);

/** A notebook that is about to memorise `facts`. */
async function prepared(page: Page, facts = FACTS, notebook = NOTEBOOK): Promise<void> {
  await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  await importNotebook(page, notebook);
  await pasteText(page, facts.join(" "));
  await expect(page.getByText("Saved in this browser")).toBeVisible();
}

/** Pressed again where the page moved under the first press: the text's marks come in above. */
async function start(page: Page): Promise<void> {
  const cell = cellOf(page, "memorize");
  await expect(async () => {
    await cell.getByRole("button", { name: "Memorise", exact: true }).click();
    await expect(cell.getByRole("button", { name: "Stop" })).toBeVisible({ timeout: 2000 });
  }).toPass();
}

/** Waits until some facts are stored and many are not. */
async function midway(page: Page): Promise<void> {
  const encoding = cellOf(page, "memorize").getByRole("listitem").filter({ hasText: "Encoding facts" });
  await expect(encoding).toContainText(/Encoding facts [1-9]\d* of/, { timeout: RUN_MS });
}

/** The memory as a person takes it away, once all facts are in. */
async function memoryOf(page: Page): Promise<Memory> {
  const store = cellOf(page, "store");
  const grid = store.getByRole("grid", { name: "Facts in memory" });
  await expect(grid).toHaveAttribute("aria-rowcount", String(FACTS.length + 1), { timeout: RUN_MS });
  await expect(cellOf(page, "source").getByText("forgotten", { exact: true })).toBeVisible({
    timeout: RUN_MS,
  });
  return takenMemory(page);
}

/** What stands there once it has not changed for a while: the step that was under way still tells of itself. */
async function settled(line: Locator): Promise<string> {
  for (;;) {
    const before = await line.innerText();
    await line.page().waitForTimeout(2000);
    if ((await line.innerText()) === before) return before;
  }
}

let undisturbed: Memory | undefined;

test("a run that nobody disturbs stores every fact", async ({ page }) => {
  await prepared(page);
  await expect(cellOf(page, "memorize")).toContainText("Storage layers 1, 2, given");
  await start(page);
  undisturbed = await memoryOf(page);
  expect(undisturbed.entries).toHaveLength(FACTS.length);
  expect(undisturbed.entries.filter(({ report }) => report.exact).length).toBeGreaterThan(FACTS.length * 0.8);
});

test("a tab closed in the middle of encoding: on reopening the run goes on and ends the same", async ({
  page,
  context,
}) => {
  await prepared(page);
  await start(page);
  await midway(page);
  await page.close();

  const again = await context.newPage();
  await again.goto("/");
  const banner = again.getByRole("status").filter({ hasText: "A run was interrupted" });
  await expect(banner).toContainText(/facts wait to be encoded; \d+ facts? (is|are) safe in the memory/);
  const waiting = Number(/(\d+) facts? waits? to be encoded/.exec(await banner.innerText())![1]);
  expect(waiting).toBeGreaterThan(0);
  expect(waiting).toBeLessThan(FACTS.length);
  // What is stored is there already, before anything goes on.
  await expect(cellOf(again, "store").getByRole("grid", { name: "Facts in memory" })).toHaveAttribute(
    "aria-rowcount",
    String(FACTS.length - waiting + 1),
  );
  await banner.getByRole("button", { name: "Go on" }).click();
  const memory = await memoryOf(again);
  expect(comparable(memory)).toEqual(comparable(undisturbed!));
  await expect(again.getByText("A run was interrupted")).toHaveCount(0);
});

test("an engine worker that dies in the middle of encoding: it is said, and starting again ends the same", async ({
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
  const memory = await memoryOf(page);
  expect(comparable(memory)).toEqual(comparable(undisturbed!));
});

test("a run is held between two steps, goes on, and stops at once, also while the model proposes anchors", async ({
  page,
}) => {
  await prepared(page);
  const cell = cellOf(page, "memorize");
  await start(page);
  const steps = cell.getByText(/^Batch \d+: /);
  await expect(steps).toBeVisible({ timeout: RUN_MS });
  await cell.getByRole("button", { name: "Pause" }).click();
  await expect(cell.getByText("Paused", { exact: true })).toBeVisible();
  const held = await settled(steps);
  await cell.getByRole("button", { name: "Go on" }).first().click();
  await expect.poll(() => steps.innerText(), { timeout: RUN_MS }).not.toBe(held);
  await cell.getByRole("button", { name: "Stop" }).click();
  await expect(cell.getByRole("button", { name: "Stop" })).toHaveCount(0);

  const memorize = NOTEBOOK.cells.find(({ kind }) => kind === "memorize")!;
  const asking = NOTEBOOK.cells.map((one) =>
    one.kind === "memorize"
      ? newCell("memorize", memorize.id, { ...one.input, params: { ...one.input.params, anchors: "model" } })
      : one,
  );
  await prepared(page, MANY, { ...NOTEBOOK, title: "Anchors", cells: asking });
  await start(page);
  await expect(cell.getByRole("progressbar", { name: "Finding anchors" })).toBeVisible({ timeout: RUN_MS });
  await cell.getByRole("button", { name: "Stop" }).click();
  // One proposal is two seconds of work and is left in the middle; eight more would follow.
  await expect(cell.getByRole("button", { name: "Stop" })).toHaveCount(0);
  await expect(cell.getByText(/Stopped/)).toBeVisible();
});
