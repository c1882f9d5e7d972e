/**
 * @file A model of the Hub in shards, as a person meets it: picked by name, what it takes said before it is fetched,
 * fetched with a break, rounded, ready; at the next start read from the rounded copy, without a network; removed.
 * PALIMPSEST_LARGE=1 does it with Qwen3-0.6B's shape (1.5 GB), and memorises eight facts with it: half an hour, and 5 GB
 * of memory.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { newCell, newNotebook, UNNAMED } from "../src/notebook/kinds.ts";
import { layerIndex } from "../src/records/ids.ts";
import { byFact, wholeReport } from "../src/records/memory.ts";
import { SHARP } from "../src/records/params.ts";
import { findBrowser, QUIET } from "../tools/browser.ts";
import { cellOf, importNotebook, pasteText, prepareNotebook, takenMemory } from "./support/app.ts";
import { HUB, playHub } from "./support/playedHub.ts";
import { shardedModel } from "./support/shardedModel.ts";
import { expect, test } from "./support/test.ts";

const LARGE = process.env["PALIMPSEST_LARGE"] === "1";
const REPO = LARGE ? "made/Qwen3-0.6B" : "made/Qwen3-tiny";
const OPEN_MS = LARGE ? 1_200_000 : 60_000;
/** A connection brings no more than this: a test cannot send gigabytes at once. */
const MOST_BYTES = LARGE ? 2 ** 25 : 2 ** 18;

test.describe.configure({ timeout: 3 * OPEN_MS });
test.use({ actionTimeout: 15_000, allowedRequests: HUB });

const model = (page: Page) => cellOf(page, "model");
const openModel = (page: Page) =>
  model(page)
    .getByRole("button", { name: /^(Open model|Run again)$/ })
    .click();

const WHAT =
  "a model in shards is fetched over a break, rounded, read from its copy the next time, and removed @thorough";

if (LARGE)
  test(WHAT, async ({ baseURL }) => {
    // A profile on disk, as people have: one without keeps files in memory, where gigabytes find no room.
    const profile = mkdtempSync(join(tmpdir(), "palimpsest-large-"));
    const executablePath = findBrowser();
    const options = { args: [...QUIET], baseURL: baseURL!, ...(executablePath ? { executablePath } : {}) };
    const context = await chromium.launchPersistentContext(profile, options);
    try {
      await fromTheHub(await context.newPage());
    } finally {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    }
  });
else test(WHAT, ({ page }) => fromTheHub(page));

