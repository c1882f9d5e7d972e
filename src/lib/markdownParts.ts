/** @file Splits Markdown into parts that the parser can handle; blocks that would cost too much stay plain text. */

interface MarkdownPart {
  readonly text: string;
  readonly plain: boolean;
}

/** Cuts a long file before headings or at blank lines, outside fences and raw elements. Joined, the parts are the source. */
export function partsOf(source: string, size = PART): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  let from = 0;
  const end = (at: number, plain = false): void => {
    if (at > from) parts.push({ text: source.slice(from, at), plain });
    from = at;
  };
  for (const { start, stop, heading } of blocks(source)) {
    if ((heading && start - from >= size) || start - from >= 2 * size) end(start);
    if (!isPlain(source.slice(start, stop))) continue;
    end(start);
    end(stop, true);
  }
  end(source.length);
  return parts;
}

function* blocks(source: string) {
  let start = 0;
  let heading = false;
  let closing: RegExp | null = null;
  for (const { 0: line, index } of source.matchAll(LINE)) {
    const title = closing === null && HEADING.test(line);
    if (index > start && (title || (closing === null && line.trim() === ""))) {
      yield { start, stop: index, heading };
      start = index;
    }
    if (index === start) heading = title;
    closing = closing === null ? closingOf(line) : closing.test(line) ? null : closing;
    if (index - start > LONGEST_FENCE) closing = null;
  }
  if (source.length > start) yield { start, stop: source.length, heading };
}

function closingOf(line: string): RegExp | null {
  const fence = /^ {0,3}(```|~~~)/.exec(line)?.[1];
  if (fence !== undefined) return fence === "```" ? /^ {0,3}```/ : /^ {0,3}~~~/;
  const tag = /^ {0,3}<(script|style|pre|textarea)[\s>]/i.exec(line)?.[1];
  if (tag === undefined) return null;
  const closing = new RegExp(`</${tag}>`, "i");
  return closing.test(line) ? null : closing;
}

/** Longer than a paragraph or denser than a table: parsing could take minutes. */
function isPlain(block: string): boolean {
  if (block.length <= SHORT || closingOf(block) !== null) return block.length > LONGEST_FENCE;
  if (block.length > LONGEST_BLOCK) return true;
  const marks = block.match(MARKS)?.length ?? 0;
  return marks > DENSE * block.length || WIDE_ROW.test(block) || DEEP_LINE.test(block);
}

const LINE = /^.*$/gm;
const HEADING = /^#{1,2} /;
/** Emphasis, links and code take less than a fifth of a text that a person wrote. */
const MARKS = /[*_~[\]>]/g;
const DENSE = 0.2;
/** Each row of its table would be padded to as many cells. */
const WIDE_ROW = /^(?:[^|\n]*\|){50}/m;
const DEEP_LINE = /^[ \t>]{60}/m;
const SHORT = 200;
const LONGEST_BLOCK = 16_000;
const LONGEST_FENCE = 200_000;
/** UTF-16 units; parts end at the first heading after this, or at the first blank line after twice as many. */
const PART = 200_000;
