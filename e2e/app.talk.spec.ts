/** @file The presentation: the story of a notebook alone, moved by the keys of a clicker, at the sizes of two projectors. */
import { rounds } from "../src/lib/testing/thorough.ts";
import { expect, test } from "./support/test.ts";

for (const viewport of rounds(
  [{ width: 1280, height: 720 }],
  [
    { width: 1280, height: 720 },
    { width: 1920, height: 1080 },
  ],
))
  test(`the story is shown one step at a time, without a control, at ${viewport.width} × ${viewport.height}`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport);
    await page.goto("/");
    await page.locator("[data-kind=ask]").getByRole("article").first().waitFor();
    await page.keyboard.press("p");
    const talk = page.getByRole("dialog", { name: "Presentation" });
    await expect(talk).toContainText("The lamp at Harrow Point");
    await expect(talk).toContainText("1 of 8");
    await page.keyboard.press("PageDown");
    await expect(talk).toContainText("A palimpsest is a page whose text was scraped off");
    await page.keyboard.press("ArrowRight");
    await expect(talk).toContainText("Mary moved to the garden.");
    await page.keyboard.press(" ");
    await expect(talk).toContainText("Recalled word for word");
    await page.keyboard.press("PageDown");
    await expect(talk).toContainText("What is the code of Project Beacon?");
    await expect(talk.locator("mark")).toHaveText("AB-417");
    await page.keyboard.press("PageUp");
    await expect(talk).toContainText("4 of 8");
    // Nothing of it can be pressed, and nothing sticks out.
    await expect(talk.getByRole("button")).toHaveCount(0);
    expect(await talk.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");
    await expect(talk).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Run all" })).toBeVisible();
  });

test("Escape closes the talk and leaves the panel of a fact open", async ({ page }) => {
  await page.goto("/");
  const answer = page.locator("[data-kind=ask]").getByRole("article").first();
  await answer
    .getByRole("button", { name: /: open this fact$/ })
    .first()
    .click();
  const panel = page.getByRole("complementary", { name: "Fact" });
  await expect(panel).toBeVisible();
  // The keys of the page do not work in the panel.
  await answer.locator("p").first().click();
  await page.keyboard.press("p");
  const talk = page.getByRole("dialog", { name: "Presentation" });
  await expect(talk).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(talk).toHaveCount(0);
  await expect(panel).toBeVisible();
});
