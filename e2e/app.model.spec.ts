/** @file The model cell with models that do not ship with the app: files of the user's own, and one of the Hub. */
import type { Page, Request } from "@playwright/test";
import { cellOf, prepareNotebook } from "./support/app.ts";
import { HUB, playedFile, playHub, REPO, WEIGHTS } from "./support/playedHub.ts";
import { expect, test } from "./support/test.ts";
import { tinyModel } from "./support/tinyModel.ts";

test.describe.configure({ timeout: 120_000 });
test.use({ actionTimeout: 15_000, allowedRequests: HUB });

const OPEN_MS = 60_000;
const model = (page: Page) => cellOf(page, "model");
const openModel = (page: Page) =>
  model(page)
    .getByRole("button", { name: /^(Open model|Run again)$/ })
    .click();

const files = (): { name: string; mimeType: string; buffer: Buffer }[] =>
  Object.entries(tinyModel()).map(([name, base64]) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(base64, "base64"),
  }));

test("files of the user's own are listed, opened in place, and asked for again after a reload @thorough", async ({
  page,
}) => {
  await prepareNotebook(page, "Ann ran.");
  await model(page).getByRole("radio", { name: "Your own files" }).click();
  const picker = model(page).locator("input[type=file]").first();
  await picker.setInputFiles(files().filter(({ name }) => name !== "config.json"));
  await expect(page.getByText(/No config\.json in the 2 dropped files/)).toBeVisible();
  await picker.setInputFiles(files());
  await expect(model(page)).toContainText("Qwen3ForCausalLM");
  await expect(model(page)).toContainText(/in 3 files; all of it is here/);
  await expect(model(page)).toContainText("wasm: fits");
  await openModel(page);
  await expect(model(page)).toContainText("wasm, self-test pass", { timeout: OPEN_MS });
  await expect(page.getByText("Saved in this browser")).toBeVisible();

  await page.reload();
  await expect(model(page)).toContainText("wasm, self-test pass");
  await model(page).getByText("Device card").click();
  await expect(model(page)).toContainText(/Decoding\s*16 tokens per run\./);
  await openModel(page);
  await expect(model(page).getByRole("alert")).toContainText(/Drop them on the model cell again/);
});

test("a model of the Hub shows what it takes, is downloaded, kept over a reload, and deleted @thorough", async ({
  page,
  context,
}) => {
  const ranges: (string | undefined)[] = [];
  const hub = playHub(new Map(files().map(({ name, buffer }) => [name, playedFile(buffer)])), {
    onWeights: (range) => void ranges.push(range),
  });
  await context.route(HUB, hub);
  await prepareNotebook(page, "Ann ran.");
  await model(page).getByRole("radio", { name: "From Hugging Face" }).click();
  await model(page).getByLabel("Model", { exact: true }).fill("not a name");
  await model(page).getByRole("button", { name: "List its files" }).click();
  await expect(model(page).getByText(/has the form owner\/name/)).toBeVisible();
  await model(page).getByLabel("Model", { exact: true }).fill(REPO);
  await model(page).getByRole("button", { name: "List its files" }).click();
  await expect(model(page)).toContainText(/in 3 files; [\d.]+ KB to download/);
  // Looking at a model does not fetch it.
  expect(ranges).toEqual([]);
  await model(page).getByRole("button", { name: "Files", exact: true }).click();
  await expect(model(page).getByRole("row").filter({ hasText: WEIGHTS })).toContainText("no");
  await openModel(page);
  await expect(model(page)).toContainText("wasm, self-test pass", { timeout: OPEN_MS });
  // This Hub breaks off half way: what came is kept, and the rest alone is asked for.
  expect(ranges.at(-1)).toMatch(/^bytes=\d+-$/);

  await page.reload();
  await context.unroute(HUB, hub);
  await context.route(HUB, (route) => route.abort());
  await openModel(page);
  await expect(model(page).getByRole("alert")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Device: wasm ready/ })).toBeVisible({ timeout: OPEN_MS });
  await expect(model(page).getByText("In this browser: 1")).toBeVisible();
  await model(page)
    .getByRole("button", { name: `Remove ${REPO} from this browser` })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(model(page).getByText("In this browser: 1")).toHaveCount(0);
});

