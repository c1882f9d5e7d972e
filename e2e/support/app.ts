/** @file The app as a person uses it: what the journeys of the specs are made of. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { newCell, newNotebook, UNNAMED } from "../../src/notebook/kinds.ts";
import { layerIndex } from "../../src/records/ids.ts";
import type { Memory } from "../../src/records/memory.ts";
import type { CellOfKind, Notebook } from "../../src/records/notebook.ts";
import { SHARP, type MethodParams } from "../../src/records/params.ts";
import { unpackMemory } from "../../src/store/archiveRead.ts";
import { expect } from "./test.ts";

/** A cell of the notebook by its kind; there is one of each in the notebooks of the specs. */
export const cellOf = (page: Page, kind: string): Locator => page.locator(`[data-kind=${kind}]`);

/** Opens a notebook from a file, as the import of the menu does. */
export async function importNotebook(page: Page, notebook: Notebook): Promise<void> {
  await page.getByLabel("Notebook file").setInputFiles({
    name: "notebook.palimpsest.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(notebook)),
  });
  await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue(notebook.title);
}

/** Writes `text` into the source cell of the open notebook. */
export async function pasteText(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "Paste or write a text" }).click();
  await page.getByLabel("Text to add").fill(text);
  await page.getByRole("button", { name: "Add this text" }).click();
}

/**
 * The layers that a probe of the bundled model chooses, and anchors without the model: most of a run of a few facts is
 * finding these two. What a newcomer gets, who has neither, is the journey of app.journey.spec.ts.
 */
const BRIEF: CellOfKind<"memorize">["input"] = {
  params: { ...SHARP, anchors: "rules" },
  layers: [3, 4, 5].map(layerIndex),
};

/** Anchors ranked by cosine and words, as a question needs that shares no word with its fact. */
export const DENSE = {
  ranking: "anchors",
  routing: "fused",
  factVectors: true,
} as const satisfies Partial<MethodParams>;

/** A new notebook with a cell of every kind that the main job takes, and `text` pasted into its source cell. */
export async function prepareNotebook(
  page: Page,
  text: string,
  params: Partial<MethodParams> = {},
): Promise<void> {
  await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  const cells = [
    newCell("model", "m"),
    newCell("source", "s"),
    newCell("memorize", "r", { ...BRIEF, params: { ...BRIEF.params, ...params } }),
    newCell("store", "f"),
    newCell("ask", "a"),
  ];
  await importNotebook(page, newNotebook("made-by-a-test", UNNAMED, cells, "2026-01-01T00:00:00.000Z"));
  await pasteText(page, text);
}

/** Drops files on an element. */
export async function dropTexts(
  target: Locator,
  files: readonly { readonly name: string; readonly text: string | Buffer }[],
): Promise<void> {
  const bytes = files.map(({ name, text }) => ({ name, bytes: [...Buffer.from(text)] }));
  const data = await target.page().evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const { name, bytes } of given) transfer.items.add(new File([Uint8Array.from(bytes)], name));
    return transfer;
  }, bytes);
  await target.dispatchEvent("dragover", { dataTransfer: data });
  await target.dispatchEvent("drop", { dataTransfer: data });
}

/** Runs the whole notebook and waits for the end; fails with what a cell reports. */
export async function runAll(page: Page, timeout: number): Promise<void> {
  const run = page.getByRole("button", { name: "Run all" });
  await run.click();
  await expect(run).toBeHidden();
  await expect(run).toBeVisible({ timeout });
  expect(await page.locator("[data-cell] [role=alert]").allInnerTexts(), "no cell reports a failure").toEqual(
    [],
  );
}

/** Asks in the ask cell and gives the answer's words, citations left out. */
export async function ask(page: Page, question: string, timeout: number): Promise<string> {
  const cell = cellOf(page, "ask");
  const articles = cell.getByRole("article", { name: `Question: ${question}` });
  const newest = () =>
    articles.locator("time").evaluateAll(([time]) => time?.getAttribute("datetime") ?? null);
  const before = await newest();
  const box = cell.getByRole("textbox").first();
  await box.fill(question);
  await box.press("Enter");
  await expect.poll(newest, { timeout }).not.toBe(before);
  const answer = articles.first().locator("p").nth(1);
  return answer.evaluate((p) =>
    [...p.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE || node.nodeName === "MARK")
      .map((node) => node.textContent)
      .join("")
      .trim(),
  );
}

/** The memory as a person takes it away. */
export const takenMemory = async (page: Page): Promise<Memory> =>
  unpackMemory(await packedMemory(page), "memory.zip");

export async function packedMemory(page: Page): Promise<Uint8Array<ArrayBuffer>> {
  await cellOf(page, "store").getByRole("button", { name: "Export and import" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^Export the memory/ }).click(),
  ]);
  return new Uint8Array(await readFile(await download.path()));
}

/** What two memories of one text have in common, whenever they were begun: all but the id and the time of the document. */
export const comparable = ({ entries, routing, layers, params }: Memory) => ({
  entries: entries.toSorted((a, b) => a.offset - b.offset || a.start - b.start),
  routing,
  layers,
  params,
});

/** The notebook as it is exported. */
export async function exported(page: Page): Promise<Notebook> {
  const menu = page.locator("header button[aria-haspopup=menu]").first();
  await menu.click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export without its memory" }).click(),
  ]);
  return JSON.parse(await readFile(await download.path(), "utf8")) as Notebook;
}

/** Every row of every database of this origin as text, by table. */
export const storedRows = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error("no reason"));
      });
    const tables: Record<string, string> = {};
    for (const { name } of await indexedDB.databases()) {
      const database = await settled(indexedDB.open(name!));
      for (const table of database.objectStoreNames)
        tables[table] = JSON.stringify(
          await settled(database.transaction(table).objectStore(table).getAll()),
        );
      database.close();
    }
    return tables;
  });

/** What was recalled for a question, token by token, for each time it was asked, newest first. */
export function recalledTokens(
  notebook: Notebook,
  question: string,
): (readonly (readonly [string, readonly number[]])[])[] {
  const cell = notebook.cells.find(({ kind }) => kind === "ask");
  const history = cell?.kind === "ask" ? (cell.output?.history ?? []) : [];
  return history
    .filter(({ answer }) => answer.question === question)
    .map(({ answer }) => answer.recalled.map(({ key, tokens }) => [key, tokens] as const));
}
