/** @file Lookups by place in what `readFile` gives: the page and the section of an offset. */

import type { PageStart, Section } from "./types.ts";

/** The page (from 1) that an offset is printed on; pages without text have no offsets. */
export function pageAt(pages: readonly PageStart[], offset: number): number | undefined {
  return last(pages, offset)?.page;
}

/** The section that an offset lies in; undefined before the first heading. */
export function sectionAt(sections: readonly Section[], offset: number): Section | undefined {
  return last(sections, offset);
}

/** The last of the items that start at or before an offset, by bisection. */
function last<T extends { readonly start: number }>(items: readonly T[], offset: number): T | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.start <= offset) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}
