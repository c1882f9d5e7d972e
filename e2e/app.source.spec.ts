/** @file The source cell in the app: texts come in, are shown as text, are read at any length, and are forgotten. */
import type { Locator, Page } from "@playwright/test";
import { dropTexts } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 240_000 });

const FACTS = [
  "Sandra journeyed to the kitchen.",
  "John went to the hallway.",
  "Mary moved to the garden.",
] as const;
const FILLER =
  "It was all very quiet, and then it was not, and nobody could say when it had begun to be otherwise.";

/** A fresh notebook with cells of the kinds named in the menu. */
async function openNotebook(page: Page, ...kinds: string[]): Promise<void> {
  if (page.url() === "about:blank") await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  await page.locator("header button[aria-haspopup=menu]").first().click();
  await page.getByRole("menuitem", { name: "Empty notebook" }).click();
  await expect(page.locator("[data-cell]")).toHaveCount(1);
  for (const kind of kinds) {
    await page.locator("[data-add-at] button").last().click();
    await page.getByRole("menuitem", { name: new RegExp(`^${kind}`) }).click();
  }
}

const sourceOf = (page: Page): Locator => page.locator("[data-kind=source]");
const linesOf = (page: Page): Locator => page.getByRole("list", { name: "Texts" }).getByRole("listitem");

test("texts come in as files, from the clipboard and as a hostile page, and 10 MB are read in place", async ({
  page,
}) => {
  await hostilePage(page);
  await pastedText(page);
  await longText(page);
  await droppedFiles(page);
});

/** Files are dropped on the cell and on the page; each has its state, and what failed can be retried or removed. */
async function droppedFiles(page: Page): Promise<void> {
  await openNotebook(page, "Source");
  await dropTexts(sourceOf(page).getByText("Drop a text here"), [
    { name: "story.txt", text: FACTS.join(" ") },
    { name: "again.md", text: FACTS.join(" ") },
    { name: "broken.pdf", text: "%PDF-1.7 and nothing behind it" },
    { name: "model.safetensors", text: "x" },
  ]);
  await expect(linesOf(page)).toHaveCount(3);
  await expect(linesOf(page).nth(0)).toContainText(/story\.txt.*characters.*ready/s);
  await expect(linesOf(page).filter({ hasText: "again.md" })).toContainText("The same text as “story.txt”");
  const broken = linesOf(page).filter({ hasText: "broken.pdf" });
  await expect(broken.getByRole("alert")).toContainText(/broken\.pdf/);
  await expect(page.getByText(/drop it on the model cell/)).toBeVisible();

  await broken.getByRole("button", { name: "Try again" }).click();
  await expect(broken.getByRole("alert")).toBeVisible();
  await broken.getByRole("button", { name: "Remove broken.pdf" }).click();
  await expect(broken).toHaveCount(0);

  await dropTexts(page.locator("header").first(), [{ name: "second.txt", text: `${FILLER} ${FILLER}` }]);
  await expect(linesOf(page).filter({ hasText: "second.txt" })).toContainText("ready");
  await expect(sourceOf(page).getByRole("region")).toContainText("It was all very quiet");
  await expect(page.getByText("Saved in this browser")).toBeVisible();
  await page.reload();
  await expect(linesOf(page)).toHaveCount(2);
}

/** A pasted text comes in, and the legend switches the strokes under its candidates. */
async function pastedText(page: Page): Promise<void> {
  await openNotebook(page, "Source");
  await page.getByRole("button", { name: "Paste or write a text" }).click();
  await page.getByLabel("Text to add").fill(`${FACTS.join(" ")} ${FILLER}`);
  await page.getByRole("button", { name: "Add this text" }).click();
  await expect(linesOf(page)).toContainText(/Pasted text, \d+ words\.txt/);
  await expect(sourceOf(page)).toContainText("3 of 4 sentences pass the filter “wide”");
  const sentence = sourceOf(page).getByRole("region").getByText(FACTS[0]);
  const underline = (): Promise<string> =>
    sentence.evaluate((node) => getComputedStyle(node).textDecorationLine);
  expect(await underline()).toBe("underline");
  await page.getByRole("button", { name: /^Name/ }).click();
  expect(await underline()).toBe("none");
}

/** A hostile page is shown as text, and nothing of it runs. */
async function hostilePage(page: Page): Promise<void> {
  await openNotebook(page, "Source");
  const attack = `<img src=x onerror="document.title='owned'">`;
  await dropTexts(sourceOf(page).getByText("Drop a text here"), [
    {
      name: "page.html",
      text: `<!doctype html><title>T${attack}</title><script>document.title='owned'</script><p onclick="x()">Mary moved to Lisbon. ${attack}<iframe src="javascript:alert(1)"></iframe></p><p>&lt;img src=x onerror=document.title='owned'&gt; was all it said.</p>`,
    },
    { name: `<b onmouseover=alert(1)>.txt`, text: `Mary said: ${attack} and went to Porto.` },
  ]);
  await expect(linesOf(page)).toHaveCount(2);
  const region = sourceOf(page).getByRole("region");
  await expect(region).toContainText(`Mary said: ${attack}`);
  await linesOf(page).nth(0).getByRole("button").first().click();
  await expect(region).toContainText("<img src=x onerror=document.title='owned'> was all it said.");
  await expect(region).not.toContainText("<script>");
  expect(await sourceOf(page).locator("img, iframe, script, b").count()).toBe(0);
  // The notebook is named by its first text: its words stand there as words.
  expect(await page.title()).not.toMatch(/^owned/);
}

