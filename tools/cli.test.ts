/** @file What the commands share. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeDocx, makeEpub, utf8, wordParagraph, xhtml } from "../src/ingest/testing/archives.ts";
import { makePdf, typeset } from "../src/ingest/testing/pdf.ts";
import { readDocument } from "./cli.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SENTENCE = "Dr Wren keeps the key of the lamp.";
const PARAGRAPH = `<p>${SENTENCE}</p>`;

it.each<readonly [string, () => Uint8Array | Promise<Uint8Array>]>([
  ["a.txt", () => utf8(SENTENCE)],
  ["a.md", () => utf8(`# One\n\n${SENTENCE.replace("key", "**key**")}\n`)],
  ["a.html", () => utf8(`<!doctype html><html><body>${PARAGRAPH}</body></html>`)],
  ["a.epub", () => makeEpub({ chapters: { "1.xhtml": xhtml(PARAGRAPH) } })],
  ["a.docx", () => makeDocx(wordParagraph(SENTENCE))],
  ["a.pdf", () => makePdf([typeset([SENTENCE])])],
])("--text takes %s, as the page does", async (name, bytes) => {
  const path = join(folder, name);
  writeFileSync(path, await bytes());
  const { text } = await readDocument(path);
  expect(text).toContain(SENTENCE);
  expect(text).not.toMatch(/[<*]/);
});
