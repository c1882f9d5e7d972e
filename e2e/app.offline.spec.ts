/** The page without a network, where the service worker has its files, and under a deploy, where the server has them no more. */
import { cellOf, prepareNotebook } from "./support/app.ts";
import { expect, test } from "./support/test.ts";

test("without a network the page opens, stays isolated, and the bundled model runs", async ({
  page,
  context,
}) => {
  test.setTimeout(180_000);
  await page.goto("/");
  await expect(page.locator("[data-cell]").first()).toBeVisible();
  // The app registers it in its own build; here, so that the other tests see the server and not a cache.
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/sw.js");
    await navigator.serviceWorker.ready;
  });
  await context.setOffline(true);
  await page.reload();
  const model = page.locator('[data-kind="model"]');
  await expect(model).toBeVisible();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await model.getByRole("button", { name: "Run again" }).click();
  const ready = page.getByRole("button", { name: /Device: wasm ready/ });
  await expect(ready.or(model.getByRole("alert"))).toBeVisible({ timeout: 120_000 });
  await expect(ready).toBeVisible();
});

test.describe("a deploy under an open page", () => {
  test.use({ allowedConsole: /Failed to (?:load|fetch)|HubSource|The above error/ });

  test("is asked about: nothing is reloaded or lost, and after a reload the part is there", async ({
    page,
  }) => {
    await prepareNotebook(page, "Ann ran.");
    await expect(page.getByText("Saved in this browser")).toBeVisible();
    const gone = "**/assets/HubSource*.js";
    await page.route(gone, (route) => route.fulfill({ status: 404 }));
    await page.evaluate(() => document.body.setAttribute("data-same-page", ""));
    await cellOf(page, "model").getByRole("radio", { name: "From Hugging Face" }).click();
    const notice = page.getByRole("status").filter({ hasText: "A part of this page could not be fetched" });
    await expect(notice).toContainText("Your work is saved. Reload the page to continue.");
    await expect(cellOf(page, "source")).toContainText("Ann ran.");
    await expect(page.locator("body[data-same-page]")).toBeVisible();
    await notice.getByRole("button", { name: "Dismiss" }).click();
    await expect(notice).toBeHidden();
    // An earlier save was of the notebook without the text.
    await expect(page.getByText("Saved in this browser")).toBeVisible();

    await page.unroute(gone);
    await page.reload();
    await expect(cellOf(page, "source")).toContainText("Ann ran.");
    await expect(cellOf(page, "model").getByLabel("Model", { exact: true })).toBeVisible();
    await cellOf(page, "model")
      .getByText(/Models to begin with/)
      .click();
    await expect(cellOf(page, "model")).toContainText("Qwen/Qwen3-0.6B: a good start on a GPU");
  });
});
