/** @file The inspector of a fact in the app: reached from a citation, walked by keys, recalled, edited and asked again. */
import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { THOROUGH } from "../src/lib/testing/thorough.ts";
import { parseFile } from "../src/lib/safetensors.ts";
import type { ExampleFile } from "../src/notebook/file.ts";
import { prepareNotebook } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 420_000 });

const EXAMPLE = JSON.parse(readFileSync("public/samples/example.json", "utf8")) as ExampleFile;
/** The newest answer of the worked example, the fact it rests on, and the fact after that in the text. */
const NEWEST = EXAMPLE.notebook.cells.find((cell) => cell.kind === "ask")!.output!.history[0]!.answer;
const FACTS_IN_ORDER = EXAMPLE.facts.toSorted((a, b) => a.offset - b.offset);
const keyOf = ({ anchor, index }: ExampleFile["facts"][number]): string => `${anchor} (${index})`;
const CITED = FACTS_IN_ORDER.findIndex((fact) => keyOf(fact) === NEWEST.cited[0]);

const drawer = (page: Page): Locator => page.getByRole("complementary", { name: "Fact" });
const key = (page: Page): Locator => drawer(page).getByRole("heading", { level: 3 });
const askOf = (page: Page): Locator => page.locator("[data-kind=ask]");
const citation = (page: Page): Locator => askOf(page).getByRole("button", { name: /: open this fact$/ });
/** The model takes seconds to open, and a fact seconds to encode, on a machine that does other things as well. */
const LONG = { timeout: 180_000 };

/** The worked example, whose saved facts are shown before anything runs. */
async function openExample(page: Page): Promise<void> {
  await page.goto("/");
  await expect(citation(page).first()).toBeVisible({ timeout: 60_000 });
}

const FACTS = [
  "Mary moved to the garden.",
  "John went to the kitchen.",
  "Sandra went back to the hallway.",
  "Daniel journeyed to the bedroom.",
] as const;

/** A new notebook that has memorised {@link FACTS}, and keeps their text. */
async function memorized(page: Page): Promise<void> {
  await prepareNotebook(page, FACTS.join(" "), { questionsPerFact: 1 });
  await page.getByRole("switch", { name: /^Forget the source/ }).click();
  await page.locator("[data-kind=memorize]").getByRole("button", { name: "Memorise", exact: true }).click();
  const rows = page.getByRole("grid", { name: "Facts in memory" }).locator('[role="row"][aria-selected]');
  await expect(rows).toHaveCount(FACTS.length, LONG);
}

async function ask(page: Page, question: string): Promise<Locator> {
  const articles = await askOf(page).getByRole("article").count();
  const box = askOf(page).getByRole("textbox", { name: "Question" });
  await box.fill(question);
  await box.press("Enter");
  await expect(askOf(page).getByRole("article")).toHaveCount(articles + 1, LONG);
  return askOf(page).getByRole("article").first();
}

async function noViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include("[data-inspector]").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

