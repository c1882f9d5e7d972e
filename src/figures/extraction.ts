/** @file Extraction: the source as a strip, anchors by number of facts, what the filter did, what became of proposals. */

import { groupBy } from "../lib/group.ts";
import type { Fact } from "../records/fact.ts";
import type { SourceInfo } from "../records/memory.ts";
import type { FactRow } from "../records/notebook.ts";
import type { AnchorVerdict, ExtractionCounts, ExtractionTrace, SentenceVerdict } from "../records/trace.ts";
import { figure, type Figure, type Source } from "./figure.ts";
import { spreadIndices } from "./stats.ts";

/** The part of a source that is in view, in characters. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** Sentences start here and there; the trace, or less of it where the text is long gone. */
export interface StripInput {
  readonly title: string;
  readonly characters: number;
  readonly sentences: readonly Pick<SentenceVerdict, "start" | "reasons">[];
  readonly anchors: readonly Pick<AnchorVerdict, "start" | "outcome">[];
}

/**
 * The strip at any zoom: the view cut into `bins` equal parts, each with how many sentences, candidates and anchors
 * start in it. Each start is counted in exactly one bin.
 */
export function extractionStrip(
  { title, characters, sentences, anchors }: StripInput,
  view: View,
  bins: number,
  source: Source,
): Figure<StripRow> {
  const width = Math.max(1, (view.to - view.from) / bins);
  const count = Math.max(1, Math.ceil((view.to - view.from) / width));
  const rows = Array.from({ length: count }, (_, i) => ({
    from: Math.round(view.from + i * width),
    to: Math.round(Math.min(view.to, view.from + (i + 1) * width)),
    sentences: 0,
    candidates: 0,
    anchors: 0,
    byModel: 0,
    byRule: 0,
  }));
  const rowAt = (start: number) =>
    start < view.from || start >= view.to
      ? undefined
      : rows[Math.min(count - 1, Math.floor((start - view.from) / width))];
  for (const { start, reasons } of sentences) {
    const row = rowAt(start);
    if (!row) continue;
    row.sentences++;
    if (reasons.length > 0) row.candidates++;
  }
  for (const { start, outcome } of anchors) {
    const row = rowAt(start);
    if (!row) continue;
    row.anchors++;
    if (outcome === "model") row.byModel++;
    else row.byRule++;
  }
  const caption = `Characters ${view.from} to ${view.to} of ${characters}, in ${count} parts; a sentence counts where it starts.`;
  return stripFigure(title, caption, rows, source);
}

/** The strip from counts alone, where the text is gone: the whole of it, in the parts that were counted. */
export function countedStrip(
  { title, characters, parts }: Pick<ExtractionCounts, "title" | "characters" | "parts">,
  source: Source,
): ReturnType<typeof extractionStrip> {
  const rows = parts.map((part, i) => ({
    from: Math.round((i * characters) / parts.length),
    to: Math.round(((i + 1) * characters) / parts.length),
    sentences: part.sentences,
    candidates: part.candidates,
    anchors: part.byModel + part.byRule,
    byModel: part.byModel,
    byRule: part.byRule,
  }));
  const caption = `All ${characters} characters, in ${parts.length} parts; a sentence counts where it starts. Counted when the text was read.`;
  return stripFigure(title, caption, rows, source);
}

type StripRow = {
  from: number;
  to: number;
  sentences: number;
  candidates: number;
  anchors: number;
  byModel: number;
  byRule: number;
};

function stripFigure(
  title: string,
  caption: string,
  rows: readonly StripRow[],
  source: Source,
): Figure<StripRow> {
  return figure({
    id: "extraction-strip",
    title: `Candidates and anchors along “${title}”`,
    caption,
    columns: {
      from: ["from", "character", "number"],
      to: ["to", "character", "number"],
      sentences: ["sentences", "count", "number"],
      candidates: ["candidates", "count", "number"],
      anchors: ["anchors", "count", "number"],
      byModel: ["anchors by the model", "count", "number"],
      byRule: ["anchors by rule", "count", "number"],
    },
    rows,
    guides: [],
    source,
  });
}

