/** @file Candidate[] -> Anchor[]: the model proposes in batches, the deterministic span stands in where it fails. */

import { assert, throwIfCancelled } from "../lib/assert.ts";
import type { Anchor } from "../records/fact.ts";
import type { ParamsOf } from "../records/params.ts";
import type { Candidate } from "../records/source.ts";
import { oneLine } from "./anchorKey.ts";
import { acceptProposal, parseProposals } from "./proposals.ts";
import { nameAround, ruleAnchor } from "./span.ts";

export type AnchorParams = ParamsOf<"anchors">;

/** Renders prompts.anchors over the given one-line sentences and returns the model's reply. */
export type Propose = (texts: readonly string[]) => Promise<string>;

/**
 * Yields one anchor per candidate, in order. Holds one batch of `params.anchorBatch` candidates at a time, so memory
 * does not grow with the document. With `anchors: "rules"` the model is never asked and `propose` may be null.
 * @throws {Error} when the model is wanted and `propose` is null; {@link Cancelled}; whatever `propose` throws.
 */
export async function* assignAnchors(
  candidates: Iterable<Candidate> | AsyncIterable<Candidate>,
  params: AnchorParams,
  propose: Propose | null,
  signal?: AbortSignal,
): AsyncGenerator<Anchor> {
  assert(params.anchorBatch >= 1, () => `extract: anchorBatch is ${params.anchorBatch}, expected at least 1`);
  assert(
    params.anchors === "rules" || propose,
    () => 'extract: anchors are "model", but there is no model to ask',
  );
  for await (const batch of batches(candidates, params.anchorBatch)) {
    throwIfCancelled(signal, "extract: anchors");
    if (params.anchors === "rules" || !propose) {
      for (const candidate of batch) yield ruled(candidate, params);
      continue;
    }
    const reply = await propose(batch.map(({ sentence }) => oneLine(sentence.text)));
    const proposals = parseProposals(reply, batch.length);
    for (const [i, candidate] of batch.entries()) yield judged(candidate, proposals[i] ?? null, params);
  }
}

/** The anchor of one candidate given the model's proposal for it. */
function judged(candidate: Candidate, proposal: string | null, params: AnchorParams): Anchor {
  const sentence = candidate.sentence.text;
  const judgement = acceptProposal(sentence, proposal);
  if (!judgement.ok)
    return { ...ruled(candidate, params), rejected: { proposal: proposal ?? "", why: judgement.why } };
  const text =
    params.anchorRules === "ours" ? widened(sentence, judgement.text, judgement.start) : judgement.text;
  return { candidate, text, source: "model" };
}

function ruled(candidate: Candidate, params: AnchorParams): Anchor {
  const text = ruleAnchor(candidate.sentence.text, { compound: params.anchorRules === "ours" });
  return { candidate, text, source: "rule" };
}

/**
 * "Duchy" -> "Duchy of Normandy" where the sentence says so: one generic word would collect the facts of every
 * duchy. Only the head of a compound is widened; a first name keeps apart from the full name.
 */
function widened(sentence: string, text: string, start: number): string {
  if (!HEAD_OF_COMPOUND.test(sentence.slice(start + text.length))) return text;
  return nameAround(sentence, start, start + text.length) ?? text;
}

async function* batches<T>(items: Iterable<T> | AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const HEAD_OF_COMPOUND = /^\s+of\s+(?:the\s+)?\p{Lu}/u;
