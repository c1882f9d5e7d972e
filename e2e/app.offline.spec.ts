/** After the first visit the page, the runtime and the bundled model come from the service worker. */
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
