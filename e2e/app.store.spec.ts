/** @file The store and ask cells in the app: facts are found, deleted with proof, taken away and asked for. */
import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { ExampleFile } from "../src/notebook/file.ts";
import { TOO_LONG } from "../tools/bench/encode/sentences.ts";
import { cellOf, prepareNotebook, runAll, storedRows, takenMemory } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });

const storeOf = (page: Page): Locator => page.locator("[data-kind=store]");
const askOf = (page: Page): Locator => page.locator("[data-kind=ask]");
const grid = (page: Page): Locator => page.getByRole("grid", { name: "Facts in memory" });
const rowsOf = (page: Page): Locator => grid(page).locator('[role="row"][aria-selected]');
const line = (page: Page): Locator => storeOf(page).getByRole("status").first();

/** Facts of the worked example. */
const ALL = (JSON.parse(readFileSync("public/samples/example.json", "utf8")) as ExampleFile).facts.length;

/** The worked example, whose saved facts are shown before anything runs. */
async function openExample(page: Page): Promise<void> {
  await page.goto("/");
  await expect(grid(page)).toBeVisible({ timeout: 60_000 });
}

const FACTS = [
  "Mary moved to the garden.",
  "John went to the kitchen.",
  "Sandra went back to the hallway.",
  "Daniel journeyed to the bedroom.",
  "Clara studied music in Vienna.",
] as const;

/** A new notebook that has memorised the sentences, with its text forgotten. `whole`: values are not cut into parts. */
async function memorized(
  page: Page,
  sentences: readonly string[] = FACTS,
  { whole = false } = {},
): Promise<void> {
  await prepareNotebook(page, sentences.join(" "));
  const memorize = page.locator("[data-kind=memorize]");
  if (whole) {
    await memorize.getByRole("button", { name: /^Sharp/ }).click();
    await memorize.getByRole("button", { name: /^Encoding/ }).click();
    await memorize.getByRole("checkbox", { name: "No longest part" }).check();
  }
  await memorize.getByRole("button", { name: "Memorise", exact: true }).click();
  await expect(rowsOf(page)).toHaveCount(sentences.length, { timeout: 150_000 });
}

async function ask(page: Page, question: string): Promise<Locator> {
  const box = askOf(page).getByRole("textbox", { name: "Question" });
  await box.fill(question);
  await box.press("Enter");
  await expect(askOf(page).getByText(/^(Running|Waiting)$/)).toHaveCount(0, { timeout: 120_000 });
  const newest = askOf(page).getByRole("article").first();
  await expect(newest).toHaveAttribute("aria-label", `Question: ${question}`, { timeout: 120_000 });
  return newest;
}

test("facts are found by search, filters and order, taken away as CSV, and walked through by keyboard", async ({
  page,
}) => {
  await openExample(page);
  await searchAndFilter(page);
  await takenAsCsv(page);
  await byKeyboard(page);
});

/** The table says how many facts there are. */
async function searchAndFilter(page: Page): Promise<void> {
  await expect(line(page)).toHaveText(`All ${ALL} facts`);
  await expect(grid(page)).toHaveAttribute("aria-rowcount", String(ALL + 1));
  const offsets = await rowsOf(page).locator("[data-label=Offset]").allInnerTexts();
  const numbers = offsets.map((text) => Number(text.replace(",", "")));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));

  const search = storeOf(page).getByRole("searchbox", { name: "Search the facts" });
  await search.fill("hallway mary");
  await expect(line(page)).toHaveText(`1 of ${ALL} facts`);
  await expect(rowsOf(page)).toHaveText(/Mary.*Mary went back to the hallway\./s);
  await storeOf(page).getByRole("button", { name: "Clear filters" }).click();
  await expect(search).toHaveValue("");

  const layer = storeOf(page)
    .getByRole("button", { name: /^Layer \d+: / })
    .first();
  await layer.click();
  await expect(layer).toHaveAttribute("aria-pressed", "true");
  await expect(line(page)).toHaveText(new RegExp(`^\\d+ of ${ALL} facts$`));
  // The view is part of the notebook.
  await expect
    .poll(async () => Object.values(await storedRows(page)).join("\n"))
    .toMatch(/\bfilters\W+layers?\b/);
  await page.reload();
  await expect(layer).toHaveAttribute("aria-pressed", "true");
  await storeOf(page).getByRole("button", { name: "Clear filters" }).click();
  await expect(line(page)).toHaveText(`All ${ALL} facts`);
}

test("a memory: a long sentence in parts, a copy exported and imported, a fact deleted with a certificate @thorough", async ({
  page,
}) => {
  await memorized(page, [...FACTS, TOO_LONG]);
  await parts(page);
  await exportAndImport(page);
  await deletion(page);
});

