/** @file Anchor[] -> Fact[]: the records (e, j, v, o) of the paper. */

import { factId } from "../records/ids.ts";
import type { Anchor, ExtractedFact } from "../records/fact.ts";
import type { MethodParams } from "../records/params.ts";
import { anchorKey, oneLine } from "./anchorKey.ts";

/** The facts of one anchor while they are collected. */
interface Group {
  readonly anchor: string;
  readonly order: number;
  readonly anchors: Anchor[];
}

/** Whether spellings of one name are one anchor, or only equal texts are. */
export type Sameness = Pick<MethodParams, "anchorRules">;

/** The key that is equal for anchors that count as one. */
export const samenessOf =
  ({ anchorRules }: Sameness) =>
  (anchor: string): string =>
    anchorRules === "ours" ? anchorKey(anchor) : oneLine(anchor);

/**
 * Makes the fact records. Anchors that are the same ({@link samenessOf}) are one, spelled as it came first (on one line);
 * ι counts anchors in extraction order; j counts from 1 in source order within the anchor, documents in the order
 * they came. Equal sentences at different offsets are different facts; the same sentence given twice is one.
 */
export function makeFacts(anchors: Iterable<Anchor>, sameness: Sameness): ExtractedFact[] {
  const { groups, documents } = grouped(anchors, samenessOf(sameness));
  const facts = [...groups.values()].flatMap((group) => factsOf(group, documents));
  return facts.sort(
    (a, b) => rank(documents, a.documentId) - rank(documents, b.documentId) || a.offset - b.offset,
  );
}

function grouped(
  anchors: Iterable<Anchor>,
  keyOf: (anchor: string) => string,
): { groups: Map<string, Group>; documents: Map<string, number> } {
  const groups = new Map<string, Group>();
  const documents = new Map<string, number>();
  const seen = new Set<string>();
  for (const anchor of anchors) {
    const { documentId, start } = anchor.candidate.sentence;
    if (seen.has(factId(documentId, start))) continue;
    seen.add(factId(documentId, start));
    if (!documents.has(documentId)) documents.set(documentId, documents.size);
    const key = keyOf(anchor.text);
    const group = groups.get(key) ?? {
      anchor: detached(oneLine(anchor.text)),
      order: groups.size,
      anchors: [],
    };
    group.anchors.push(anchor);
    groups.set(key, group);
  }
  return { groups, documents };
}

function factsOf(group: Group, documents: ReadonlyMap<string, number>): ExtractedFact[] {
  const sentence = (anchor: Anchor): Anchor["candidate"]["sentence"] => anchor.candidate.sentence;
  const inOrder = group.anchors.toSorted(
    (a, b) =>
      rank(documents, sentence(a).documentId) - rank(documents, sentence(b).documentId) ||
      sentence(a).start - sentence(b).start,
  );
  return inOrder.map((anchor, i) => ({
    id: factId(sentence(anchor).documentId, sentence(anchor).start),
    documentId: sentence(anchor).documentId,
    anchor: group.anchor,
    anchorOrder: group.order,
    index: i + 1,
    value: detached(sentence(anchor).text),
    offset: sentence(anchor).start,
    validated: anchor.source === "model",
  }));
}

const rank = (documents: ReadonlyMap<string, number>, id: string): number => documents.get(id) ?? 0;

/**
 * A copy that does not keep the source alive: engines implement slice() as a view, so a kept sentence would hold
 * the whole document in memory. Joining forces a string of its own; slicing that one views only the small copy.
 */
function detached(text: string): string {
  return ` ${text}`.slice(1);
}
