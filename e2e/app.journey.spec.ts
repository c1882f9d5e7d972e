/** @file The main job on wasm, from the bundled start page: a text becomes memory, is forgotten, answers, loses a fact. */
import { cellOf, dropTexts } from "./support/app.ts";
import { journey } from "./support/journey.ts";
import { expect, test } from "./support/test.ts";

test.describe.configure({ timeout: 300_000 });
test.use({ actionTimeout: 15_000 });

const TEXT = `The inn was full that night and nobody minded much.

Mary moved to the garden. So much for the weather. Sandra picked up the lantern there. She meant to light it.

Peter's passport is 48213. He gave it up with both hands. The code of Project Beacon is AB-417. Nobody signed it.

Sandra went back to the hallway. Clara lives in Lisbon. The rest is silence.
`;

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

  await journey(page, {
    questions: [
      { question: "Where is Mary?", answer: "garden" },
      { question: "What is the code of Project Beacon?", answer: "AB-417" },
      { question: "What is Peter's passport?", answer: "48213" },
    ],
    doomed: { value: "Peter's passport is 48213.", key: "Peter (1)" },
    timeout: 120_000,
  });
});