async function fromTheHub(page: Page): Promise<void> {
  const context = page.context();
  const files = await shardedModel(LARGE ? "qwen3-0.6b" : "tiny", 3);
  const shards = [...files.keys()].filter((name) => name.endsWith(".safetensors"));
  const asked: { readonly name: string; readonly range: string | undefined }[] = [];
  // The second shard does not come before the person has stopped.
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const onWeights = async (range: string | undefined, name: string): Promise<void> => {
    asked.push({ name, range });
    if (name === shards[1] && range !== undefined) await held;
  };
  const hub = playHub(files, { repo: REPO, onWeights, most: MOST_BYTES });
  await context.route(HUB, hub);

  await (LARGE ? prepareLarge(page) : prepareNotebook(page, "Ann ran."));
  await model(page).getByRole("radio", { name: "From Hugging Face" }).click();
  await model(page).getByLabel("Precision").click();
  await page.getByRole("option", { name: /^q8/ }).click();
  await model(page).getByLabel("Model", { exact: true }).fill(REPO);
  await model(page).getByRole("button", { name: "List its files" }).click();
  await expect(model(page)).toContainText(/in 7 files; [\d.]+ [MG]B to download/);
  await expect(model(page)).toContainText(
    LARGE
      ? "Qwen3-0.6B: 2.4 GB as f32, 1.2 GB as f16, 0.7 GB as q8, 0.4 GB as q4; this device: "
      : /Qwen3-tiny: [\d.]+ MB as f32, [\d.]+ MB as f16, [\d.]+ MB as q8, [\d.]+ MB as q4; this device: wasm holds/,
  );
  expect(asked, "looking at a model fetches none of it").toEqual([]);

  await openModel(page);
  await expect
    .poll(() => asked.some(({ name, range }) => name === shards[1] && range !== undefined), {
      timeout: OPEN_MS,
    })
    .toBe(true);
  await model(page).getByRole("button", { name: "Stop" }).click();
  await expect(model(page).getByRole("button", { name: /^(Open model|Run again)$/ })).toBeVisible();
  release();
  asked.length = 0;
  await openModel(page);
  await expect(model(page)).toContainText("wasm, self-test pass", { timeout: OPEN_MS });
  expect(asked[0]).toEqual({ name: shards[1], range: `bytes=${MOST_BYTES}-` });
  expect(
    asked.some(({ name }) => name === shards[0]),
    "the shard that was here is not fetched again",
  ).toBe(false);
  await expect(model(page)).toContainText("in q8");
  await expect(model(page)).toContainText(/Ready in [\d.]+ /);
  await expect(model(page)).toContainText(
    /A copy in q8 is kept, [\d.]+ [KMG]B: the next start reads that alone/,
  );

  if (LARGE) await memoriseFacts(page);

  await page.reload();
  await context.unroute(HUB, hub);
  await context.route(HUB, (route) => route.abort());
  await openModel(page);
  await expect(model(page)).toContainText(/Read from the copy in q8 that this browser keeps, [\d.]+ [KMG]B/, {
    timeout: OPEN_MS,
  });
  await expect(model(page).getByRole("alert")).toHaveCount(0);
  await expect(model(page)).toContainText(/complete, [\d.]+ [KMG]B of it rounded copies/);
  await model(page)
    .getByRole("button", { name: `Remove ${REPO} from this browser` })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(model(page).getByText("In this browser: 1")).toHaveCount(0);
  expect(await storedFiles(page), "the copy goes with the model").toEqual([]);
}

/** Short ones: made weights were never taught to be steered. */
const FACTS = "Ann ran. Bob sat. Eve sang. Tom slept. Ida left. Max fell. Lea won. Jon hid.";
const COUNT = 8;

/** A notebook for eight facts at a late layer, which is the cheap one, and few steps: made weights say nothing of sense. */
async function prepareLarge(page: Page): Promise<void> {
  await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  const params = {
    ...SHARP,
    anchors: "rules",
    questionsPerFact: 0,
    partTokens: null,
    steps: 30,
    refine: 0,
  } as const;
  const cells = [
    newCell("model", "m"),
    newCell("source", "s"),
    newCell("memorize", "r", { params, layers: [layerIndex(25)] }),
    newCell("store", "f"),
  ];
  await importNotebook(page, newNotebook("made-by-a-test", UNNAMED, cells, "2026-01-01T00:00:00.000Z"));
  await pasteText(page, FACTS);
}

/** Memorises them, and prints how each came out; what is reported exact was said word for word at the end of the run. */
async function memoriseFacts(page: Page): Promise<void> {
  const started = Date.now();
  await cellOf(page, "memorize").getByRole("button", { name: "Memorise", exact: true }).click();
  const grid = cellOf(page, "store").getByRole("grid", { name: "Facts in memory" });
  await expect(grid).toHaveAttribute("aria-rowcount", String(COUNT + 1), { timeout: OPEN_MS });
  await expect(page.getByRole("button", { name: "Run all" })).toBeVisible({ timeout: OPEN_MS });
  const seconds = (Date.now() - started) / 1000;
  const memory = await takenMemory(page);
  const reports = byFact(memory.entries).map(wholeReport);
  console.log(`${COUNT} facts in ${seconds.toFixed(0)} s`, JSON.stringify(reports));
  expect(memory.model.precision).toBe("q8");
  expect(reports).toHaveLength(COUNT);
}

/** Files of models in the browser's private file system. */
const storedFiles = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const found: string[] = [];
    const models = await (await navigator.storage.getDirectory()).getDirectoryHandle("models");
    for await (const [name] of models as unknown as AsyncIterable<[string]>) found.push(name);
    return found;
  });