/** A sentence too long for one vector is stored in parts, comes back whole, and opens to them. */
async function parts(page: Page): Promise<void> {
  await storeOf(page)
    .getByRole("button", { name: /^inexact/ })
    .click();
  await expect(line(page)).toHaveText("0 of 6 facts");
  await storeOf(page).getByRole("button", { name: "Clear filters" }).click();
  await expect(storeOf(page)).toContainText(/6 facts in \d+ vectors/);
  const long = rowsOf(page).filter({ hasText: "harbour master" });
  await expect(long).toContainText(TOO_LONG);
}

test("a fact that did not come back is found, and stands first by fidelity @thorough", async ({ page }) => {
  await memorized(page, [...FACTS, TOO_LONG], { whole: true });
  const inexact = storeOf(page).getByRole("button", { name: /^inexact/ });
  await inexact.click();
  await expect(inexact).toHaveAttribute("aria-pressed", "true");
  await expect(line(page)).toHaveText("1 of 6 facts");
  await expect(rowsOf(page).first()).toContainText("harbour master");
  await storeOf(page).getByRole("button", { name: "Clear filters" }).click();

  await grid(page).getByRole("button", { name: "Fidelity" }).click();
  await expect(grid(page).getByRole("columnheader", { name: "Fidelity" })).toHaveAttribute(
    "aria-sort",
    "ascending",
  );
  await expect(rowsOf(page).first().locator("[data-label=Fidelity]")).toHaveText(/0\.\d\d/);
  await expect(rowsOf(page).first()).toContainText("harbour master");
});

async function byKeyboard(page: Page): Promise<void> {
  await grid(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  const last = await grid(page).getAttribute("aria-activedescendant");
  await expect(page.locator(`[id="${last}"]`)).toHaveAttribute("aria-rowindex", String(ALL + 1));
  await expect(page.locator(`[id="${last}"]`)).toBeInViewport();
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await expect(line(page)).toHaveText("3 selected");
  await page.keyboard.press("Control+a");
  await expect(line(page)).toHaveText(`${ALL} selected`);
  await page.keyboard.press("Escape");
  await expect(line(page)).toHaveText(`All ${ALL} facts`);
  // The saved example is not this browser's memory: nothing of it can be deleted, and that is said.
  await page.keyboard.press("Delete");
  await expect(page.getByText(/belong to the saved example/)).toBeVisible();
  await expect(rowsOf(page).first()).toContainText("Harrow Point");
}

async function takenAsCsv(page: Page): Promise<void> {
  await storeOf(page).getByRole("button", { name: "Export and import" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /\.csv/ }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("the-lamp-at-harrow-point-facts.csv");
  const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
  expect(lines).toHaveLength(ALL + 1);
  expect(lines[0]).toBe(
    "id,documentId,anchor,index,offset,layer,tokens,said,exact,fidelity,steps,givenUp,deltaNorm,margin,memorizedAt,parts",
  );
}

test("a screen reader finds nothing wrong in both cells, on a wide page and on a phone @thorough", async ({
  page,
}) => {
  await openExample(page);
  await askOf(page)
    .getByRole("button", { name: /routed/ })
    .first()
    .click();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(400);
    const { violations } = await new AxeBuilder({ page })
      .include("[data-kind=store]")
      .include("[data-kind=ask]")
      .analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(
      serious.map(({ id, nodes }) => [id, nodes[0]?.html]),
      `at ${width} px`,
    ).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `sideways scrolling at ${width} px`).toBeLessThanOrEqual(0);
  }
});