/** A text of 10 MB is searched and read in place, and never whole in the page. */
async function longText(page: Page): Promise<void> {
  await openNotebook(page, "Source");
  const unit = `${FILLER} ${FACTS.join(" ")}\n\n`;
  const count = Math.ceil(1e7 / unit.length);
  await page.evaluate(
    ([text, times, needle]) => {
      const half = text.repeat(times / 2);
      const transfer = new DataTransfer();
      transfer.items.add(new File([half, needle, half], "long.txt"));
      document.dispatchEvent(
        new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }),
      );
    },
    [unit, count, "The locker number of Nina is 27164.\n\n"] as const,
  );
  await expect(linesOf(page)).toContainText("ready", { timeout: 60_000 });
  const region = sourceOf(page).getByRole("region");
  await expect(region).toContainText("It was all very quiet");
  await sourceOf(page).getByLabel("Search in the text").fill("locker  NUMBER of nina");
  await expect(sourceOf(page).getByRole("search")).toContainText("1 of 1 hit", { timeout: 60_000 });
  await expect(region.locator("[data-hit]").first()).toBeInViewport();
  await expect(sourceOf(page)).toContainText(/(49|50) %/);
  const shown = await region.evaluate((node) => ({
    characters: node.textContent.length,
    elements: node.querySelectorAll("*").length,
    height: node.scrollHeight,
  }));
  expect(shown.characters).toBeLessThan(40_000);
  expect(shown.elements).toBeLessThan(1500);
  expect(shown.height).toBeGreaterThan(1_000_000);

  await region.focus();
  await page.keyboard.press("End");
  await expect(sourceOf(page)).toContainText(/(99|100) %/, { timeout: 30_000 });
  await expect(region.getByText(FACTS[2]).last()).toBeInViewport();
}

test("memorised and forgotten: only what the memory holds is left, each sentence at its place @thorough", async ({
  page,
}) => {
  await openNotebook(page, "Model", "Source", "Memorise");
  const text = `${FILLER} ${FACTS[0]} ${FILLER} ${FACTS[1]}\n\n${FILLER} ${FACTS[2]}`;
  await dropTexts(sourceOf(page).getByText("Drop a text here"), [{ name: "story.txt", text }]);
  await expect(sourceOf(page).getByRole("region")).toContainText(FACTS[0]);

  const memorize = page.locator("[data-kind=memorize]");
  await memorize.getByRole("button", { name: /^Sharp/ }).click();
  await memorize.getByRole("button", { name: /^Candidates/ }).click();
  await memorize.getByLabel("Filter").click();
  await page.getByRole("option", { name: "Wide" }).click();
  await memorize.getByRole("button", { name: /^Layers/ }).click();
  const layers = memorize.getByLabel(/Storage layers/);
  await layers.fill("0");
  await expect(memorize.getByRole("alert")).toContainText("from 1 to 128");
  await layers.fill("2");
  await expect(memorize.getByText("2 changes")).toBeVisible();
  await page.getByRole("button", { name: "Open model" }).click();
  await expect(memorize).toContainText("3 facts from 3 candidate sentences", { timeout: 100_000 });
  await expect(memorize).toContainText("Anchors keep all their facts; there is room for 262,144 facts.");
  await memorize.getByRole("button", { name: "Memorise", exact: true }).click();

  await expect(memorize).toContainText("3 facts of “story.txt” are in memory", { timeout: 200_000 });
  const left = page.getByRole("region", { name: /Stored sentences of “story.txt”/ });
  await expect(left).toBeVisible();
  for (const fact of FACTS) await expect(left.locator(`[data-at="${text.indexOf(fact)}"]`)).toHaveText(fact);
  await expect(page.locator("body")).not.toContainText("It was all very quiet");
  await expect(linesOf(page)).toContainText("forgotten");

  await left.focus();
  await page.keyboard.press("j");
  await expect(sourceOf(page).getByRole("status").last()).toContainText(
    new RegExp(`Sandra.*layer \\d.*offset ${text.indexOf(FACTS[0])}`, "s"),
  );
  // After a reload the model reads them back.
  await page.reload();
  await expect(sourceOf(page)).toContainText("0 of 3 read back; open the model to read the rest");
  await page.locator("[data-kind=model]").getByRole("button", { name: "Run again" }).click();
  await expect(left.locator(`[data-at="${text.indexOf(FACTS[2])}"]`)).toHaveText(FACTS[2], {
    timeout: 100_000,
  });
});
