/**
 * @file Extraction: the source as a strip, anchors by number of facts, what the filter did, what became of proposals.
 * A text's reading is at hand sentence by sentence while the text is kept, and in counts when it is gone.
 */

import { grouped, many } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import type { Fact } from "../records/fact.ts";
import type { SourceInfo } from "../records/memory.ts";
import type { FactRow } from "../records/notebook.ts";
import type { AnchorVerdict, ExtractionCounts, ExtractionTrace, SentenceVerdict } from "../records/trace.ts";
import { defineFigure } from "./figure.ts";
import { equalParts, spreadIndices, withoutGaps } from "./stats.ts";

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

/** A part of a text on the strip, at any zoom: the view (the whole without one) cut into `bins` equal parts. */
interface StripView {
  readonly text: StripInput;
  readonly view?: View;
  readonly bins?: number;
}

type CountedStrip = Pick<ExtractionCounts, "title" | "characters" | "parts">;

/** Parts of the whole strip. */
const STRIP_BINS = 60;

/** The strip at any zoom, or from counts the whole of it. Each start is counted in exactly one part. */
export const extractionStrip = defineFigure({
  kind: "extraction-strip",
  wide: true,
  columns: {
    from: ["from", "character", "number"],
    to: ["to", "character", "number"],
    sentences: ["sentences", "count", "number"],
    candidates: ["candidates", "count", "number"],
    anchors: ["anchors", "count", "number"],
    byModel: ["anchors by the model", "count", "number"],
    byRule: ["anchors by rule", "count", "number"],
  },
  counts: {
    holds: ({ offset }, { from, to }) => offset >= from && offset < to,
    says: fromCharacters,
    size: ({ anchors }) => anchors,
  },
  make: (input: StripView | CountedStrip) => {
    const counted = "parts" in input;
    const { title } = counted ? input : input.text;
    return {
      title: `Candidates and anchors along “${title}”`,
      ...(counted ? countedParts(input) : viewedParts(input)),
    };
  },
});

function fromCharacters({ from, to }: View): string {
  return `from characters ${from} to ${to}`;
}

function viewedParts({ text: { sentences, anchors, characters }, view, bins = STRIP_BINS }: StripView) {
  const { from, to } = view ?? { from: 0, to: characters };
  const parts = equalParts(from, to, bins);
  const rows = parts.bins.map((part) => ({
    ...part,
    sentences: 0,
    candidates: 0,
    anchors: 0,
    byModel: 0,
    byRule: 0,
  }));
  for (const { start, reasons } of sentences) {
    const row = rows[parts.at(start)];
    if (!row) continue;
    row.sentences++;
    if (reasons.length > 0) row.candidates++;
  }
  for (const { start, outcome } of anchors) {
    const row = rows[parts.at(start)];
    if (!row) continue;
    row.anchors++;
    row[outcome === "model" ? "byModel" : "byRule"]++;
  }
  const caption = `Characters ${grouped(from)} to ${grouped(to)} of ${grouped(characters)}, in ${many(rows.length, "part")}; a sentence counts where it starts.`;
  return { caption, rows };
}

function countedParts({ characters, parts }: CountedStrip) {
  const rows = parts.map(({ sentences, candidates, byModel, byRule }, i) => ({
    from: Math.round((i * characters) / parts.length),
    to: Math.round(((i + 1) * characters) / parts.length),
    ...{ sentences, candidates, anchors: byModel + byRule, byModel, byRule },
  }));
  const caption = `All of ${many(characters, "character")}, in ${many(parts.length, "part")}; a sentence counts where it starts. Counted when the text was read.`;
  return { caption, rows };
}

/** Sentences of a reading that are listed. */
const LISTED = 60;

interface MarksInput {
  readonly trace: ExtractionTrace;
  readonly view?: View;
  readonly limit?: number;
}