/** With an undo window and a certificate; asked again, the fact is not in memory. */
async function deletion(page: Page): Promise<void> {
  const kept = await ask(page, "Where is John?");
  await expect(kept).toContainText("kitchen");
  const before = await kept.locator("p").nth(1).innerText();
  const answer = await ask(page, "Where is Mary?");
  await expect(answer).toContainText("garden");
  await answer.getByRole("button", { name: /routed/ }).click();
  await expect(answer.getByRole("list", { name: "Stages of the question" })).toContainText(
    "The reader marked “garden” in Mary (1)",
  );
  await expect(answer.getByRole("table", { name: "Anchors weighed for the question" })).toContainText(
    "kept: has one of the best sentences",
  );

  const mary = rowsOf(page).filter({ has: page.locator("[data-label=Anchor]", { hasText: "Mary" }) });
  const remove = async (): Promise<void> => {
    await mary.getByRole("gridcell").first().click();
    await storeOf(page).getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("menuitem").first().click();
    await expect(mary).toHaveCount(0);
  };
  await remove();
  await page.locator("[data-sonner-toast]").getByRole("button", { name: "Undo" }).click();
  await expect(mary).toHaveCount(1);

  // The browser asks before a tab closes within the window. If it closes, it has deleted nothing.
  await remove();
  const asked = page.waitForEvent("dialog");
  const reloaded = page.reload();
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
  await reloaded;
  await expect(mary).toHaveCount(1, { timeout: 60_000 });

  await remove();
  const certificate = storeOf(page).getByRole("article", { name: /^Deletion certificate of/ });
  await expect(certificate).toBeVisible({ timeout: 120_000 });
  await expect(certificate).toContainText(
    "1 deleted fact asked for before and after: it is no longer recalled.",
  );
  await expect(certificate).toContainText("5 other facts recalled before and after: not one token differs.");
  // By the weights: its gate is closed, or its address lies nearer than θ to another's key, which the certificate names.
  await expect(certificate.getByRole("row", { name: /Mary \(1\)/ })).toContainText(
    /after: (closed|opens on “(?!Mary)[^”]+”)/,
  );
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    certificate.getByRole("button", { name: "Download JSON" }).click(),
  ]);
  const body = JSON.parse(await readFile(await file.path(), "utf8")) as Record<string, unknown>;
  expect(body).toMatchObject({
    format: "palimpsest-deletion-certificate",
    keys: ["Mary (1)"],
    compared: 5,
    changed: 0,
    backend: "wasm",
  });

  const gone = await ask(page, "Where is Mary?");
  await expect(gone).toContainText("Nothing in memory comes near this question.");
  await expect(gone).not.toContainText("garden");
  await expect(askOf(page).getByRole("article").nth(1)).toContainText("Mary (1) has been deleted since");
  const again = await ask(page, "Where is John?");
  expect(await again.locator("p").nth(1).innerText()).toBe(before);
  await page.reload();
  await expect(rowsOf(page)).toHaveCount(5, { timeout: 60_000 });
  await expect(certificate).toContainText("Mary moved to the garden.");
  await certificate.getByRole("button", { name: "Remove the certificate" }).click();
  await expect(certificate).toBeHidden();
  await expect(storeOf(page)).not.toContainText("Mary moved to the garden.");
}

/** What is here already is skipped, and a broken file changes nothing. */
async function exportAndImport(page: Page): Promise<void> {
  const menu = storeOf(page).getByRole("button", { name: "Export and import" });
  await menu.click();
  await page.getByText("Sign exported memories").click();
  const signed = page.getByText(/Exports are signed with the key [0-9a-f ]+\./).first();
  const [, key] = /key ([0-9a-f ]+)\./.exec((await signed.textContent())!)!;
  await menu.click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /Export the memory/ }).click(),
  ]);
  const zip = await readFile(await file.path());

  const choose = async (name: string, buffer: Buffer): Promise<Locator> => {
    await storeOf(page)
      .locator('input[type="file"]')
      .setInputFiles({ name, mimeType: "application/zip", buffer });
    return page.getByRole("dialog", { name: "Import a memory" });
  };
  const merge = await choose("memory.zip", zip);
  await merge.getByText("The file is unchanged: what was checked").click();
  await expect(merge).toContainText(`signed by the owner of the key ${key}`, { timeout: 60_000 });
  await merge.getByRole("button", { name: "Merge" }).click();
  await expect(merge.getByRole("status")).toContainText("0 facts added, 6 facts skipped.", {
    timeout: 60_000,
  });
  await merge.getByRole("button", { name: "Close" }).last().click();

  const broken = await choose("broken.zip", Buffer.from("no zip at all"));
  await expect(broken.getByRole("alert")).toContainText("Nothing was imported.", { timeout: 60_000 });
  // A file is checked before it is offered to take the place of anything.
  await expect(broken.getByRole("button", { name: /Replace|Merge|Import/ })).toHaveCount(0);
  await broken.getByRole("button", { name: "Close" }).last().click();
  await expect(rowsOf(page)).toHaveCount(6);
}

test("a memory goes over to another model, which then answers from it @thorough", async ({ page }) => {
  await prepareNotebook(page, "Mary moved to the garden. Tom paid the invoice of €2,450.00 in March.");
  await runAll(page, 120_000);
  const before = await takenMemory(page);
  const model = cellOf(page, "model");
  await model.getByLabel("Precision").click();
  await page.getByRole("option", { name: /^q8/ }).click();
  await storeOf(page).getByRole("button", { name: "Export and import" }).click();
  await page.getByRole("menuitem", { name: /^Carry over to another model/ }).click();
  const dialog = page.getByRole("dialog", { name: "Carry over to another model" });
  await expect(dialog).toContainText("2 facts of palimpsest-7m@");
  await dialog.getByRole("button", { name: "Carry over" }).click();
  await expect(page.getByText("2 facts carried over, 2 of them exact.")).toBeVisible({ timeout: 120_000 });
  const after = await takenMemory(page);
  expect([before.model.precision, after.model.precision]).toEqual(["f32", "q8"]);
  expect(after.entries.map(({ id }) => id).sort()).toEqual(before.entries.map(({ id }) => id).sort());
  await expect(await ask(page, "Who paid the invoice?")).toContainText("Tom paid the invoice");
});
