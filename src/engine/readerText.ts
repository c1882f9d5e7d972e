/** @file The reader's view of a text: units and tokens, as in tools/demo-model/reader_text.py, which trained it. */

/** Characters [start, end) of a text that no span cuts: a word, a number, a price. */
export interface Unit {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
  /** Words before it, and with it, without articles. */
  readonly before: number;
  readonly upTo: number;
}

export interface Reading {
  readonly ids: readonly number[];
  readonly units: readonly Unit[];
  /** Whether it was read to its end. */
  readonly whole: boolean;
}

/** One character for one, so that places stay. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'" },
  ...{ "\u00a0": " ", "\n": " ", "\r": " ", "\t": " " },
};
const OPENING = new Set("\"'([{*_<|-–");
const CLOSING = new Set("\"')]}*_>|.,;:!?-–…");
const plainOf = (text: string): string => text.replace(/[“”„«»’‘\u00a0\n\r\t]/g, (mark) => PLAIN[mark]!);

/**
 * The tokens and units of a text. Units and the texts between them are encoded one by one, which gives the tokens of the whole text.
 * @param most tokens that are read; no unit is cut
 */
export function readingOf(text: string, encode: (text: string) => readonly number[], most: number): Reading {
  const plain = plainOf(text);
  const [ids, units]: [number[], Unit[]] = [[], []];
  let at = 0;
  for (const { start, end } of unitsOf(plain)) {
    const [between, own] = [encode(plain.slice(at, start)), encode(plain.slice(start, end))];
    if (ids.length + between.length + own.length > most) return { ids, units, whole: false };
    at = end;
    ids.push(...between, ...own);
    if (own.length === 0) continue;
    const before = units.at(-1)?.upTo ?? 0;
    const [first, last] = [ids.length - own.length, ids.length - 1];
    units.push({ start, end, first, last, before, upTo: before + wordCount(plain.slice(start, end)) });
  }
  const rest = encode(plain.slice(at));
  const room = most - ids.length;
  ids.push(...rest.slice(0, room));
  return { ids, units, whole: rest.length <= room };
}

/** Words between white space and dashes, without the marks around them; "€2,450.00" and "p.m." are one unit each. */
function unitsOf(plain: string): { start: number; end: number }[] {
  return Array.from(plain.matchAll(/(?:(?!--|—)\S)+/g), ({ 0: written, index }) => {
    let [start, end] = [index, index + written.length];
    while (start < end && OPENING.has(plain[start]!) && !/^-\d/.test(plain.slice(start, end))) start++;
    while (
      end > start &&
      CLOSING.has(plain[end - 1]!) &&
      !/[A-Za-z]\.[A-Za-z]\.$/.test(plain.slice(start, end))
    )
      end--;
    return { start, end };
  }).filter(({ start, end }) => start < end);
}

const wordCount = (unit: string): number =>
  unit
    .toLowerCase()
    .replaceAll("'s", "")
    .split(/[^a-z0-9]+/)
    .filter((word) => !["", "a", "an", "the"].includes(word)).length;
