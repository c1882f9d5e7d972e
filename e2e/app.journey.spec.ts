/**
 * @file The main job on wasm, from the bundled start page and as it comes: a text becomes memory, is forgotten, answers,
 * loses a fact; then the figures of that memory and of an answer, from the workers' own rows.
 */
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { THOROUGH } from "../src/lib/testing/thorough.ts";
import { ask, cellOf, dropTexts } from "./support/app.ts";
import { journey } from "./support/journey.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });
test.use({ actionTimeout: 15_000 });

const TEXT = `The inn was full that night and nobody minded much.

Mary moved to the garden. Sandra picked up the lantern there.

Peter's passport is 48213. He gave it up with both hands. Clara lives in Lisbon.
`;

test("a dropped text is memorised, forgotten, and answers after a reload; a deleted fact is gone and nothing else", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue(
    "The lamp at Harrow Point",
  );
  const source = cellOf(page, "source");
  await source.getByRole("button", { name: /^Remove “the-lamp/ }).click();
  await dropTexts(source.getByText("Drop a text here"), [{ name: "inn.txt", text: TEXT }]);
  await expect(source.getByText("ready", { exact: true })).toBeVisible();

  await journey(page, {
    reloaded: true,
    questions: [
      { question: "Where is Mary?", answer: "garden" },
      { question: "What is Peter's passport?", answer: "48213" },
    ],
    doomed: { value: "Peter's passport is 48213.", key: "Peter (1)" },
    timeout: PATIENCE,
  });
  await figures(page);
  await outAndIn(page);
});

/** The notebook goes out with its memory as one file, which is dropped on the page, and the copy answers. */
async function outAndIn(page: Page): Promise<void> {
  await page.locator("header button[aria-haspopup=menu]").first().click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export with its memory" }).click(),
  ]);
  const name = download.suggestedFilename();
  expect(name).toBe("the-lamp-at-harrow-point.palimpsest");
  await dropTexts(page.getByText("Add another text"), [
    { name, text: await readFile(await download.path()) },
  ]);
  await expect(page.getByText(/was opened with its memory of \d+ facts\./)).toBeVisible();
  expect(await ask(page, "Where is Mary?", PATIENCE)).toContain("garden");
}

async function figures(page: Page): Promise<void> {
  const shown = (id: string) => page.locator(`[data-figure="${id}"] [data-drawing] :is(svg, canvas)`).first();
  const drawn = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) await expect(shown(id), id).toBeVisible({ timeout: PATIENCE });
  };
  const store = cellOf(page, "store");
  await store.getByRole("button", { name: "Figures", exact: true }).click();
  const section = (name: string) =>
    store.getByRole("radiogroup", { name: "Figures of" }).getByRole("radio", { name }).click();
  await section("Layers");
  await drawn("facts-per-layer", "round-robin", "layer-probe");
  if (THOROUGH) await otherSections(page, section, drawn);

  const answer = cellOf(page, "ask").getByRole("article", { name: "Question: Where is Mary?" }).first();
  await answer.getByRole("button", { name: /routed/ }).click();
  await answer.getByRole("button", { name: "Mary (1): open this fact" }).first().click();
  const drawer = page.getByRole("complementary", { name: "Fact" });
  await drawer.getByRole("button", { name: "Recall now" }).click();
  await drawer.getByRole("button", { name: "Gate, position by position" }).click({ timeout: PATIENCE });
  await drawn("gate-strip-soft");
  if (!THOROUGH) return;
  await drawer.getByRole("button", { name: "Logit lens" }).click();
  await drawn("token-logits", "lens-with-delta", "lens-without-delta");
}

async function otherSections(
  page: Page,
  section: (name: string) => Promise<void>,
  drawn: (...ids: readonly string[]) => Promise<void>,
): Promise<void> {
  const store = cellOf(page, "store");
  await section("Encoding");
  // The writer left Adam nothing to do, which is what the figure of its losses says.
  await expect(page.locator('[data-figure="loss-curves"]')).toContainText("exact before the first step", {
    timeout: PATIENCE,
  });
  await drawn("steps-histogram");
  await section("Gates");
  await drawn("similarity-matrix", "margins");
  await section("Maps");
  await drawn("map-residual-pca");
  await store.getByRole("radio", { name: "UMAP" }).click();
  await drawn("map-residual-umap");
  // The text is deleted: its counts are shown, and a note says what needs the text.
  await section("Extraction");
  await drawn("extraction-strip", "extraction-reasons");
  await expect(store.getByText(/samples need the text, which was deleted/)).toBeVisible();
}

/** Of opening the model, of one run and of a figure, on a machine that does other things as well. */
const PATIENCE = 120_000;
