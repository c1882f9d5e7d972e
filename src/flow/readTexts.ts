/** @file The read step of memorising: documents become sentences and candidates, which are counted along the text. */

import { many } from "../lib/format.ts";
import { oneLine } from "../extract/anchorKey.ts";
import { candidates, isHeading } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import { utf8Length } from "../lib/hash.ts";
import type { Anchor } from "../records/fact.ts";
import type { SourceInfo } from "../records/memory.ts";
import type { Candidate, Document, Sentence } from "../records/source.ts";
import type { DropReason, ExtractionCounts, ExtractionTrace } from "../records/trace.ts";
import type { FlowContext } from "./context.ts";
import { proposeAnchors } from "./stages.ts";

export interface ReadText {
  readonly document: Document;
  readonly source: SourceInfo;
  readonly sentences: readonly Sentence[];
  readonly candidates: readonly Candidate[];
}

const READ_REPORTED = 500;

/** Reads every document. Progress counts the sentences of all documents; their total is known at the end. */
export function readTexts(context: FlowContext, documents: readonly Document[]): ReadText[] {
  const { params, date, onProgress } = context;
  let done = 0;
  const read = documents.map((document) => {
    const text = readText(context, document, () => {
      if (++done % READ_REPORTED === 0) onProgress?.({ stage: "read", done, total: null });
    });
    assert(
      text.candidates.length > 0,
      () =>
        `flow: "${document.title}" has ${many(text.sentences.length, "sentence")}, but none with a name, a number or an identifier` +
        `${params.candidateFilter === "strict" ? " (the filter wide also takes relations)" : ""}; nothing to memorise. ` +
        "The filter all takes every sentence",
    );
    const { id, title, text: whole } = document;
    const source: SourceInfo = {
      ...{ id, title, characters: whole.length, bytes: utf8Length(whole), sentences: text.sentences.length },
      ...{ candidates: text.candidates.length, memorizedAt: date() },
    };
    return { ...text, source };
  });
  const kept = read.reduce((sum, text) => sum + text.candidates.length, 0);
  const note = `${kept.toLocaleString("en-GB")} ${kept === 1 ? "candidate" : "candidates"}`;
  if (read.length > 0) onProgress?.({ stage: "read", done, total: done, note });
  return read;
}

/** Document -> Sentence[] -> Candidate[] of one document; `onSentence` is called at each of its sentences. */
function readText({ params, signal }: FlowContext, document: Document, onSentence?: () => void) {
  const found: Sentence[] = [];
  for (const sentence of sentences(document)) {
    throwIfCancelled(signal, "flow: reading");
    found.push(sentence);
    onSentence?.();
  }
  const kept = [...candidates(found, params.candidateFilter)];
  return { document, sentences: found, candidates: kept };
}

/** Sentences, candidates and anchors of a text, with proposed, rejected and replaced anchors. */
export async function traceExtraction(context: FlowContext, document: Document): Promise<ExtractionTrace> {
  const text = readText(context, document);
  return extractionOf(text, await proposeAnchors(context, text.candidates));
}

/** The verdicts on all sentences and anchors of a text. `anchors` of other texts are ignored. */
function extractionOf(
  { document: { id, title, text }, sentences: found, candidates: kept }: Omit<ReadText, "source">,
  anchors: readonly Anchor[],
): ExtractionTrace {
  const reasonsAt = new Map(kept.map(({ sentence, reasons }) => [sentence.start, reasons]));
  const own = anchors.filter(({ candidate }) => candidate.sentence.documentId === id);
  return {
    ...{ title, characters: text.length },
    sentences: found.map(({ start, end, text: words }) => {
      const reasons = reasonsAt.get(start) ?? [];
      const dropped = reasons.length > 0 ? null : dropReason(words);
      return { start, end, reasons, dropped, sample: sample(words) };
    }),
    anchors: own.map(({ candidate: { sentence }, text: anchor, source, rejected }) => ({
      ...{ start: sentence.start, anchor, outcome: rejected ? "rejected" : source },
      ...{ proposal: rejected?.proposal ?? null, why: rejected?.why ?? null, sample: sample(sentence.text) },
    })),
  };
}

/** Characters of a sentence that a trace keeps. */
const SAMPLE = 120;

function sample(text: string): string {
  const line = oneLine(text);
  return line.length > SAMPLE ? `${line.slice(0, SAMPLE - 1)}…` : line;
}

function dropReason(text: string): DropReason {
  if (isHeading(text)) return "heading or page furniture";
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length < 2
    ? "fewer than two words"
    : "no factual signal";
}

const PARTS = 120;

/** Counts of sentences, candidates and anchors along a text. `anchors` of other texts are ignored. */
export function countExtraction(read: ReadText, all: readonly Anchor[]): ExtractionCounts {
  const { title, characters, sentences: found, anchors } = extractionOf(read, all);
  const parts = Array.from({ length: PARTS }, () => ({ sentences: 0, candidates: 0, byModel: 0, byRule: 0 }));
  const partAt = ({ start }: { readonly start: number }) =>
    parts[Math.min(PARTS - 1, Math.floor((start / Math.max(1, characters)) * PARTS))]!;
  for (const sentence of found) {
    partAt(sentence).sentences++;
    if (sentence.dropped === null) partAt(sentence).candidates++;
  }
  for (const anchor of anchors) partAt(anchor)[anchor.outcome === "model" ? "byModel" : "byRule"]++;
  const verdicts = found.flatMap(({ reasons, dropped }) => {
    const whys: readonly string[] = dropped === null ? reasons : [dropped];
    return whys.map((why) => ({ verdict: dropped === null ? ("kept" as const) : ("dropped" as const), why }));
  });
  const filter = groupBy(verdicts, ({ verdict, why }) => `${verdict} ${why}`);
  const outcomes = groupBy(anchors, ({ outcome, why }) => `${outcome} ${why}`);
  return {
    ...{ id: read.document.id, title, characters, parts },
    filter: [...filter.values()].map((same) => ({ ...same[0]!, sentences: same.length })),
    anchors: [...outcomes.values()].map((same) => {
      const { outcome, why } = same[0]!;
      return { outcome, why, anchors: same.length };
    }),
  };
}