/** Single sentences of a view, for a zoom that shows each; the first `limit`. */
export function extractionMarks(
  trace: ExtractionTrace,
  view: View,
  limit: number,
  source: Source,
): Figure<{
  start: number;
  end: number;
  kept: boolean;
  why: string;
  anchor: string | null;
  outcome: string | null;
  sample: string;
}> {
  const anchors = new Map(trace.anchors.map((anchor) => [anchor.start as number, anchor]));
  const inView = trace.sentences.filter(({ start, end }) => end > view.from && start < view.to);
  return figure({
    id: "extraction-marks",
    title: `Sentences of “${trace.title}”`,
    caption: `${Math.min(limit, inView.length)} of the ${inView.length} sentences in characters ${view.from} to ${view.to}.`,
    columns: {
      start: ["from", "character", "number"],
      end: ["to", "character", "number"],
      kept: ["candidate", "", "boolean"],
      why: ["why", "", "text"],
      anchor: ["anchor e", "", "text"],
      outcome: ["anchor by", "", "text"],
      sample: ["sentence", "", "text"],
    },
    rows: inView.slice(0, limit).map(({ start, end, reasons, dropped, sample }) => ({
      start,
      end,
      kept: dropped === null,
      why: dropped ?? reasons.join(", "),
      anchor: anchors.get(start)?.anchor ?? null,
      outcome: anchors.get(start)?.outcome ?? null,
      sample,
    })),
    guides: [],
    source,
  });
}

/**
 * Where the stored facts of a text stand in it, from its start to its end: known from the facts alone, so it can be
 * seen when the text is long gone.
 */
export function factsAlong(
  facts: readonly Pick<FactRow, "documentId" | "offset" | "exact">[],
  { id, title, characters }: Pick<SourceInfo, "id" | "title" | "characters">,
  bins: number,
  source: Source,
): Figure<{ document: string; from: number; to: number; facts: number; exact: number; inexact: number }> {
  const own = facts.filter(({ documentId }) => documentId === id);
  const length = own.reduce((most, { offset }) => Math.max(most, offset + 1), characters);
  const count = Math.max(1, Math.min(bins, length));
  const rows = Array.from({ length: count }, (_, i) => ({
    document: id as string,
    from: Math.round((i * length) / count),
    to: Math.round(((i + 1) * length) / count),
    facts: 0,
    exact: 0,
    inexact: 0,
  }));
  for (const { offset, exact } of own) {
    const row =
      rows[
        Math.min(
          rows.length - 1,
          rows.findLastIndex(({ from }) => from <= offset),
        )
      ]!;
    row.facts++;
    if (exact) row.exact++;
    else row.inexact++;
  }
  return figure({
    id: "facts-along",
    title: `Facts along “${title}”`,
    caption: `${own.length} facts of ${length} characters, in ${rows.length} parts; a fact counts where its sentence starts.`,
    columns: {
      document: ["document", "id", "text"],
      from: ["from", "character", "number"],
      to: ["to", "character", "number"],
      facts: ["facts", "count", "number"],
      exact: ["of them exact", "count", "number"],
      inexact: ["inexact", "count", "number"],
    },
    rows: own.length === 0 ? [] : rows,
    guides: [],
    source,
  });
}

/** How many anchors have one fact, two facts, … */
export function anchorsByFacts(
  facts: readonly Pick<Fact, "anchor">[],
  source: Source,
): Figure<{ facts: number; anchors: number; examples: string }> {
  const sizes = new Map<string, number>();
  for (const { anchor } of facts) sizes.set(anchor, (sizes.get(anchor) ?? 0) + 1);
  const rows = [...groupBy(sizes, ([, size]) => size)]
    .sort(([a], [b]) => a - b)
    .map(([size, anchors]) => ({
      facts: size,
      anchors: anchors.length,
      examples: anchors.slice(0, 3).map(([anchor]) => anchor).join(", "),
    })); // prettier-ignore
  return figure({
    id: "anchors-by-facts",
    title: "Anchors by number of facts",
    caption: `${facts.length} facts share ${sizes.size} anchors.`,
    columns: {
      facts: ["facts of the anchor", "count", "number"],
      anchors: ["anchors", "count", "number"],
      examples: ["for example", "", "text"],
    },
    rows,
    guides: [],
    source,
  });
}

/** What the filter kept and dropped, and why; a kept sentence counts under each of its reasons. */
export function filterReasons(
  sentences: readonly SentenceVerdict[],
  source: Source,
  samples = 3,
): Figure<{ verdict: string; why: string; sentences: number; share: number; samples: string }> {
  const groups = new Map<string, { verdict: string; why: string; found: SentenceVerdict[] }>();
  for (const sentence of sentences)
    for (const why of sentence.dropped === null ? sentence.reasons : [sentence.dropped]) {
      const verdict = sentence.dropped === null ? "kept" : "dropped";
      const group = groups.get(`${verdict} ${why}`) ?? { verdict, why, found: [] };
      group.found.push(sentence);
      groups.set(`${verdict} ${why}`, group);
    }
  const kept = sentences.filter(({ dropped }) => dropped === null).length;
  const counted = [...groups.values()].map(({ verdict, why, found }) => ({
    ...{ verdict, why, sentences: found.length },
    samples: spreadIndices(found.length, samples)
      .map((i) => found[i]!.sample)
      .join(" ¶ "),
  }));
  return filterFigure(counted, kept, sentences.length, source);
}