/** Single sentences of a view, for a zoom that shows each; the first `limit`. */
export const extractionMarks = defineFigure({
  kind: "extraction-marks",
  wide: true,
  columns: {
    start: ["from", "character", "number"],
    end: ["to", "character", "number"],
    kept: ["candidate", "", "boolean"],
    why: ["why", "", "text"],
    anchor: ["anchor e", "", "text?"],
    outcome: ["anchor by", "", "text?"],
    sample: ["sentence", "", "text"],
  },
  counts: {
    holds: ({ offset }, { start }) => offset === start,
    says: ({ start }) => `from character ${start}`,
    size: ({ anchor }) => (anchor === null ? 0 : 1),
  },
  make: ({ trace, view = { from: 0, to: trace.characters }, limit = LISTED }: MarksInput) => {
    const anchors = new Map(trace.anchors.map((anchor) => [anchor.start as number, anchor]));
    const inView = trace.sentences.filter(({ start, end }) => end > view.from && start < view.to);
    return {
      title: `Sentences of “${trace.title}”`,
      caption: `${Math.min(limit, inView.length)} of ${many(inView.length, "sentence")} in characters ${grouped(view.from)} to ${grouped(view.to)}.`,
      rows: inView.slice(0, limit).map(({ start, end, reasons, dropped, sample }) => {
        const { anchor = null, outcome = null } = anchors.get(start) ?? {};
        return {
          start,
          end,
          kept: dropped === null,
          why: dropped ?? reasons.join(", "),
          anchor,
          outcome,
          sample,
        };
      }),
    };
  },
});

interface AlongInput {
  readonly facts: readonly Pick<FactRow, "documentId" | "offset" | "exact">[];
  readonly text: Pick<SourceInfo, "id" | "title" | "characters">;
  readonly bins?: number;
}

/** Parts of a text along which its facts are counted. */
const ALONG_BINS = 80;

/**
 * Where the stored facts of a text stand in it, from its start to its end: known from the facts alone, so it can be
 * seen when the text is long gone.
 */
export const factsAlong = defineFigure({
  kind: "facts-along",
  wide: true,
  empty: "No fact of this text is stored.",
  columns: {
    document: ["document", "id", "text"],
    from: ["from", "character", "number"],
    to: ["to", "character", "number"],
    facts: ["facts", "count", "number"],
    exact: ["of them exact", "count", "number"],
    inexact: ["inexact", "count", "number"],
  },
  counts: {
    holds: ({ documentId, offset }, { document, from, to }) =>
      documentId === document && offset >= from && offset < to,
    says: fromCharacters,
    size: ({ facts }) => facts,
  },
  make: ({ facts, text: { id, title, characters }, bins = ALONG_BINS }: AlongInput) => {
    const own = facts.filter(({ documentId }) => documentId === id);
    const length = own.reduce((most, { offset }) => Math.max(most, offset + 1), characters);
    const parts = equalParts(0, length, Math.max(1, Math.min(bins, length)));
    const rows = parts.bins.map((part) => ({
      document: id as string,
      ...part,
      facts: 0,
      exact: 0,
      inexact: 0,
    }));
    for (const { offset, exact } of own) {
      const row = rows[rows.findLastIndex(({ from }) => from <= offset)]!;
      row.facts++;
      row[exact ? "exact" : "inexact"]++;
    }
    return {
      title: `Facts along “${title}”`,
      caption: `${many(own.length, "fact")} of ${many(length, "character")}, in ${many(rows.length, "part")}; a fact counts where its sentence starts.`,
      rows: own.length === 0 ? [] : rows,
    };
  },
});

/** How many anchors have one fact, two facts, … */
export const anchorsByFacts = defineFigure({
  kind: "anchors-by-facts",
  columns: {
    facts: ["facts of the anchor", "count", "number"],
    anchors: ["anchors", "count", "number"],
    examples: ["for example", "", "text"],
  },
  counts: {
    holds: ({ anchor }, row, facts) => sizesOf(facts).get(anchor) === row.facts,
    says: ({ facts }) => `of anchors with ${facts} of them`,
    size: ({ anchors }) => anchors,
  },
  make: (facts: readonly Pick<Fact, "anchor">[]) => {
    const sizes = sizesOf(facts);
    const alike = groupBy(sizes, ([, size]) => size);
    return {
      title: "Anchors by number of facts",
      caption: `${many(facts.length, "fact")} under ${many(sizes.size, "anchor")}.`,
      rows: withoutGaps(alike.keys()).map((size) => {
        const anchors = alike.get(size) ?? [];
        const examples = anchors.slice(0, 3).map(([anchor]) => anchor);
        return { facts: size, anchors: anchors.length, examples: examples.join(", ") };
      }),
    };
  },
});

/** Sizes of anchors, worked out once for a list of facts. */
const sizesOf = (() => {
  const known = new WeakMap<readonly object[], ReadonlyMap<string, number>>();
  return (facts: readonly Pick<Fact, "anchor">[]): ReadonlyMap<string, number> => {
    const found = known.get(facts);
    if (found) return found;
    const sizes = new Map<string, number>();
    for (const { anchor } of facts) sizes.set(anchor, (sizes.get(anchor) ?? 0) + 1);
    known.set(facts, sizes);
    return sizes;
  };
})();

