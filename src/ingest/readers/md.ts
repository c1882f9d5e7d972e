/** @file Markdown -> text, by way of HTML: the content that GitHub would show, without the markup. */

import { throwIfCancelled } from "../../lib/assert.ts";
import { partsOf } from "../../lib/markdownParts.ts";
import { decodeText } from "../text.ts";
import { htmlToText } from "./html.ts";
import { TextBuilder } from "./textBuilder.ts";
import type { Reader } from "./types.ts";

export const readMd: Reader = async (bytes, name, { encoding: chosen, signal, onProgress }) => {
  const { text: source, encoding, notes } = await decodeText(bytes, name, { chosen });
  const [{ micromark }, { gfm, gfmHtml }] = await Promise.all([
    import("micromark"),
    import("micromark-extension-gfm"),
  ]);
  const options = {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml(), HTML_AS_IT_IS],
  };
  const front = FRONT_MATTER.exec(source)?.[0] ?? "";
  const book = new TextBuilder();
  const parts = partsOf(source.slice(front.length));
  for (const [i, { text, plain }] of parts.entries()) {
    throwIfCancelled(signal, `ingest: reading "${name}"`);
    book.append(plain ? text.trim() : (await htmlToText(micromark(text, options), { lines: true })).text);
    onProgress?.(i + 1, parts.length);
  }
  const left = `"${name}": its front matter (${front.split("\n").length - 1} lines of settings) was left out.`;
  const plain = parts.filter((part) => part.plain).length;
  const kept = `"${name}": ${plain} ${plain === 1 ? "part" : "parts"} of it too long or too dense to be Markdown stand as they were.`;
  return {
    text: book.text,
    encoding,
    notes: [...notes, ...(front === "" ? [] : [left]), ...(plain === 0 ? [] : [kept])],
  };
};

/** GFM writes `<script>` out as text, to make it harmless; here the HTML reader drops it with its content. */
const HTML_AS_IT_IS: ReturnType<typeof import("micromark-extension-gfm").gfmHtml> = {
  exit: {
    htmlFlowData(token) {
      this.raw(this.sliceSerialize(token));
    },
    htmlTextData(token) {
      this.raw(this.sliceSerialize(token));
    },
  },
};

const FRONT_MATTER =
  /^(?:---[ \t]*\r?\n(?:[^]*?\r?\n)?---|\+\+\+[ \t]*\r?\n(?:[^]*?\r?\n)?\+\+\+)[ \t]*(?:\r?\n|$)/;
