/** IndexedDB as it is: tabs that die in the middle of a write, other tabs, another version, room that runs out. */
import type { BrowserContext, Page } from "@playwright/test";
import { SCHEMA_VERSION } from "../src/store/schema.ts";
import type { CallCheck } from "./support/test.ts";
import { expect, test } from "./support/test.ts";
import type { StoreChecks } from "./workers/store.worker.ts";

test.skip(({ backend }) => backend !== "wasm", "the store does not depend on the backend");

interface Tab {
  readonly page: Page;
  readonly check: CallCheck<StoreChecks>;
}

async function openTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  await page.goto("/e2e/page.html?worker=store");
  await page.waitForFunction(() => typeof window.callWorker === "function");
  const check: CallCheck<StoreChecks> = async (name, ...[argument]) => {
    const answer = await page.evaluate(([c, a]) => window.callWorker(c, a), [name, argument] as const);
    if ("error" in answer) throw new Error(answer.error.message);
    return answer.value as never;
  };
  return { page, check };
}

test("keeps its contract, bit for bit", async ({ context }) => {
  const { check } = await openTab(context);
  expect(await check("contract")).toEqual([]);
  expect(await check("text")).toEqual([true, true]);
});

for (const how of ["is closed", "crashes"] as const)
  test(`a tab that ${how} in the middle of appends loses at most the batch it was writing`, async ({
    context,
  }) => {
    const tab = await openTab(context);
    await tab.check("start", { entries: 64 });
    await expect.poll(() => tab.check("appended"), { intervals: [20] }).toBeGreaterThan(500);
    const safe = await tab.check("appended");
    if (how === "is closed") await tab.page.close();
    else {
      const devtools = await context.newCDPSession(tab.page);
      const crashed = tab.page.waitForEvent("crash");
      devtools.send("Page.crash").catch(() => undefined);
      await crashed;
    }
    const { check } = await openTab(context);
    const { entries, whole } = await check("prefix");
    expect(whole).toBe(true);
    expect(entries).toBeGreaterThanOrEqual(safe);
    expect(entries % 64).toBe(0);
    expect(await check("save", [1, 2, 3])).toBeNull();
  });

test("two tabs: the one with the older state is refused until it loads again", async ({ context }) => {
  const [a, b] = [await openTab(context), await openTab(context)];
  expect(await a.check("save", [1])).toBeNull();
  expect(await b.check("load")).toBe(1);
  expect(await a.check("save", [1, 2])).toBeNull();
  expect((await b.check("save", [9]))!.message).toMatch(/was changed in another tab since it was loaded/);
  expect(await b.check("load")).toBe(2);
  expect(await b.check("save", [1, 2, 3])).toBeNull();
});

test("one tab writes, the other reads and knows who; it takes over, or comes next", async ({ context }) => {
  const [a, b] = [await openTab(context), await openTab(context)];
  expect(await a.check("lock", "Ledgers")).toBe("writer");
  expect(await b.check("lock", "Atlas")).toBe("reader");
  await expect.poll(() => b.check("lockState")).toEqual({ state: "reader", who: "Ledgers" });
  await b.check("takeOver");
  await expect.poll(() => b.check("lockState")).toEqual({ state: "writer", who: "Atlas" });
  await expect.poll(() => a.check("lockState")).toEqual({ state: "reader", who: "Atlas" });
  await b.page.close();
  await expect.poll(() => a.check("lockState")).toEqual({ state: "writer", who: "Ledgers" });
});

test("a newer app takes the database over; this one stops and says what to do", async ({ context }) => {
  const [old, newer] = [await openTab(context), await openTab(context)];
  expect(await old.check("save", [1])).toBeNull();
  await newer.check("openNewer");
  expect(await old.check("events")).toEqual(["superseded"]);
  expect((await old.check("save", [2]))!.message).toMatch(
    /taken over by a newer Palimpsest.*reload this tab/,
  );
  expect(await old.check("open")).toMatchObject({
    name: "StoreVersion",
    message: expect.stringContaining(
      `has format ${SCHEMA_VERSION + 1}; this version of Palimpsest reads format ${SCHEMA_VERSION}. Nothing was changed`,
    ) as unknown,
  });
});

test("no more room: what is stored stays whole, and with room again it goes on", async ({
  context,
  baseURL,
}) => {
  const { page, check } = await openTab(context);
  const origin = new URL(baseURL!).origin;
  const devtools = await context.newCDPSession(page);
  const quotaSize = (await check("usage")) + 6e6;
  await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize });
  const full = await check("fill");
  expect(full.name).toBe("StoreFull");
  // Chromium's estimate does not tell the real limit: it is always 10 GiB more than what is used.
  expect(full.message).toMatch(/the browser gives no more room \([\d.]+ MB are used.*the disk may be full\)/);
  expect(full.stored).toBeGreaterThan(3);
  await devtools.send("Storage.overrideQuotaForOrigin", { origin });
  expect(await check("goOn")).toBe(full.stored + 1);
});

test("how long 50,000 facts take", async ({ context }) => {
  test.skip(!process.env["PALIMPSEST_BENCH"], "a measurement: set PALIMPSEST_BENCH=1 to make it");
  test.setTimeout(900_000);
  const { check } = await openTab(context);
  console.log(await check("bench", { facts: 50_000, batch: 16 }));
});