/** Samples of each kind of verdict. */
const SAMPLES = 3;

/** A few of many, one after the other. */
const sampled = <T>(items: readonly T[], of: (item: T) => string): string =>
  spreadIndices(items.length, SAMPLES)
    .map((i) => of(items[i]!))
    .join(" ¶ ");

/**
 * What the filter kept and dropped, and why; a kept sentence counts under each of its reasons. Counts have no samples:
 * they would be words of a text that is gone.
 */
export const filterReasons = defineFigure({
  kind: "filter-reasons",
  columns: {
    verdict: ["verdict", "", "text"],
    why: ["why", "", "text"],
    sentences: ["sentences", "count", "number"],
    share: ["of all sentences", "share", "number"],
    samples: ["samples", "", "text"],
  },
  make: (input: readonly SentenceVerdict[] | Pick<ExtractionCounts, "filter" | "parts">) => {
    const { counted, kept, all } = "parts" in input ? countedVerdicts(input) : verdicts(input);
    return {
      title: "What the candidate filter kept and dropped",
      caption: `${kept} of ${many(all, "sentence")} kept as ${kept === 1 ? "a candidate" : "candidates"}; one may be kept for several reasons.`,
      rows: counted
        .toSorted((a, b) => b.verdict.localeCompare(a.verdict, "en") || b.sentences - a.sentences)
        .map(({ samples, ...row }) => ({ ...row, share: row.sentences / all, samples })),
    };
  },
});

function verdicts(sentences: readonly SentenceVerdict[]) {
  const said = sentences.flatMap(({ dropped, reasons, sample }) =>
    dropped === null
      ? reasons.map((why) => ({ verdict: "kept", why: why as string, sample }))
      : [{ verdict: "dropped", why: dropped as string, sample }],
  );
  return {
    counted: [...groupBy(said, ({ verdict, why }) => `${verdict} ${why}`).values()].map((found) => ({
      ...{ verdict: found[0]!.verdict, why: found[0]!.why, sentences: found.length },
      samples: sampled(found, ({ sample }) => sample),
    })),
    kept: sentences.filter(({ dropped }) => dropped === null).length,
    all: sentences.length,
  };
}

function countedVerdicts({ filter, parts }: Pick<ExtractionCounts, "filter" | "parts">) {
  const total = (of: "candidates" | "sentences") => parts.reduce((sum, part) => sum + part[of], 0);
  const counted = filter.map(({ verdict, why, sentences }) => ({ verdict, why, sentences, samples: "" }));
  return { counted, kept: total("candidates"), all: total("sentences") };
}

/** Proposals that were accepted, rejected (by reason), or not asked for; counts have no samples. */
export const proposals = defineFigure({
  kind: "proposals",
  columns: {
    outcome: ["outcome", "", "text"],
    why: ["why", "", "text"],
    anchors: ["anchors", "count", "number"],
    share: ["of all anchors", "share", "number"],
    samples: ["samples", "", "text"],
  },
  make: (input: readonly AnchorVerdict[] | Pick<ExtractionCounts, "anchors">) => {
    const counted =
      "anchors" in input ? input.anchors.map((row) => ({ ...row, samples: "" })) : outcomes(input);
    const order = { model: 0, rejected: 1, rule: 2 };
    const all = counted.reduce((sum, { anchors }) => sum + anchors, 0);
    return {
      title: "Anchors: proposed, rejected, by rule",
      caption: "Where the model's proposal cannot be used, the deterministic span stands in.",
      rows: counted
        .toSorted((a, b) => order[a.outcome] - order[b.outcome] || b.anchors - a.anchors)
        .map(({ outcome, why, anchors, samples }) => ({
          ...{ outcome: OUTCOMES[outcome], why: why ?? "", anchors, share: anchors / all, samples },
        })),
    };
  },
});

const outcomes = (anchors: readonly AnchorVerdict[]) =>
  [...groupBy(anchors, ({ outcome, why }) => `${outcome}\n${why ?? ""}`).values()].map((found) => ({
    ...{ outcome: found[0]!.outcome, why: found[0]!.why, anchors: found.length },
    samples: sampled(found, described),
  }));

const OUTCOMES = {
  model: "proposal accepted",
  rejected: "proposal rejected, rule instead",
  rule: "by rule, not asked",
};

const described = ({ anchor, proposal }: AnchorVerdict): string =>
  proposal === null ? anchor : `${proposal === "" ? "(nothing)" : proposal} → ${anchor}`;
