/** @file The main job on wasm, from the bundled start page: a text becomes memory, is forgotten, answers, loses a fact. */
import { ask, cellOf, dropTexts, exported, recalledTokens, runAll } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });
test.use({ actionTimeout: 15_000 });

const TEXT = `The inn was full that night and nobody minded much.

Mary moved to the garden. So much for the weather. Sandra picked up the lantern there. She meant to light it.

Peter's passport is 48213. He gave it up with both hands. The code of Project Beacon is AB-417. Nobody signed it.

Sandra went back to the hallway. Clara lives in Lisbon. The rest is silence.
`;
const MODEL_MS = 120_000;

test("a dropped text is memorised, forgotten, and answers after a reload; a deleted fact is gone and nothing else", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue(
    "The lamp at Harrow Point",
  );
  const source = cellOf(page, "source");
  await source.getByRole("button", { name: /^Take “the-lamp.* off the list$/ }).click();
  await dropTexts(source.getByText("Drop a text here"), [{ name: "inn.txt", text: TEXT }]);
  await expect(source.getByText("ready", { exact: true })).toBeVisible();

  await runAll(page, MODEL_MS);
  await expect(source.getByText("forgotten", { exact: true })).toBeVisible();
  await expect(page.getByText("Saved in this browser")).toBeVisible();

  await page.reload();
  await expect(cellOf(page, "source").getByText("forgotten", { exact: true })).toBeVisible();
  const mary = await ask(page, "Where is Mary?", MODEL_MS);
  expect(mary).toContain("garden");
  const code = await ask(page, "What is the code of Project Beacon?", MODEL_MS);
  expect(code).toContain("AB-417");
  const passport = await ask(page, "What is Peter's passport?", MODEL_MS);
  expect(passport).toContain("48213");

  const store = cellOf(page, "store");
  const grid = store.getByRole("grid", { name: "Facts in memory" });
  const rows = Number(await grid.getAttribute("aria-rowcount"));
  await grid.getByRole("row").filter({ hasText: "48213" }).getByRole("gridcell").first().click();
  await store.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("menuitem", { name: /^Peter \(1\)/ }).click();
  await expect(grid.getByRole("row").filter({ hasText: "48213" })).toHaveCount(0);
  const certificate = store.getByRole("article", { name: /^Deletion certificate/ });
  await expect(certificate).toBeVisible({ timeout: MODEL_MS });
  await expect(certificate.getByRole("row").filter({ hasText: "Peter (1)" })).toContainText(
    "Peter's passport is 48213.",
  );
  await expect(certificate).toContainText(/recalled before and after: not one token differs/);
  await expect(grid).toHaveAttribute("aria-rowcount", String(rows - 1));

  expect(await ask(page, "What is Peter's passport?", MODEL_MS)).toMatch(/not in memory/i);
  expect(await ask(page, "Where is Mary?", MODEL_MS)).toBe(mary);
  expect(await ask(page, "What is the code of Project Beacon?", MODEL_MS)).toBe(code);
  const notebook = await exported(page);
  for (const question of ["Where is Mary?", "What is the code of Project Beacon?"]) {
    const [after, before] = recalledTokens(notebook, question);
    expect(after!.length, question).toBeGreaterThan(0);
    expect(after, question).toEqual(before);
  }
});
