/** @file The normal form of anchors: two anchors are one if their normal forms are equal. */

/** NFC, lower case, single spaces, straight apostrophes, without a leading article and a trailing possessive. */
export function anchorKey(anchor: string): string {
  return oneLine(anchor)
    .normalize("NFC")
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/^(?:the|an?) (?=.)/, "")
    .replace(/(?<=.)'s$/, "");
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
