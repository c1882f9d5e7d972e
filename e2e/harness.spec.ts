/** The rules that support/test.ts enforces on every test, broken on purpose. */
import type { Browser, Page } from "@playwright/test";
import { expect, test, watch } from "./support/test.ts";

/** What the rules say about `act` in a page that they do not guard. */
async function problemsOf(browser: Browser, origin: string, act: (page: Page) => Promise<unknown>) {
  const context = await browser.newContext();
  const problems: string[] = [];
  watch(context, origin, undefined, problems);
  const page = await context.newPage();
  await page.goto(`${origin}/e2e/page.html?worker=ingest`);
  await act(page);
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  await context.close();
  return problems.join("\n");
}

test("a console error is a problem", async ({ browser, baseURL }) => {
  const found = await problemsOf(browser, baseURL!, (page) => page.evaluate(() => console.error("broken")));
  expect(found).toMatch(/^console error: broken/);
});

test("an uncaught error is a problem", async ({ browser, baseURL }) => {
  const found = await problemsOf(browser, baseURL!, (page) =>
    page.evaluate(() => setTimeout(() => void Promise.reject(new Error("nobody caught me")))),
  );
  expect(found).toMatch(/^uncaught: Error: nobody caught me/);
});

test("a request to another origin is a problem, from a worker too, and goes nowhere", async ({
  browser,
  baseURL,
}) => {
  for (const from of ["page", "worker"]) {
    let reached: unknown;
    const found = await problemsOf(browser, baseURL!, async (page) => {
      reached = await page.evaluate(askElsewhere, from);
    });
    expect(reached).toBe("failed");
    expect(found).toContain("request to another origin: https://example.com/");
  }
});

/** Runs in the page. */
function askElsewhere(from: string): Promise<unknown> {
  const source = `fetch("https://example.com/", { mode: "no-cors" }).then(() => "reached", () => "failed")`;
  if (from === "page") return eval(source) as Promise<unknown>;
  const script = new Blob([`${source}.then(postMessage)`], { type: "text/javascript" });
  return new Promise((resolve) => {
    const worker = new Worker(URL.createObjectURL(script));
    worker.onmessage = ({ data }) => resolve(data);
  });
}

test("a page is cross-origin isolated", async ({ page }) => {
  await page.goto("/e2e/page.html?worker=ingest");
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
});
