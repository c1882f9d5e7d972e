/**
 * @file Markdown -> text, by way of HTML: what GitHub would show of the file is what is kept, without the markup.
 * HTML inside goes through the HTML reader like any other, so scripts and hidden parts are dropped there too.
 */

import { throwIfCancelled } from "../../lib/assert.ts";
import { decodeText } from "../text.ts";
import { htmlToText } from "./html.ts";
import { TextBuilder } from "./textBuilder.ts";
import type { Reader } from "./types.ts";

export const readMd: Reader = async (bytes, name, { encoding: chosen, signal, onProgress }) => {
  const { text: source, encoding, notes } = decodeText(bytes, name, { chosen });
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
  const parts = inParts(source.slice(front.length), PART);
  for (const [i, part] of parts.entries()) {
    throwIfCancelled(signal, `ingest: reading "${name}"`);
    book.append(await htmlToText(micromark(part, options)));
    onProgress?.(i + 1, parts.length);
  }
  const left = `"${name}": its front matter (${front.split("\n").length - 1} lines of settings) was left out.`;
  return { ...book.finish(), encoding, notes: front === "" ? notes : [...notes, left] };
};

/**
 * Cuts a long file before headings of the first two levels outside code fences, for the parser's memory grows to
 * hundreds of times its input. Link definitions reach no further than their part; texts of links stay either way.
 */
function inParts(source: string, size: number): string[] {
  const parts: string[] = [];
  let start = 0;
  let fence: string | null = null;
  for (const { 0: line, index } of source.matchAll(FENCE_OR_HEADING)) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === null ? mark : fence === mark ? null : fence;
    else if (fence === null && index - start >= size) {
      parts.push(source.slice(start, index));
      start = index;
    }
  }
  parts.push(source.slice(start));
  return parts;
}

/** GFM writes `<script>` out as text, to make it harmless; here the HTML reader drops it with what is in it. */
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

/** YAML or TOML settings at the very start, as static site generators use them. */
const FRONT_MATTER =
  /^(?:---[ \t]*\r?\n(?:[^]*?\r?\n)?---|\+\+\+[ \t]*\r?\n(?:[^]*?\r?\n)?\+\+\+)[ \t]*(?:\r?\n|$)/;
const FENCE_OR_HEADING = /^(?: {0,3}(?:```|~~~)|#{1,2} ).*$/gm;
/** UTF-16 units; parts end at the first heading after this. */
const PART = 200_000;
