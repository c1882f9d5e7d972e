/** @file Another text embedder in the page: from files and from the Hub, with a question that shares no word with its fact. */
import type { Page } from "@playwright/test";
import { tinyEmbedder } from "../src/engine/testing/tinyEmbedder.ts";
import { ask, cellOf, DENSE, prepareNotebook, runAll } from "./support/app.ts";
import { HUB, playedFile, playHub, REPO } from "./support/playedHub.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });
test.use({ actionTimeout: 15_000, allowedRequests: HUB });

const RUN_MS = 120_000;
const TEXT =
  "Ondine mended the old timepiece in the tower. Tobias always orders strong coffee. Hollis treats the royal family.";
const QUESTION = "Who repaired the clock?";

const memorise = (page: Page) => cellOf(page, "memorize");
/** Opens the choice; a click that meets the cell as it is drawn anew is made again. */
const openChoice = (page: Page) =>
  expect(async () => {
    const open = memorise(page).getByRole("radio", { name: "Your own files" });
    if (!(await open.isVisible()))
      await memorise(page)
        .getByRole("button", { name: /^Text embedder/ })
        .click();
    await expect(open).toBeVisible({ timeout: 2000 });
  }).toPass();
const source = (page: Page, name: string) => memorise(page).getByRole("radio", { name }).click();

/** Asks, and sees the sentence that was recalled: the bundled model has no short answer to this. */
async function expectFound(page: Page): Promise<void> {
  await ask(page, QUESTION, RUN_MS);
  const article = cellOf(page, "ask").getByRole("article", { name: `Question: ${QUESTION}` });
  await expect(article.first()).toContainText("Ondine mended the old timepiece in the tower.");
}

/** Its files as a picker gives them: by their plain names. */
const picked = () =>
  [...tinyEmbedder()].map(([name, bytes]) => ({
    name: name.split("/").at(-1)!,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(bytes),
  }));

test("files of one's own are tried, index a memory, and are asked for by name where another embedder is set @thorough", async ({
  page,
}) => {
  await prepareNotebook(page, TEXT, DENSE);
  await openChoice(page);
  await source(page, "Your own files");
  const picker = memorise(page).locator("input[type=file]").first();
  await picker.setInputFiles(picked().filter(({ name }) => name !== "tokenizer.json"));
  await expect(page.getByText(/tokenizer\.json is missing next to config\.json/)).toBeVisible();
  await picker.setInputFiles(picked());
  await memorise(page).getByRole("button", { name: "Open and test" }).click();
  await expect(memorise(page).getByRole("status").filter({ hasText: "In use and tested" })).toContainText(
    /transformers\.js dropped files #[0-9a-f]{16} \(mean\)\. Calibrated on test pairs: .* from a cosine of 0\.\d\d\./,
    { timeout: RUN_MS },
  );
  await runAll(page, RUN_MS);
  await expectFound(page);

  await source(page, "The model itself");
  await expect(memorise(page)).toContainText("It was indexed by dropped files (fp32)");
  const box = cellOf(page, "ask").getByRole("textbox").first();
  await box.fill(QUESTION);
  await box.press("Enter");
  const alert = cellOf(page, "ask").getByRole("alert");
  await expect(alert).toContainText(/chosen under "Text embedder" in the memorise cell/, { timeout: RUN_MS });
  await alert.getByRole("button", { name: "Take the memory’s embedder" }).click();
  await expect(alert).toHaveCount(0);
  await expect(memorise(page).getByRole("button", { name: /^Text embedder dropped files/ })).toBeVisible();
  await expectFound(page);
  await expect(page.getByText("Saved in this browser")).toBeVisible();

  await page.reload();
  await memorise(page)
    .getByRole("button", { name: /^Text embedder dropped files/ })
    .click();
  await memorise(page).getByRole("button", { name: "Open and test" }).click();
  await expect(memorise(page).getByRole("alert")).toContainText(/Drop them on the memorise cell again/);
});

test("one of the Hub is fetched once and answers without a network @thorough", async ({ page, context }) => {
  const files = new Map([...tinyEmbedder()].map(([name, bytes]) => [name, Buffer.from(bytes)]));
  const hub = playHub(new Map([...files].map(([name, bytes]) => [name, playedFile(bytes)])));
  await context.route(HUB, hub);
  await prepareNotebook(page, TEXT, DENSE);
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/sw.js");
    await navigator.serviceWorker.ready;
  });
  await openChoice(page);
  await source(page, "From Hugging Face");
  await memorise(page).getByLabel("Model", { exact: true }).click();
  await expect(page.getByRole("option", { name: /bge-small-en-v1\.5, about 33\.4 MB/ })).toBeVisible();
  await page.getByRole("option", { name: "Another model by name" }).click();
  await memorise(page).getByLabel("Name on the Hub").fill(REPO);
  await memorise(page).getByRole("button", { name: "Use this model" }).click();
  // It offers no quantised weights: said with those that it has, and the former embedder stays.
  await memorise(page).getByRole("button", { name: "Open and test" }).click();
  await expect(memorise(page).getByRole("alert")).toContainText(/its weights are fp32: choose one of these/, {
    timeout: RUN_MS,
  });
  await memorise(page).getByLabel("Weights").click();
  await page.getByRole("option", { name: /^fp32/ }).click();
  await memorise(page).getByRole("button", { name: "Open and test" }).click();
  await expect(memorise(page).getByRole("status").filter({ hasText: "In use and tested" })).toContainText(
    REPO,
    {
      timeout: RUN_MS,
    },
  );
  await runAll(page, RUN_MS);
  await expect(page.getByText("Saved in this browser")).toBeVisible();

  await context.unroute(HUB, hub);
  await context.setOffline(true);
  await page.reload();
  await expectFound(page);
  await memorise(page)
    .getByRole("button", { name: /^Text embedder someone\/tiny \(fp32\)/ })
    .click();
  await memorise(page)
    .getByRole("button", { name: `Remove ${REPO} from this browser` })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(memorise(page).getByText("In this browser: 1")).toHaveCount(0);
});
