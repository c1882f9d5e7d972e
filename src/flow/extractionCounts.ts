/** @file What the reading of a text found, in counts along it: what can still be shown when the text is thrown away. */

import type { Anchor } from "../records/fact.ts";
import type { Candidate, Document, Sentence } from "../records/source.ts";
import type { ExtractionCounts } from "../records/trace.ts";
import { dropReason } from "./inspect.ts";

/** Parts into which a text is cut. */
const PARTS = 120;

/** `found`: all sentences; `candidates` and `anchors` of this text, others are left out. */
export function countExtraction(
  { id, title, text }: Document,
  found: readonly Sentence[],
  candidates: readonly Candidate[],
  anchors: readonly Anchor[],
): ExtractionCounts {
  const parts = Array.from({ length: PARTS }, () => ({ sentences: 0, candidates: 0, byModel: 0, byRule: 0 }));
  const partAt = ({ start }: Sentence) =>
    parts[Math.min(PARTS - 1, Math.floor((start / Math.max(1, text.length)) * PARTS))]!;
  const filter = new Map<string, ExtractionCounts["filter"][number]>();
  const outcomes = new Map<string, ExtractionCounts["anchors"][number]>();
  const kept = new Set(candidates.map(({ sentence }) => sentence.start));
  for (const sentence of found) {
    partAt(sentence).sentences++;
    if (!kept.has(sentence.start)) judged("dropped", dropReason(sentence.text));
  }
  for (const { sentence, reasons } of candidates) {
    partAt(sentence).candidates++;
    for (const why of reasons) judged("kept", why);
  }
  for (const { candidate, source, rejected } of anchors) {
    if (candidate.sentence.documentId !== id) continue;
    const part = partAt(candidate.sentence);
    if (source === "model") part.byModel++;
    else part.byRule++;
    const outcome = rejected ? "rejected" : source;
    const why = rejected?.why ?? null;
    const key = `${outcome} ${why}`;
    outcomes.set(key, { outcome, why, anchors: (outcomes.get(key)?.anchors ?? 0) + 1 });
  }
  return {
    id,
    title,
    characters: text.length,
    parts,
    filter: [...filter.values()],
    anchors: [...outcomes.values()],
  };

  function judged(verdict: "kept" | "dropped", why: string): void {
    const key = `${verdict} ${why}`;
    filter.set(key, { verdict, why, sentences: (filter.get(key)?.sentences ?? 0) + 1 });
  }
}
