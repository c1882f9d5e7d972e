/** @file Which texts hold a term: an inverted index in a few flat arrays, since fifty thousand facts have a million terms. */

/** The texts that hold one term, by position, ascending, and how often each does; lists run in parallel. */
export interface Holders {
  readonly ids: Uint32Array;
  readonly counts: Uint32Array;
}

export interface Postings {
  /** No text holds a term that is not known. */
  holders(term: string): Holders;
  /** Different terms of each text. */
  readonly lengths: Uint32Array;
}

const NONE: Holders = { ids: new Uint32Array(), counts: new Uint32Array() };

/** Indexes texts, each given as its terms with repeats; a text is known by its position. */
export function postingsOf(texts: readonly (readonly string[])[]): Postings {
  const lengths = new Uint32Array(texts.length);
  const numbers = new Map<string, number>();
  // Of each term where its stretch of the lists ends: first how long it is, then where it begins, then as it fills.
  const ends: number[] = [];
  eachTerm(texts, numbers, (term, text, again) => {
    if (again) return;
    ends[term] = (ends[term] ?? 0) + 1;
    lengths[text]!++;
  });
  let all = 0;
  for (const [term, length] of ends.entries()) {
    ends[term] = all;
    all += length;
  }
  const starts = Uint32Array.from(ends);
  const [ids, counts] = [new Uint32Array(all), new Uint32Array(all)];
  eachTerm(texts, numbers, (term, text, again) => {
    if (!again) ids[ends[term]!++] = text;
    counts[ends[term]! - 1]!++;
  });
  return {
    lengths,
    holders(term) {
      const number = numbers.get(term);
      if (number === undefined) return NONE;
      const [start, end] = [starts[number]!, ends[number]!];
      return { ids: ids.subarray(start, end), counts: counts.subarray(start, end) };
    },
  };
}

/** Every term of every text in order, by its number, and whether the text had it before. */
function eachTerm(
  texts: readonly (readonly string[])[],
  numbers: Map<string, number>,
  visit: (term: number, text: number, again: boolean) => void,
): void {
  const latest: number[] = [];
  for (const [text, terms] of texts.entries())
    for (const term of terms) {
      let number = numbers.get(term);
      if (number === undefined) numbers.set(term, (number = numbers.size));
      visit(number, text, latest[number] === text);
      latest[number] = text;
    }
}
