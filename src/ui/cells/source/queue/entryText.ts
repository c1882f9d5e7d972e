/** @file What is known of a text, in one line. */

import type { SourceInfo } from "../../../../records/memory.ts";
import type { SourceEntry } from "../../../../records/notebook.ts";
import { count, counted } from "../../../format.ts";

/** `counts` null: nobody has looked yet. E.g. "txt, utf-8, 4,372 characters, 104 sentences, 43 of them candidates". */
export function entryFacts(
  entry: SourceEntry,
  counts: Pick<SourceInfo, "sentences" | "candidates"> | null,
): string {
  const { format, encoding, characters, pages } = entry;
  return [
    format,
    ...(encoding ? [encoding] : []),
    ...(pages === null ? [] : [counted(pages, "page")]),
    counted(characters, "character"),
    ...(counts
      ? [`${counted(counts.sentences, "sentence")}, ${count(counts.candidates)} of them candidates`]
      : []),
  ].join(", ");
}