/** The same from counts alone, without samples: they are words of a text that is gone. */
export function countedReasons(
  { filter, parts }: Pick<ExtractionCounts, "filter" | "parts">,
  source: Source,
): ReturnType<typeof filterReasons> {
  const total = (of: "candidates" | "sentences") => parts.reduce((sum, part) => sum + part[of], 0);
  const counted = filter.map((row) => ({ ...row, samples: "" }));
  return filterFigure(counted, total("candidates"), total("sentences"), source);
}

function filterFigure(
  counted: readonly { verdict: string; why: string; sentences: number; samples: string }[],
  kept: number,
  all: number,
  source: Source,
): Figure<{ verdict: string; why: string; sentences: number; share: number; samples: string }> {
  const rows = counted
    .toSorted((a, b) => (a.verdict < b.verdict ? 1 : a.verdict > b.verdict ? -1 : b.sentences - a.sentences))
    .map(({ samples, ...row }) => ({ ...row, share: row.sentences / all, samples }));
  return figure({
    id: "filter-reasons",
    title: "What the candidate filter kept and dropped",
    caption: `${kept} of ${all} sentences are candidates; one may be kept for several reasons.`,
    columns: {
      verdict: ["verdict", "", "text"],
      why: ["why", "", "text"],
      sentences: ["sentences", "count", "number"],
      share: ["of all sentences", "share", "number"],
      samples: ["samples", "", "text"],
    },
    rows,
    guides: [],
    source,
  });
}

/** Proposals that were accepted, rejected (by reason), or not asked for. */
export function proposals(
  anchors: readonly AnchorVerdict[],
  source: Source,
  samples = 3,
): Figure<{ outcome: string; why: string; anchors: number; share: number; samples: string }> {
  const groups = groupBy(anchors, ({ outcome, why }) => `${outcome}\n${why ?? ""}`);
  const counted = [...groups.values()].map((found) => ({
    ...{ outcome: found[0]!.outcome, why: found[0]!.why, anchors: found.length },
    samples: spreadIndices(found.length, samples)
      .map((i) => describeAnchor(found[i]!))
      .join(" ¶ "),
  }));
  return proposalFigure(counted, source);
}

/** The same from counts alone. */
export const countedProposals = (
  { anchors }: Pick<ExtractionCounts, "anchors">,
  source: Source,
): ReturnType<typeof proposals> =>
  proposalFigure(
    anchors.map((row) => ({ ...row, samples: "" })),
    source,
  );

function proposalFigure(
  counted: readonly (ExtractionCounts["anchors"][number] & { readonly samples: string })[],
  source: Source,
): Figure<{ outcome: string; why: string; anchors: number; share: number; samples: string }> {
  const order = { model: 0, rejected: 1, rule: 2 };
  const all = counted.reduce((sum, { anchors }) => sum + anchors, 0);
  const rows = counted
    .toSorted((a, b) => order[a.outcome] - order[b.outcome] || b.anchors - a.anchors)
    .map(({ outcome, why, anchors, samples }) => ({
      ...{ outcome: OUTCOMES[outcome], why: why ?? "", anchors, share: anchors / all, samples },
    }));
  return figure({
    id: "proposals",
    title: "Anchors: proposed, rejected, by rule",
    caption: "Where the model's proposal cannot be used, the deterministic span stands in.",
    columns: {
      outcome: ["outcome", "", "text"],
      why: ["why", "", "text"],
      anchors: ["anchors", "count", "number"],
      share: ["of all anchors", "share", "number"],
      samples: ["samples", "", "text"],
    },
    rows,
    guides: [],
    source,
  });
}

const OUTCOMES = {
  model: "proposal accepted",
  rejected: "proposal rejected, rule instead",
  rule: "by rule, not asked",
};

const describeAnchor = ({ anchor, proposal }: AnchorVerdict): string =>
  proposal === null ? anchor : `${proposal === "" ? "(nothing)" : proposal} → ${anchor}`;
