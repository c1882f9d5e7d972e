/** @file The read step of memorising: documents become sentences and candidates, which are counted along the text; the model is asked for anchors and paraphrase questions. */

import { many, fill, grouped } from "../lib/format.ts";
import { oneLine } from "../extract/anchorKey.ts";
import { candidates, isHeading } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { groupBy, chunks } from "../lib/group.ts";
import { utf8Length } from "../lib/hash.ts";
import type { Anchor, Fact } from "../records/fact.ts";
import type { SourceInfo } from "../records/memory.ts";
import type { Candidate, Document, Sentence } from "../records/source.ts";
import type { DropReason, ExtractionCounts, ExtractionTrace } from "../records/trace.ts";
import type { FlowContext } from "./context.ts";
import type { Engine } from "../engine/engine.ts";
import { assignAnchors } from "../extract/anchors.ts";
import { parseQuestions, ruleQuestions } from "../extract/questions.ts";
import { text } from "../lib/check.ts";
import { turn } from "../lib/eventLoop.ts";
import { says } from "../memory/codes.ts";
import { recallPrompt, wholeTokens } from "../memory/parts.ts";
import type { MethodParams } from "../records/params.ts";
import type { SkippedFact } from "../records/plan.ts";
import prompts from "../records/prompts.json" with { type: "json" };
import type { RoutingInput } from "../router/documents.ts";
import { lookUp, remembered, type Wanted } from "./cacheLookup.ts";

/** Candidate[] -> Anchor[]: proposals in batches, or rules alone, by the parameters. `ask` gets the model's replies. */
export async function proposeAnchors(
  context: FlowContext,
  candidates: readonly Candidate[],
  ask: Replies = replies,
): Promise<Anchor[]> {
  const { params, onProgress, signal } = context;
  const anchors: Anchor[] = [];
  const proposed = (texts: readonly string[]) => propose(context, texts, ask);
  for await (const anchor of assignAnchors(candidates, params, proposed, signal)) {
    anchors.push(anchor);
    if (anchors.length % params.anchorBatch === 0 || anchors.length === candidates.length)
      onProgress?.({ stage: "anchors", done: anchors.length, total: candidates.length });
  }
  return anchors;
}

/** {@link proposeAnchors} with cached replies alone; `unasked` are the candidates without one, which got anchors by rule. */
export async function knownAnchors(
  context: FlowContext,
  candidates: readonly Candidate[],
): Promise<{ readonly anchors: readonly Anchor[]; readonly unasked: readonly Candidate[] }> {
  const unasked = new Set<string>();
  const anchors = await proposeAnchors(
    { ...context, onProgress: undefined },
    candidates,
    async (_, turns, maxTokens) => {
      const wanted = turns.map((one) => askedFor(context, one, maxTokens));
      const found = await lookUp(context, REPLY, wanted, text());
      const byPlace = new Map(found.map(({ at, value }) => [at, value]));
      for (const [at, { traces }] of turns.entries())
        if (!byPlace.has(at)) for (const line of traces) unasked.add(line);
      return turns.map((_turn, at) => byPlace.get(at) ?? "");
    },
  );
  return { anchors, unasked: candidates.filter(({ sentence }) => unasked.has(oneLine(sentence.text))) };
}

const TOKENS_PER_ANCHOR = 14;

async function propose(context: FlowContext, texts: readonly string[], ask: Replies): Promise<string> {
  const { engine, signal } = context;
  throwIfCancelled(signal, "flow: anchors");
  const lines = texts
    .map((text, i) => fill(prompts.numberedLine, { number: String(i + 1), text }))
    .join("\n");
  const turn = fill(prompts.anchors, { lines });
  const maxTokens = texts.length * TOKENS_PER_ANCHOR;
  if (engine.chat(turn).length + maxTokens <= engine.model.window)
    return (await ask(context, [{ turn, traces: texts }], maxTokens))[0]!;
  // A batch of long sentences does not fit a small window: ask in halves; a single one gets its anchor by rule.
  if (texts.length === 1) return "";
  const half = Math.ceil(texts.length / 2);
  const first = await propose(context, texts.slice(0, half), ask);
  return `${first}\n${renumber(await propose(context, texts.slice(half), ask), half)}`;
}

interface Turn {
  readonly turn: string;
  readonly traces: readonly string[];
}

type Replies = (context: FlowContext, turns: readonly Turn[], maxTokens: number) => Promise<string[]>;

const REPLY = "reply";

const askedFor = ({ engine }: FlowContext, { turn, traces }: Turn, maxTokens: number): Wanted => ({
  content: [engine.chat(turn), maxTokens],
  traces,
});

