/** @file The normal form of anchors: two anchors are one if their normal forms are equal. */

/** NFC, lower case, single spaces, straight apostrophes, without a leading article and a trailing possessive. */
export const anchorKey = (anchor: string): string =>
  oneLine(anchor)
    .normalize("NFC")
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/^(?:the|an?) (?=.)/, "")
    .replace(/(?<=.)'s$/, "");

export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
