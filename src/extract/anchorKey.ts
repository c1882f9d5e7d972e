/** @file When two anchors are one: the same string after normalisation, and nothing looser than that. */

/**
 * The normal form of an anchor: NFC, lower case, single spaces, straight apostrophes, without a leading article
 * and a trailing possessive. Two anchors are merged exactly when their normal forms are equal.
 */
export function anchorKey(anchor: string): string {
  return oneLine(anchor)
    .normalize("NFC")
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/^(?:the|an?) (?=.)/, "")
    .replace(/(?<=.)'s$/, "");
}

/** The text with every run of white space (line ends of wrapped text) as one space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
