/** @file Candidate[] -> Anchor[]: the model proposes in batches, rules check its proposals and replace invalid ones. */

import { assert, throwIfCancelled } from "../lib/assert.ts";
import { looseLiteral } from "../lib/words.ts";
import type { Anchor } from "../records/fact.ts";
import type { ParamsOf } from "../records/params.ts";
import type { Candidate } from "../records/source.ts";
import { oneLine } from "./anchorKey.ts";
import { nameAround, ruleAnchor } from "./span.ts";
import { PRONOUNS, STOP_WORDS } from "./words.ts";

type AnchorParams = ParamsOf<"anchors">;

type Propose = (texts: readonly string[]) => Promise<string>;

/** Yields one anchor per candidate, in order. @throws if the model is wanted and `propose` is null; Cancelled */
export async function* assignAnchors(
  candidates: Iterable<Candidate> | AsyncIterable<Candidate>,
  params: AnchorParams,
  propose: Propose | null,
  signal?: AbortSignal,
): AsyncGenerator<Anchor> {
  assert(params.anchorBatch >= 1, () => `extract: anchorBatch is ${params.anchorBatch}, expected at least 1`);
  if (params.anchors !== "rules" && !propose)
    throw new Error('extract: anchors are "model", but there is no model to ask');
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

function judged(candidate: Candidate, proposal: string | null, params: AnchorParams): Anchor {
  const sentence = candidate.sentence.text;
  const judgement = acceptProposal(sentence, proposal);
  if (!judgement.ok)
    return { ...ruled(candidate, params), rejected: { proposal: proposal ?? "", why: judgement.why } };
  const text =
    params.anchorRules === "ours" ? widened(sentence, judgement.text, judgement.start) : judgement.text;
  return { candidate, text, source: "model" };
}

const ruled = (candidate: Candidate, { anchorRules }: AnchorParams): Anchor => ({
  candidate,
  text: ruleAnchor(candidate.sentence.text, { compound: anchorRules === "ours" }),
  source: "rule",
});

/** "Duchy" -> "Duchy of Normandy" if the sentence has it. A first name remains apart from the full name. */
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

type Judgement =
  | { readonly ok: true; readonly text: string; readonly start: number }
  | { readonly ok: false; readonly why: string };

type Found = Extract<Judgement, { ok: true }>;

/** Reads "1. Sandra\n2. office" into one proposal per sentence; without numbers, a reply of `count` lines line by line. */
export function parseProposals(reply: string, count: number): (string | null)[] {
  const proposals = new Array<string | null>(count).fill(null);
  const lines = reply.split(/\r?\n/).filter((line) => line.trim() !== "");
  const numbered = lines.flatMap((line) => NUMBERED.exec(line) ?? []).length > 0;
  if (!numbered) return lines.length === count ? lines.map(clean) : proposals;
  for (const line of lines) {
    const match = NUMBERED.exec(line);
    const index = Number(match?.[1]) - 1;
    if (match && index in proposals && proposals[index] === null) proposals[index] = clean(match[2]!);
  }
  return proposals;
}

export function acceptProposal(sentence: string, proposal: string | null): Judgement {
  const asked = oneLine(proposal ?? "")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
    .replace(/^(?:the|an?)\s+(?=\S)/i, "")
    .replace(/['’]s$/, "");
  if (asked === "" || DECLINED.test(asked)) return no("declined: the model proposed nothing");
  const words = asked.toLowerCase().split(/\s+/);
  if (words.length > MAX_PROPOSAL_WORDS)
    return no(`too long: ${words.length} words, at most ${MAX_PROPOSAL_WORDS}`);
  if (asked.length > MAX_PROPOSAL_CHARACTERS)
    return no(`too long: ${asked.length} characters, at most ${MAX_PROPOSAL_CHARACTERS}`);
  if (words.every((word) => PRONOUNS.has(word))) return no("a pronoun names nothing by itself");
  const found = find(sentence, asked);
  if (words.every((word) => STOP_WORDS.has(word)) && !(found && isNameAt(sentence, found)))
    return no("only stop words");
  return found ?? no("not verbatim: the sentence does not contain it as whole words");
}

/** "May", "Will": a stop word with a capital in mid-sentence is a name. */
const isNameAt = (sentence: string, { text, start }: Found): boolean =>
  /^\p{Lu}/u.test(text) && /[\p{Ll},]\s+$/u.test(sentence.slice(0, start));

const no = (why: string): Judgement => ({ ok: false, why });

function find(sentence: string, asked: string): Found | null {
  const pattern = looseLiteral(asked);
  for (const flags of ["u", "iu"]) {
    const match = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, flags).exec(sentence);
    if (match) return { ok: true, text: match[0], start: match.index };
  }
  return null;
}

function clean(line: string): string | null {
  const text = oneLine(line)
    .replace(/^[-*•]\s+/, "")
    .replace(/^["'“‘`*_]+|["”`*_]+$/g, "");
  return text === "" ? null : text;
}

const NUMBERED = /^\s*(?:[-*]\s*)?(\d{1,4})\s*[.):]\s*(.*)$/;
const DECLINED = /^(?:none|n\/?a|nothing|no anchor|unknown|null|-)$/i;
const MAX_PROPOSAL_WORDS = 5;
const MAX_PROPOSAL_CHARACTERS = 60;
