/** @file A run that is paused, goes on and is stopped. attacks.killed.spec.ts has those that are cut off. */
import type { Locator, Page } from "@playwright/test";
import { newCell, newNotebook } from "../src/notebook/kinds.ts";
import { layerIndex } from "../src/records/ids.ts";
import { SHARP } from "../src/records/params.ts";
import { cellOf, importNotebook, pasteText } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });
test.use({ actionTimeout: 15_000 });

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

/** What stands there once it has not changed for a while: the step that was under way still tells of itself. */
async function settled(line: Locator): Promise<string> {
  for (;;) {
    const before = await line.innerText();
    await line.page().waitForTimeout(2000);
    if ((await line.innerText()) === before) return before;
  }
}

test("a run is held between two steps, goes on, and stops at once @thorough", async ({ page }) => {
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
});

test("a run is stopped while the model proposes anchors @thorough", async ({ page }) => {
  const cell = cellOf(page, "memorize");
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