test.describe("a model whose terms have to be accepted", () => {
  test.use({ allowedConsole: /status of 40[13]/ });

  test("says so, is listed and downloaded with the token that is typed, and keeps that nowhere @thorough", async ({
    page,
    context,
  }) => {
    const [token, wrong] = ["hf_thatAcceptedTheTerms", "hf_thatDidNot"];
    const asked: Request[] = [];
    context.on("request", (request) => void (HUB.test(request.url()) && asked.push(request)));
    await context.route(
      HUB,
      playHub(new Map(files().map(({ name, buffer }) => [name, playedFile(buffer)])), { token }),
    );
    await prepareNotebook(page, "Ann ran.");
    await model(page).getByRole("radio", { name: "From Hugging Face" }).click();
    const list = async () => model(page).getByRole("button", { name: "List its files" }).click();
    await model(page).getByLabel("Model", { exact: true }).fill(REPO);
    await list();
    await expect(
      model(page).getByText(`accept its terms on huggingface.co/${REPO} and enter a token`),
    ).toBeVisible();
    expect(await given(asked)).toEqual([undefined]);

    await model(page).getByText("Access token, for models that ask for one").click();
    const field = model(page).getByLabel("Token", { exact: true });
    await field.fill(wrong);
    await list();
    await expect(model(page).getByText(/the token has no access \(403\)/)).toBeVisible();
    await field.fill(token);
    await list();
    await expect(model(page)).toContainText(/in 3 files; [\d.]+ KB to download/);
    expect(await given(asked)).toEqual([`Bearer ${wrong}`, `Bearer ${token}`]);
    await openModel(page);
    await expect(model(page)).toContainText("wasm, self-test pass", { timeout: OPEN_MS });
    expect(asked.some((request) => request.url().endsWith(WEIGHTS))).toBe(true);
    expect(await given(asked)).toEqual([`Bearer ${token}`]);

    await expect(page.getByText("Saved in this browser")).toBeVisible();
    const kept = await page.evaluate(everythingKept);
    // It is looked for where it might be: the notebook and the model are found.
    for (const known of ["Ann ran.", REPO, WEIGHTS]) expect(kept).toContain(known);
    for (const secret of [token, wrong]) expect(kept).not.toContain(secret);
    await page.reload();
    await model(page).getByText("Access token, for models that ask for one").click();
    await expect(field).toHaveValue("");
  });
});

/** The tokens that were sent since this was asked last; undefined where none was. */
async function given(requests: Request[]): Promise<(string | undefined)[]> {
  const sent = requests.splice(0).map((request) => request.headerValue("authorization"));
  return [...new Set((await Promise.all(sent)).map((value) => value ?? undefined))];
}

/** All that this origin keeps in the browser, as text; runs in the page. */
async function everythingKept(): Promise<string> {
  const kept: string[] = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie];
  const answer = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("IndexedDB"));
    });
  for (const { name } of await indexedDB.databases()) {
    const database = await answer(indexedDB.open(name!));
    for (const store of database.objectStoreNames) {
      const all = database.transaction(store).objectStore(store);
      kept.push(JSON.stringify([name, store, await answer(all.getAllKeys()), await answer(all.getAll())]));
    }
    database.close();
  }
  const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
    for await (const [name, entry] of folder.entries()) {
      kept.push(name);
      if (entry.kind === "directory") await walk(entry);
      else kept.push(await (await entry.getFile()).text());
    }
  };
  await walk(await navigator.storage.getDirectory());
  for (const name of await caches.keys())
    kept.push(name, ...(await (await caches.open(name)).keys()).map(({ url }) => url));
  return kept.join("\n");
}