const replies: Replies = (context, turns, maxTokens) => {
  const wanted = turns.map((one) => askedFor(context, one, maxTokens));
  return remembered(context, REPLY, wanted, text(), (missing) => {
    const asked = missing.map((at) => turns[at]!.turn);
    return context.engine.generate(asked, { maxTokens });
  });
};

/** Shifts the leading numbers of a reply's lines. */
const renumber = (reply: string, by: number): string =>
  reply.replace(/^(\s*)(\d+)/gm, (_, space: string, n: string) => `${space}${Number(n) + by}`);

/** Room for a longer index, or another spelling of the anchor, that a fact gets when it joins an older memory. */
export const SPARE_TOKENS = 8;

/** Facts that fit the model's window with their recall prompt, and that its tokens can express; the others with a reason. */
export function fitting<F extends Fact>(
  engine: Engine,
  facts: readonly F[],
  { spelling }: Pick<MethodParams, "spelling">,
): { facts: F[]; skipped: SkippedFact[] } {
  const skipped: SkippedFact[] = [];
  const kept = facts.filter((fact) => {
    const why = unfit(engine, fact, spelling === "codes");
    if (why !== null) skipped.push({ value: fact.value, why });
    return why === null;
  });
  return { facts: kept, skipped };
}

function unfit(engine: Engine, fact: Fact, coded: boolean): string | null {
  const { window } = engine.model;
  const value = wholeTokens(engine, fact, fact.value, coded);
  const tokens = recallPrompt(engine, fact).ids.length + value.length;
  if (tokens + SPARE_TOKENS > window)
    return `${many(tokens, "token")} with its recall prompt; the window holds ${grouped(window)}, ${SPARE_TOKENS} of them are kept free`;
  return says(engine, value, fact.value, coded)
    ? null
    : "the model’s tokenizer changes characters of it, so it would not come back word for word";
}

/** Facts that are looked at between two turns of the event loop: a few hundredths of a second. */
const FITTED_TOGETHER = 64;

/** {@link fitting} for many facts; returns to the event loop in between. @throws Cancelled */
export async function allFitting<F extends Fact>(
  engine: Engine,
  facts: readonly F[],
  params: Pick<MethodParams, "spelling">,
  signal?: AbortSignal,
): Promise<{ facts: F[]; skipped: SkippedFact[] }> {
  const found: ReturnType<typeof fitting<F>>[] = [];
  for (const group of chunks(facts, FITTED_TOGETHER)) {
    found.push(fitting(engine, group, params));
    await turn();
    throwIfCancelled(signal, "flow: budget");
  }
  return {
    facts: found.flatMap((group) => group.facts),
    skipped: found.flatMap((group) => group.skipped),
  };
}

/** Room for the questions of one fact, and facts asked about in one call. */
const QUESTION_TOKENS = 48;
const QUESTION_BATCH = 8;

/** Paraphrase questions per fact: the model's, or by rules if it gives none that can be used or `anchors` is "rules". */
export async function withQuestions(context: FlowContext, facts: readonly Fact[]): Promise<RoutingInput[]> {
  const { engine, params, onProgress, signal } = context;
  const wanted = params.questionsPerFact;
  const byRule = (fact: Fact) => ruleQuestions(fact.value, fact.anchor, wanted);
  if (params.anchors === "rules" || wanted === 0)
    return facts.map((fact) => ({ fact, questions: wanted === 0 ? [] : byRule(fact) }));
  const inputs: RoutingInput[] = [];
  for (const batch of chunks(facts, QUESTION_BATCH)) {
    throwIfCancelled(signal, "flow: questions");
    const turns = batch.map((fact) => ({
      fact,
      turn: fill(prompts.questions, { sentence: oneLine(fact.value) }),
    }));
    const asked = turns.filter(
      ({ turn }) => engine.chat(turn).length + QUESTION_TOKENS <= engine.model.window,
    );
    const turnsOf = asked.map(({ fact, turn }) => ({ turn, traces: [fact.value] }));
    const said = await replies(context, turnsOf, QUESTION_TOKENS);
    const byFact = new Map(asked.map(({ fact }, i) => [fact, said[i]!]));
    for (const fact of batch) {
      const own = parseQuestions(byFact.get(fact) ?? "", wanted);
      inputs.push({ fact, questions: own.length > 0 ? own : byRule(fact) });
    }
    onProgress?.({ stage: "questions", done: inputs.length, total: facts.length });
  }
  return inputs;
}

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
