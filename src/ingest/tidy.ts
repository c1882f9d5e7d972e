/** @file Plain text as files have it -> running text: words divided at line ends, page breaks and references put right. */

import { chatLines } from "./chat.ts";
import { rowSentences } from "./readers/tables.ts";
import { subtitleLines } from "./subtitles.ts";

export function tidyText(given: string): string {
  let text = chatLines(subtitleLines(given.replace(/\u00ad[ \t]*(?:\r?\n[ \t]*)?|\u200b/g, "")));
  if (/[-\u2010][ \t]*\r?\n/.test(text)) {
    const words = new Set(text.match(WORD)?.map((word) => word.toLowerCase()));
    text = text.replace(DIVIDED, (_, first: string, second: string) => joinedHalves(first, second, words));
  }
  if (text.includes("\f")) text = joinedPages(text.split("\f"));
  if (QUOTE_MARKS.test(text)) text = unquoted(text);
  if (TASK.test(text)) text = text.replace(TASKS, (_, done: string) => (done === " " ? "To do: " : "Done: "));
  text = text.replace(TABLE, tableRows);
  return REFERENCED.test(text) ? text.replace(REFERENCE, "") : text;
}

/** Quoted mail without its marks. Where their number changes another speaker begins, below a blank line. */
function unquoted(text: string): string {
  const marks = QUOTING.test(text) ? /^(?:[ \t]{0,3}>)+[ \t]?/ : QUOTE_MARKS;
  let [depth, above, marked] = [0, "", 0];
  return text
    .split("\n")
    .map((line) => {
      const found = marks.exec(line)?.[0] ?? "";
      const words = line.slice(found.length).trimEnd();
      const now = found.split(">").length - 1;
      // Markdown needs a mark only before the first line of a quoted paragraph.
      const isWrap = now === 0 && marked === 1 && words.length > 0.4 * above.length;
      const goesOn = !/[.?!:]["'”’]?$/.test(above) && (isWrap || /^\p{Ll}/u.test(words));
      const parts = now !== depth && above !== "" && words !== "" && !goesOn;
      [depth, above, marked] = [now, words, now > 0 && words !== "" ? marked + 1 : 0];
      return parts ? `\n${words}` : words;
    })
    .join("\n");
}

/** Rows of a table, with bars, a tab or two spaces between the cells, as sentences with the headings of the first one. */
function tableRows(lines: string): string {
  const barred = /^[ \t]*\|/.test(lines);
  const cut = barred ? "|" : lines.includes("\t") ? "\t" : / {2,}/;
  const rows = lines
    .trimEnd()
    .split(/\r?\n/)
    .filter((line) => !barred || !/^[\s|:-]+$/.test(line))
    .map((line) => (barred ? line.trim().replace(/^\||\|$/g, "") : line.trimEnd()).split(cut));
  const ruled = barred && /\n[\s|:-]+\n/.test(lines);
  const cells = rows.map((row, i) =>
    row.map((text) => ({ text: text.trim(), head: ruled && i === 0, columns: 1, rows: 1 })),
  );
  const made = rowSentences(cells, "", false);
  return made.some((row) => row.includes("\t")) ? lines : made.join("\n") + /\s*$/.exec(lines)![0];
}

function joinedPages(pages: readonly string[]): string {
  const plain = pages
    .map((page) => page.replace(FIRST_LINE_NUMBER, "").trim())
    .map((page) => {
      const tail = page.slice(-100);
      return page.slice(0, page.length - tail.length) + tail.replace(LAST_LINE_NUMBER, "").trimEnd();
    });
  const parts = plain.flatMap((page, i) => {
    const runsOn = /[\p{L}\p{N},;-]$/u.test(plain[i - 1]?.slice(-2) ?? "") && /^\p{Ll}/u.test(page);
    return [i === 0 ? "" : runsOn ? "\n" : "\n\n", page];
  });
  return parts.join("");
}

/** Two halves of a word: with the hyphen only if the text writes the compound so elsewhere, and not as one word. */
export function joinedHalves(first: string, second: string, words: ReadonlySet<string>): string {
  const compound = `${first}-${second}`;
  return words.has(compound.toLowerCase()) && !words.has(`${first}${second}`.toLowerCase())
    ? compound
    : `${first}${second}`;
}

export const WORD = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)?/gu;
const DIVIDED = /(?<![\p{L}\p{M}-])([\p{L}\p{M}]{2,40})[-\u2010][ \t]*\r?\n[ \t]*(\p{Ll}[\p{L}\p{M}]*)/gu;
/** Before words, or, in a mail with two quoted lines together, before anything. */
const QUOTE_MARKS = /^(?:[ \t]{0,3}>)+[ \t]?(?=["“‘'¿¡(]?\p{L})/mu;
const QUOTING = /^[ \t]{0,3}>[^\n]*\n[ \t]{0,3}>/m;
const TASK = /^[ \t]*(?:[-*+•][ \t])?[ \t]*\[[ xX]\][ \t]/m;
const TASKS = /(?<=^[ \t]{0,20}(?:[-*+•][ \t])?[ \t]{0,20})\[([ xX])\][ \t]+(?=\S)/gm;
const TABLE =
  /(?:^[ \t]*\|[^\n]*\|[ \t]*\r?(?:\n|$)){2,}|(?:^ *[^\s][^\t\n]*\t[^\n]*(?:\n|$)){2,}|(?:^\S+(?: \S+)*(?: {2,}\S+(?: \S+)*){2,} *\r?(?:\n|$)){2,}/gm;
const LAST_LINE_NUMBER = /(?:^|\n)[ \t]{0,80}(?:[-–—] ?)?\d{1,4}(?: ?[-–—])?$/;
const FIRST_LINE_NUMBER = /^\s{0,80}(?:[-–—] ?)?\d{1,4}(?: ?[-–—])?[ \t]{0,9}\r?\n/;
const REFERENCED = /[.!?]["”’)]?\[\d{1,3}\]/;
const REFERENCE =
  /(?<=[\p{L}\p{N}\p{P}])(?:\[(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|(?:note|nb|n)\s?\d+|citation needed)\])+(?=[\s\p{P}]|$)/gu;
