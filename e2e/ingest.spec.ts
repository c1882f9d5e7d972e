/**
 * The document readers in a worker of a real browser, under the strict Content-Security-Policy of the app: the same
 * files give the same text as in Node. The guard of every test sees to it that nothing leaves the origin.
 */
import { readFile } from "../src/ingest/readers/readFile.ts";
import { makeDocx, makeEpub, utf8, wordParagraph, xhtml } from "../src/ingest/testing/archives.ts";
import { makePdf, typeset } from "../src/ingest/testing/pdf.ts";
import { expect, test } from "./support/test.ts";
import type { FileToRead, IngestChecks } from "./workers/ingest.worker.ts";

const FACT = "Mary Weston moved to Lisbon in 1904.";

const FILES: Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>> = {
  "a.txt": () => utf8(`${FACT}\n\nZoë kept “the key”.`),
  "a.md": () => utf8(`# Letters&nbsp;&copy;\n\n*${FACT}*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`),
  "a.html": () => utf8(`<!doctype html><title>T</title><h1>Letters</h1><p>${FACT}<script>throw 1</script>`),
  "a.pdf": () =>
    makePdf([typeset([FACT, "", "It was a very long jour-", "ney by sea."]), typeset(["The end came."])]),
  "a.epub": () => makeEpub({ chapters: { "1.xhtml": xhtml(`<h1>One</h1><p>${FACT}</p>`) } }),
  "a.docx": () => makeDocx(wordParagraph("Letters", "Heading1") + wordParagraph(FACT)),
};

for (const [name, make] of Object.entries(FILES)) {
  test(`${name}: the same text as in Node, and its fact is a candidate`, async ({ worker }) => {
    const bytes = await make();
    const call = await worker<IngestChecks>("ingest");
    expect(await call("read", toSend(name, bytes))).toEqual(await readFile(bytes, name));
    expect(await call("candidates", toSend(name, bytes))).toContain(FACT);
  });
}

test("the worker above came with the policy of the app, which allows no eval and no other origin", async ({
  page,
  request,
}) => {
  const [worker] = await Promise.all([
    page.waitForEvent("worker"),
    page.goto("/e2e/page.html?worker=ingest"),
  ]);
  const policy = (await request.get(worker.url())).headers()["content-security-policy"] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(/script-src ([^;]*)/.exec(policy)?.[1]).toBe("'self' 'wasm-unsafe-eval'");
});

test("a zip bomb, a locked PDF and a hostile page do no harm", async ({ worker }) => {
  const call = await worker<IngestChecks>("ingest");
  const bomb = await makeEpub({ chapters: { "1.xhtml": xhtml(`<p>${" ".repeat(30e6)}</p>`) } });
  await expect(call("read", toSend("bomb.epub", bomb))).rejects.toThrow(/the mark of a zip bomb/);
  const locked = makePdf([typeset([FACT])], { locked: true });
  await expect(call("read", toSend("locked.pdf", locked))).rejects.toThrow(/protected by a password/);
  const page = `<html><img src="https://example.org/x.png" onerror="throw 1">${"<div>".repeat(200_000)}${FACT}`;
  const read = await call("read", toSend("deep.html", utf8(page)));
  expect(read.document.text).toBe(FACT);
});

function toSend(name: string, bytes: Uint8Array): FileToRead {
  return { name, base64: Buffer.from(bytes).toString("base64") };
}