test("a citation opens its fact, keys walk on, Esc gives the focus back, the address finds it again, and axe finds nothing", async ({
  page,
}) => {
  const [cited, next] = FACTS_IN_ORDER.slice(CITED, CITED + 2).map(keyOf);
  await openExample(page);
  await citation(page).first().focus();
  await page.keyboard.press("Enter");
  await expect(drawer(page)).toBeFocused();
  await expect(key(page)).toHaveText(cited!, { timeout: 30_000 });
  await expect(drawer(page)).toContainText(EXAMPLE.said[FACTS_IN_ORDER[CITED]!.id]!);
  await expect(drawer(page).getByRole("region", { name: "History" })).toContainText(
    `cited for “${NEWEST.question}”`,
  );
  expect(page.url()).toContain("#fact=");
  const link = page.url();

  await page.keyboard.press("j");
  await expect(key(page)).toHaveText(next!);
  await page.keyboard.press("ArrowUp");
  await expect(key(page)).toHaveText(cited!);
  await page.keyboard.press("Tab");
  await expect(drawer(page).getByRole("button", { name: "Previous fact" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(key(page)).not.toHaveText(cited!);
  await page.keyboard.press("j");
  await expect(key(page)).toHaveText(cited!);

  // The text was deleted: what stands around the sentence is from memory, and leads there.
  const neighbours = drawer(page).getByRole("region", { name: "Sentence in context" });
  await expect(neighbours).toContainText("The text was deleted");
  await neighbours.getByRole("button").last().click();
  await expect(key(page)).not.toHaveText(cited!);

  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(citation(page).first()).toBeFocused();
  expect(page.url()).not.toContain("#fact=");

  await page.goto("about:blank");
  await page.goto(link);
  await expect(key(page)).toHaveText(cited!, { timeout: 60_000 });
  await readable(page);
});

test("“Show in the text” marks the fact of the panel, and closes a panel that covers the text; Esc closes it from the page", async ({
  page,
}) => {
  const source = page.locator("[data-kind=source]");
  await openExample(page);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const fact of FACTS_IN_ORDER.slice(CITED, CITED + 3)) {
      await page.goto(`/#fact=${fact.id}`);
      await expect(key(page)).toHaveText(keyOf(fact), { timeout: 30_000 });
      await drawer(page).getByRole("button", { name: "Show in the text" }).click();
      await expect(source.getByRole("status").filter({ hasText: "offset" })).toContainText(keyOf(fact));
      const sentence = source.locator(`[data-fact="${fact.id}"]`);
      await expect(sentence).toBeInViewport();
      await expect(sentence).toContainText(EXAMPLE.said[fact.id]!);
    }
    await expect(drawer(page)).toHaveCount(width === 390 ? 0 : 1);
    await page.keyboard.press("Escape");
    await expect(drawer(page)).toHaveCount(0);
  }
});

/** In light and dark, on a wide page and on a phone, a screen reader finds its way. */
async function readable(page: Page): Promise<void> {
  for (const name of ["Recall prompt", "Routing"])
    await drawer(page).getByRole("button", { name, exact: true }).click();
  await expect(drawer(page)).toContainText(`Recall the fact about ${NEWEST.cited[0]}:`);
  await noViolations(page);
  if (!THOROUGH) return;
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(drawer(page)).toBeInViewport();
  const box = (await drawer(page).boundingBox())!;
  expect([box.x, box.width]).toEqual([0, 390]);
  await noViolations(page);
}

test("a fact is recalled, its gate closed with θ, its value changed, and the new value answered @thorough", async ({
  page,
}) => {
  await memorized(page);
  const before = await ask(page, "Where is Mary?");
  await expect(before).toContainText("garden");
  await before.getByRole("button", { name: "Mary (1): open this fact" }).first().click();
  await expect(key(page)).toHaveText("Mary (1)");
  await expect(drawer(page).getByRole("region", { name: "Sentence in context" })).toContainText(FACTS[0]);

  // Recalled now, and seen from inside.
  await drawer(page).getByRole("button", { name: "Recall now" }).click();
  const recall = drawer(page).getByRole("region", { name: "Recall" });
  await expect(recall.locator("[data-recalled]")).toHaveText(FACTS[0], LONG);
  await expect(recall).toContainText("gate open");
  await recall.getByRole("button", { name: "Gate, position by position" }).click();
  const strip = recall.locator('[data-figure="gate-strip-soft"] svg[role=img]');
  await expect(strip).toHaveAccessibleName(/At θ = 0\.6 the gate is open at [1-9]\d* positions?/, LONG);
  await recall.getByRole("slider", { name: /^θ/ }).focus();
  await page.keyboard.press("End");
  await expect(strip).toHaveAccessibleName(/At θ = 1 the gate is open at 0 positions/);
  await page.keyboard.press("Home");
  await expect(strip).toHaveAccessibleName(/At θ = 0 the gate is open at [1-9]\d* positions?/);

  for (const name of ["Recall prompt", "Key and residual", "Routing", "Nearest facts", "Loss curve"])
    await drawer(page).getByRole("button", { name, exact: true }).click();
  await expect(drawer(page)).toContainText("A question finds it by salted hashes", LONG);
  await expect(drawer(page).getByText("std. dev.").first()).toBeVisible(LONG);
  await expect(drawer(page).getByRole("table", { name: "Nearest facts by residual" })).toBeVisible(LONG);
  await expect(drawer(page)).toContainText(/\d+ tokens; the key is read at token \d+/, LONG);
  await noViolations(page);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    drawer(page).getByRole("button", { name: "Download both (safetensors)" }).click(),
  ]);
  const vectors = parseFile(new Uint8Array(await readFile(await file.path())), "the download");
  expect(vectors.tensors.map(({ name }) => name)).toEqual(["key", "residual"]);
  expect(vectors.metadata["fact"]).toBe("Mary (1)");

  // Another value: refused while blank, counted, encoded, told.
  await drawer(page).getByRole("button", { name: "Edit or move" }).click();
  const form = drawer(page).getByRole("form", { name: "Edit this fact" });
  const value = form.getByRole("textbox", { name: "Value" });
  await value.fill("  ");
  await expect(form.getByRole("alert")).toContainText("A fact needs words");
  await expect(form.getByRole("button", { name: "Encode the change" })).toBeDisabled();
  await value.fill("Mary moved to the office.");
  await expect(form).toContainText(/[\d,]+ tokens, of [\d,]+ that fit/, LONG);
  await form.getByRole("button", { name: "Encode the change" }).click();
  await expect(drawer(page).getByRole("status").filter({ hasText: "Encoded with new value" })).toBeVisible(
    LONG,
  );
  await expect(drawer(page).locator("[data-value]")).toHaveText("Mary moved to the office.");
  await expect(drawer(page).getByRole("region", { name: "History" })).toContainText(
    "“Mary moved to the garden.” became “Mary moved to the office.”",
  );
  const after = await ask(page, "Where is Mary?");
  await expect(after).toContainText("office");
  await expect(after).not.toContainText("garden");

  // And back.
  await drawer(page).getByRole("button", { name: "Undo" }).click();
  await expect(drawer(page).locator("[data-value]")).toHaveText(FACTS[0], LONG);

  // θ of the ask cell itself: no gate opens.
  await page.keyboard.press("Escape");
  await askOf(page).getByRole("button", { name: "Read settings" }).click();
  const settings = page.getByRole("dialog", { name: "Read settings" });
  await settings.getByRole("slider", { name: /θ/ }).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Escape");
  const shut = await ask(page, "Where is Mary?");
  await expect(shut).toContainText("Found, but nothing could be recalled.");
  await expect(shut).toContainText(/[1-9] gates? shut/);
});

