/** @file Plain text as files have it -> running text: words divided at line ends, page breaks and references put right. */

/** Removes what the lines and pages of a plain-text file put into its sentences. */
export function tidyText(given: string): string {
  let text = given.replace(/\u00ad[ \t]*(?:\r?\n[ \t]*)?|\u200b/g, "");
  const words = new Set(text.match(WORD)?.map((word) => word.toLowerCase()));
  text = text.replace(DIVIDED, (_, first: string, second: string) => joinedHalves(first, second, words));
  // A page may end inside a sentence, with its number before or behind the break.
  text = text.replace(PAGE_BREAK, (_, before: string, after: string) =>
    /[\p{L}\p{N},;-]/u.test(before) && /\p{Ll}/u.test(after)
      ? `${before}\n${after}`
      : `${before}\n\n${after}`,
  );
  return REFERENCED.test(text) ? text.replace(REFERENCE, "") : text;
}

/** Two halves of a word: with the hyphen only if the text writes the compound so elsewhere, and not as one word. */
export function joinedHalves(first: string, second: string, words: ReadonlySet<string>): string {
  const compound = `${first}-${second}`;
  return words.has(compound.toLowerCase()) && !words.has(`${first}${second}`.toLowerCase())
    ? compound
    : `${first}${second}`;
}

/** Words and compounds inside a line. */
export const WORD = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)?/gu;
const DIVIDED = /(?<![\p{L}\p{M}-])([\p{L}\p{M}]{2,40})[-\u2010][ \t]*\r?\n[ \t]*(\p{Ll}[\p{L}\p{M}]*)/gu;
const PAGE_BREAK =
  /(\S)[ \t]*(?:\r?\n[ \t]*(?:[-–—]\s?)?\d{1,4}(?:\s?[-–—])?[ \t]*(?=\s*\f))?\s*\f\s*(?:(?:[-–—]\s?)?\d{1,4}(?:\s?[-–—])?[ \t]*\r?\n\s*)?(\S)/gu;
/** A text with references behind its sentences has them inside too. */
const REFERENCED = /[.!?]["”’)]?\[\d{1,3}\]/;
const REFERENCE =
  /(?<=[\p{L}\p{N}\p{P}])(?:\[(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|(?:note|nb|n)\s?\d+|citation needed)\])+(?=[\s\p{P}]|$)/gu;
