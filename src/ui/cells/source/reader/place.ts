/** @file Where the eye is in a text, as words: the page where there are pages, and the share of the whole. */

import { count, counted } from "../../../format.ts";
import { firstIndex } from "./runs.ts";

/** "page 3 of 12, 34 %"; pages that start at the same offset are empty but for the last. */
export function placeText(offset: number, characters: number, pageStarts: readonly number[]): string {
  const share = `${characters === 0 ? 0 : Math.round((offset / characters) * 100)} %`;
  if (pageStarts.length === 0) return `at ${share} of ${counted(characters, "character")}`;
  const page = Math.max(
    1,
    firstIndex(pageStarts.length, (i) => pageStarts[i]! > offset),
  );
  return `page ${count(page)} of ${count(pageStarts.length)}, ${share}`;
}