test("a fact is moved to another layer and back to its answer, then deleted with a certificate @thorough", async ({
  page,
}) => {
  await memorized(page);
  const store = page.locator("[data-kind=store]");
  const rows = store.getByRole("grid", { name: "Facts in memory" }).locator('[role="row"][aria-selected]');
  const layerColor = async (): Promise<number> =>
    Number(/\d+/.exec((await drawer(page).locator("dl > div").first().locator("dd").textContent())!)![0]);
  await rows.getByText("John", { exact: true }).click();
  await expect(key(page)).toHaveText("John (1)");
  const from = await layerColor();

  await drawer(page).getByRole("button", { name: "Edit or move" }).click();
  const form = drawer(page).getByRole("form", { name: "Edit this fact" });
  const chooser = form.getByRole("combobox", { name: "Layer" });
  await chooser.focus();
  await page.keyboard.press("Enter");
  const to = from === 1 ? 2 : 1;
  await page.getByRole("option", { name: new RegExp(`^${to}\\b`) }).click();
  await form.getByRole("button", { name: "Encode the change" }).click();
  await expect(
    drawer(page)
      .getByRole("status")
      .filter({ hasText: `Encoded with layer ${from} → ${to}` }),
  ).toBeVisible(LONG);
  expect(await layerColor()).toBe(to);
  await expect(drawer(page).locator("[data-value]")).toHaveText(FACTS[1]);
  await expect(drawer(page).getByRole("region", { name: "History" })).toContainText(`layer ${from} → ${to}`);
  // Eq. 2 says another layer: the figure of the memory says who moved it.
  await store.getByRole("button", { name: "Figures", exact: true }).click();
  await expect(store.locator('[data-figure="round-robin"] [role=img]')).toHaveAccessibleName(
    /1 fact moved by hand/,
  );
  // At its new layer it is recalled, and answers.
  await drawer(page).getByRole("button", { name: "Recall now" }).click();
  const recall = drawer(page).getByRole("region", { name: "Recall" });
  await expect(recall.locator("[data-recalled]")).toHaveText(FACTS[1], LONG);
  await expect(await ask(page, "Where is John?")).toContainText("kitchen");

  // Deleted, taken back, deleted for good.
  await drawer(page).getByRole("button", { name: "Delete", exact: true }).click();
  await expect(rows).toHaveCount(FACTS.length - 1);
  await page.getByRole("button", { name: /^Undo/ }).last().click();
  await expect(rows).toHaveCount(FACTS.length);
  await expect(key(page)).toHaveText("John (1)");
  await drawer(page).getByRole("button", { name: "Delete", exact: true }).click();
  await expect(rows).toHaveCount(FACTS.length - 1);
  await expect(drawer(page)).toContainText("This fact is being deleted.");
  await page.getByRole("button", { name: "Delete now" }).click();
  const certificate = store.getByRole("article", { name: /^Deletion certificate/ });
  await expect(certificate).toContainText("John (1)", LONG);
  // One steps on from the place of the deleted fact.
  await drawer(page).getByRole("button", { name: "Next fact" }).click();
  await expect(key(page)).toHaveText("Sandra (1)");
  await page.keyboard.press("Escape");
  const gone = await ask(page, "Where is John?");
  await expect(gone).not.toContainText("kitchen");
});
