/** @file A model of the Hub without a writer is taught to write on the notebook's text, and keeps its writer over a reload. */
import type { Page } from "@playwright/test";
import { NAMES, PLACES, steerable, VERBS } from "../src/memory/testing/steerable.ts";
import { cellOf, prepareNotebook } from "./support/app.ts";
import { HUB, playedFile, playHub, REPO } from "./support/playedHub.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 240_000 });
test.use({ allowedRequests: HUB });

const TEXT = NAMES.flatMap((name) => VERBS.map((verb, i) => `${name} ${verb} the ${PLACES[i]!}.`)).join(
  "\n\n",
);
const model = (page: Page) => cellOf(page, "model");
const openModel = async (page: Page) => {
  await model(page)
    .getByRole("button", { name: /^(Open model|Run again)$/ })
    .click();
  await expect(page.getByRole("button", { name: /^Device: wasm ready/ })).toBeVisible();
};
const teach = async (page: Page) => {
  await model(page).getByRole("button", { name: "Teach this model to write…" }).click();
  await page.getByRole("dialog").getByRole("radio", { name: "1 minute" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Teach", exact: true }).click();
};

async function openFromHub(page: Page): Promise<void> {
  const files = new Map(
    Object.entries(await steerable()).map(([name, bytes]) => [name, playedFile(Buffer.from(bytes))]),
  );
  await page.context().route(HUB, playHub(files));
  await prepareNotebook(page, TEXT);
  await model(page).getByRole("radio", { name: "From Hugging Face" }).click();
  await model(page).getByLabel("Model", { exact: true }).fill(REPO);
  await model(page).getByRole("button", { name: "List its files" }).click();
  await expect(model(page)).toContainText("in 3 files");
  await openModel(page);
}

test("a training shows how far it is, and what it learned is kept when it is cancelled", async ({ page }) => {
  await openFromHub(page);
  await teach(page);
  await expect(model(page)).toContainText(/Learning to write: \d+ % of tokens right, seconds/);
  await model(page).getByRole("button", { name: "Stop" }).click();
  await expect(model(page)).toContainText("This model has no writer");
  const kept = await page.evaluate(async () => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("models");
    const folder = await root.getDirectoryHandle(encodeURIComponent("someone/tiny@main"));
    return (await (await folder.getFileHandle("writer.training.safetensors")).getFile()).size;
  });
  expect(kept).toBeGreaterThan(1000);
  // The buttons would change the model that is set, and not the one that is shown.
  await model(page).getByRole("radio", { name: "The bundled model" }).click();
  await expect(model(page)).toContainText("another model or backend is set");
  await expect(model(page)).not.toContainText("This model has no writer");
});

test("a taught model writes its text, still does so after a reload, and can lose its writer @thorough", async ({
  page,
}) => {
  await openFromHub(page);
  await teach(page);
  await expect(page.getByText(/The model has a writer: it writes \d+ of \d+ parts exactly/)).toBeVisible({
    timeout: 150_000,
  });
  await page.reload();
  await openModel(page);
  await expect(model(page)).toContainText("A writer gives the vector of a part in one pass.");
  await model(page).getByRole("button", { name: "Remove the writer" }).click();
  await expect(model(page)).toContainText("This model has no writer", { timeout: 60_000 });
});
