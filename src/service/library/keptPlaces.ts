/** @file Places in kept texts: a deletion closes the gap in the offsets of the other facts, but cuts nothing out of a text. */

import { sentences } from "../../ingest/sentences.ts";
import { groupBy } from "../../lib/group.ts";
import { digestOf } from "../../records/digest.ts";
import { charOffset, documentOf, editionOf, type FactId } from "../../records/ids.ts";
import type { FactRow } from "../../records/notebook.ts";
import type { Database } from "../../store/database.ts";
import { readDocument, readText } from "../../store/documents.ts";

/** `rows` with the offsets that they have in the texts that are kept; those of texts without a deletion are the same objects. */
export async function inKeptTexts(
  database: Database,
  rows: readonly FactRow[],
  saltsOf: () => Promise<readonly string[]>,
): Promise<readonly FactRow[]> {
  const places = new Map<FactId, number>();
  let salts: readonly string[] | undefined;
  for (const own of groupBy(rows, ({ id }) => editionOf(id)).values()) {
    const id = documentOf(own[0]!.id);
    const document = id === editionOf(own[0]!.id) ? null : await readDocument(database, id);
    if (!document?.kept) continue;
    const text = await readText(database, id);
    salts ??= await saltsOf();
    for (const [fact, place] of placesIn({ id, title: "", text }, own, salts)) places.set(fact, place);
  }
  return places.size === 0 ? rows : rows.map((row) => ({ ...row, offset: places.get(row.id) ?? row.offset }));
}

/** Each fact is at the next sentence with its digest; one that was edited is as far behind its offset as the fact before it. */
function* placesIn(
  document: Parameters<typeof sentences>[0],
  facts: readonly FactRow[],
  salts: readonly string[],
): Generator<[FactId, number]> {
  const starts = new Map<string, number[]>();
  for (const { text, start } of sentences(document))
    for (const salt of salts) {
      const digest = digestOf(text, salt);
      starts.set(digest, [...(starts.get(digest) ?? []), start]);
    }
  let cut = 0;
  for (const { id, offset, digest } of facts.toSorted((a, b) => a.offset - b.offset)) {
    const place = starts.get(digest)?.find((start) => start >= offset + cut);
    cut = Math.max(cut, (place ?? offset + cut) - offset);
    yield [id, charOffset(offset + cut)];
  }
}
