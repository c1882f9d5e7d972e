/** @file A sentence in the text around it, cut where words end. */

/** Characters asked for on either side of a sentence. */
export const AROUND = 320;

export interface InContext {
  readonly before: string;
  /** Empty where the sentence is not found at its offset: the value was changed since. */
  readonly sentence: string;
  readonly after: string;
}

/**
 * Parts of `text`, which starts at `start` in its document and may be cut at both ends; the fact's sentence begins at
 * `offset` and read `value` when it was memorised.
 */
export function inContext(text: string, start: number, offset: number, value: string): InContext {
  const at = offset - start;
  const found = text.startsWith(value, at);
  const end = found ? at + value.length : at;
  return {
    before: fromWord(text.slice(0, at), start > 0),
    sentence: found ? value : "",
    after: toWord(text.slice(end), text.length - end >= AROUND),
  };
}

function fromWord(text: string, cut: boolean): string {
  if (!cut) return text;
  const space = text.search(/\s/);
  return space < 0 ? text : `… ${text.slice(space).trimStart()}`;
}

function toWord(text: string, cut: boolean): string {
  if (!cut) return text;
  const space = text.trimEnd().search(/\s\S*$/);
  return space < 0 ? text : `${text.slice(0, space)} …`;
}
