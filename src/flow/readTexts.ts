/** @file The read step of memorising: documents become sentences and candidates, which are counted along the text. */

import { many } from "../lib/format.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { utf8Length } from "../lib/hash.ts";
import type { Anchor } from "../records/fact.ts";
import type { SourceInfo } from "../records/memory.ts";
import type { Candidate, Document, Sentence } from "../records/source.ts";
import type { ExtractionCounts } from "../records/trace.ts";
import type { FlowContext } from "./context.ts";
import { dropReason } from "./inspect.ts";

/** A text that was read. */
export interface ReadText {
  readonly document: Document;
  readonly source: SourceInfo;
  readonly sentences: readonly Sentence[];
  readonly candidates: readonly Candidate[];
}

/** Sentences between two reports of reading. */
const READ_REPORTED = 500;

/** Reads every document. Progress counts the sentences of all documents; their total is known at the end. */
export function readTexts(context: FlowContext, documents: readonly Document[]): ReadText[] {
  const { onProgress } = context;
  let done = 0;
  const read = documents.map((document) =>
    readText(document, context, () => {
      if (++done % READ_REPORTED === 0) onProgress?.({ stage: "read", done, total: null });
    }),
  );
  const kept = read.reduce((sum, text) => sum + text.candidates.length, 0);
  const note = `${kept.toLocaleString("en-GB")} ${kept === 1 ? "candidate" : "candidates"}`;
  if (read.length > 0) onProgress?.({ stage: "read", done, total: done, note });
  return read;
}

/** Document -> Sentence[] -> Candidate[] of one document; `onSentence` is called at each of its sentences. */
function readText(
  document: Document,
  { params, date, signal }: FlowContext,
  onSentence: () => void,
): ReadText {
  throwIfCancelled(signal, "flow: reading");
  const found: Sentence[] = [];
  for (const sentence of sentences(document)) {
    found.push(sentence);
    onSentence();
  }
  const kept = [...candidates(found, params.candidateFilter)];
  assert(
    kept.length > 0,
    () =>
      `flow: "${document.title}" has ${many(found.length, "sentence")}, but none with a name, a number or an identifier` +
      `${params.candidateFilter === "strict" ? " (the filter wide also takes relations)" : ""}; nothing to memorise. ` +
      "The filter all takes every sentence",
  );
  const source: SourceInfo = {
    id: document.id,
    title: document.title,
    characters: document.text.length,
    bytes: utf8Length(document.text),
    sentences: found.length,
    candidates: kept.length,
    memorizedAt: date(),
  };
  return { document, source, sentences: found, candidates: kept };
}

/** Pieces that a text is divided into. */
const PARTS = 120;

/** Counts of sentences, candidates and anchors along a text. `anchors` of other texts are ignored. */
export function countExtraction(
  { document: { id, title, text }, sentences: found, candidates: kept }: ReadText,
  anchors: readonly Anchor[],
): ExtractionCounts {
  const parts = Array.from({ length: PARTS }, () => ({ sentences: 0, candidates: 0, byModel: 0, byRule: 0 }));
  const partAt = ({ start }: Sentence) =>
    parts[Math.min(PARTS - 1, Math.floor((start / Math.max(1, text.length)) * PARTS))]!;
  const filter = new Map<string, ExtractionCounts["filter"][number]>();
  const outcomes = new Map<string, ExtractionCounts["anchors"][number]>();
  const starts = new Set(kept.map(({ sentence }) => sentence.start));
  for (const sentence of found) {
    partAt(sentence).sentences++;
    if (!starts.has(sentence.start)) judged("dropped", dropReason(sentence.text));
  }
  for (const { sentence, reasons } of kept) {
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
