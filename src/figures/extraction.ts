/** @file Extraction: the source as a strip, and what was kept or dropped and why, by sentence or as counts. */

import { many } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import type { ExtractionCounts, ExtractionTrace } from "../records/trace.ts";
import { defineFigure, spreadIndices } from "./figure.ts";

/** Counts along a text. Each start is counted in exactly one part. */
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
    includes:
      ({ from, to }) =>
      ({ offset }) =>
        offset >= from && offset < to,
    words: ({ from, to }) => `from characters ${from} to ${to}`,
    size: ({ anchors }) => anchors,
  },
  make: ({ title, characters, parts }: Pick<ExtractionCounts, "title" | "characters" | "parts">) => ({
    title: `Candidates and anchors along “${title}”`,
    caption: `All of ${many(characters, "character")}, in ${many(parts.length, "part")}; a sentence counts where it starts. Counted when the text was read.`,
    rows: parts.map(({ sentences, candidates, byModel, byRule }, i) => ({
      from: Math.round((i * characters) / parts.length),
      to: Math.round(((i + 1) * characters) / parts.length),
      ...{ sentences, candidates, anchors: byModel + byRule, byModel, byRule },
    })),
  }),
});

/** A decision, its count and three samples; counts of a deleted text have no samples. */
interface Decision {
  readonly decided: "candidates" | "anchors";
  readonly outcome: string;
  readonly why: string;
  readonly count: number;
  readonly samples: string;
}

/** Decisions on sentences and anchors with their reasons. A sentence kept for several reasons counts under each. */
export const extractionReasons = defineFigure({
  kind: "extraction-reasons",
  wide: true,
  columns: {
    decided: ["decision about", "", "text"],
    outcome: ["outcome", "", "text"],
    why: ["why", "", "text"],
    count: ["number", "count", "number"],
    share: ["of all", "share", "number"],
    samples: ["samples", "", "text"],
  },
  make: (
    input:
      | Pick<ExtractionTrace, "sentences" | "anchors">
      | Pick<ExtractionCounts, "filter" | "parts" | "anchors">,
  ) => {
    const { decisions, kept, sentences } = "parts" in input ? ofCounts(input) : ofTrace(input);
    const anchors = decisions
      .filter(({ decided }) => decided === "anchors")
      .reduce((sum, { count }) => sum + count, 0);
    const place = ({ outcome }: Decision): number => Object.values(OUTCOMES).indexOf(outcome);
    return {
      title: "Decisions of the extraction",
      caption:
        `${kept} of ${many(sentences, "sentence")} kept as ${kept === 1 ? "a candidate" : "candidates"}; one may be kept for several reasons. ` +
        "A rule makes the anchor if the model’s proposal cannot be used.",
      rows: decisions
        .toSorted((a, b) => place(a) - place(b) || b.count - a.count)
        .map(({ samples, ...decision }) => ({
          ...decision,
          share: decision.count / (decision.decided === "anchors" ? anchors : sentences),
          samples,
        })),
    };
  },
});

const OUTCOMES = {
  kept: "kept",
  dropped: "dropped",
  model: "proposal accepted",
  rejected: "proposal rejected, rule instead",
  rule: "by rule, not asked",
};

const SAMPLES = 3;

function ofTrace({ sentences, anchors }: Pick<ExtractionTrace, "sentences" | "anchors">) {
  const all = [
    ...sentences.flatMap(({ dropped, reasons, sample }) => {
      const decided = "candidates" as const;
      return dropped === null
        ? reasons.map((why) => ({ decided, outcome: OUTCOMES.kept, why: why as string, sample }))
        : [{ decided, outcome: OUTCOMES.dropped, why: dropped as string, sample }];
    }),
    ...anchors.map(({ outcome, why, anchor, proposal }) => ({
      decided: "anchors" as const,
      outcome: OUTCOMES[outcome],
      why: why ?? "",
      sample: proposal === null ? anchor : `${proposal === "" ? "(nothing)" : proposal} → ${anchor}`,
    })),
  ];
  const groups = groupBy(all, ({ decided, outcome, why }) => `${decided}\n${outcome}\n${why}`);
  const decisions = [...groups.values()].map((group): Decision => {
    const { decided, outcome, why } = group[0]!;
    const samples = spreadIndices(group.length, SAMPLES).map((i) => group[i]!.sample);
    return { decided, outcome, why, count: group.length, samples: samples.join(" ¶ ") };
  });
  const kept = sentences.filter(({ dropped }) => dropped === null).length;
  return { decisions, kept, sentences: sentences.length };
}

function ofCounts({ filter, parts, anchors }: Pick<ExtractionCounts, "filter" | "parts" | "anchors">) {
  const total = (of: "candidates" | "sentences") => parts.reduce((sum, part) => sum + part[of], 0);
  const decisions: Decision[] = [
    ...filter.map(({ verdict, why, sentences }) => ({
      ...{ decided: "candidates" as const, outcome: OUTCOMES[verdict], why, count: sentences, samples: "" },
    })),
    ...anchors.map(({ outcome, why, anchors: count }) => ({
      ...{ decided: "anchors" as const, outcome: OUTCOMES[outcome], why: why ?? "", count, samples: "" },
    })),
  ];
  return { decisions, kept: total("candidates"), sentences: total("sentences") };
}
