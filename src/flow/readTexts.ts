/** @file Document[] -> Candidate[]: the stage of memorising that reads. */

import { many } from "../lib/format.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { utf8Length } from "../lib/hash.ts";
import type { SourceInfo } from "../records/memory.ts";
import type { Candidate, Document, Sentence } from "../records/source.ts";
import type { FlowContext } from "./context.ts";

/** A text while memorising still has it. */
export interface ReadText {
  readonly document: Document;
  readonly source: SourceInfo;
  readonly sentences: readonly Sentence[];
  readonly candidates: readonly Candidate[];
}

/** Sentences between two reports of reading. */
const READ_REPORTED = 500;

/** Reads every document; progress counts the sentences of all of them, whose number is known at the end. */
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
      `flow: "${document.title}" has ${many(found.length, "sentence")} but none with a name, a number or an identifier` +
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
