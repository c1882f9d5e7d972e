/** @file Anchor[] -> Fact[]: the records (e, j, v, o) of the paper. */

import { factId, type DocumentId, type FactId } from "../records/ids.ts";
import type { Anchor, ExtractedFact } from "../records/fact.ts";
import type { MethodParams } from "../records/params.ts";
import type { Candidate } from "../records/source.ts";
import { anchorKey, oneLine } from "./anchorKey.ts";

export type Sameness = Pick<MethodParams, "anchorRules">;

export const samenessOf =
  ({ anchorRules }: Sameness) =>
  (anchor: string): string =>
    anchorRules === "ours" ? anchorKey(anchor) : oneLine(anchor);

/**
 * Makes the fact records. Same anchors are spelled as the first; ι counts anchors by extraction, j from 1 by source order. The
 * same sentence given twice is one fact.
 */
export function makeFacts(anchors: Iterable<Anchor>, sameness: Sameness): ExtractedFact[] {
  const keyOf = samenessOf(sameness);
  const found = new Map<FactId, Anchor>();
  const documents = new Map<DocumentId, number>();
  const groups = new Map<string, { readonly anchor: string; readonly order: number; facts: number }>();
  for (const one of anchors) {
    const { documentId, start } = one.candidate.sentence;
    const id = factId(documentId, start);
    if (found.has(id)) continue;
    found.set(id, one);
    if (!documents.has(documentId)) documents.set(documentId, documents.size);
    const key = keyOf(one.text);
    if (!groups.has(key))
      groups.set(key, { anchor: detached(oneLine(one.text)), order: groups.size, facts: 0 });
  }
  const inSource = [...found].sort(([, { candidate: a }], [, { candidate: b }]) => {
    const rank = ({ sentence }: Candidate) => documents.get(sentence.documentId)!;
    return rank(a) - rank(b) || a.sentence.start - b.sentence.start;
  });
  return inSource.map(([id, { candidate, text, source }]) => {
    const { documentId, start: offset, text: value } = candidate.sentence;
    const group = groups.get(keyOf(text))!;
    return {
      id,
      documentId,
      anchor: group.anchor,
      anchorOrder: group.order,
      index: ++group.facts,
      value: detached(value),
      offset,
      validated: source === "model",
    };
  });
}

/** A copy that does not keep the source alive: slice() gives a view of the whole document, joining makes a new string. */
const detached = (text: string): string => ` ${text}`.slice(1);
