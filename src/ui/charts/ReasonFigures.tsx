/** @file Extraction in counts: what the filter kept and dropped and why, and what became of anchor proposals. */

import type { filterReasons, proposals } from "../../figures/extraction.ts";
import { counted, count } from "../format.ts";
import { BarList, type BarGroup } from "./kit/BarList.tsx";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { shareText } from "./kit/text.ts";

/** The first sample of a list, in quotes. */
const sample = (samples: string): string => (samples === "" ? "" : `“${samples.split(" ¶ ")[0]}”`);

export function FilterFigure({ figure }: { readonly figure: ReturnType<typeof filterReasons> }) {
  const of = (verdict: string): BarGroup["bars"] =>
    figure.rows
      .filter((row) => row.verdict === verdict)
      .map(({ why, sentences, share, samples }) => ({
        name: why,
        value: sentences,
        said: `${count(sentences)}, ${shareText(share)}`,
        note: sample(samples),
        color: verdict === "kept" ? "var(--ink)" : "var(--ink-soft)",
        hollow: verdict !== "kept",
      }));
  const groups = [
    { heading: "Kept as candidates, by reason", bars: of("kept") },
    { heading: "Dropped", bars: of("dropped") },
  ].filter(({ bars }) => bars.length > 0);
  const top = figure.rows[0];
  return (
    <FigureFrame
      figure={figure}
      summary={`${figure.caption} Most often kept for: ${top?.why ?? "nothing"}, ${counted(top?.sentences ?? 0, "sentence")}.`}
    >
      {({ width }) => <BarList width={width} groups={groups} />}
    </FigureFrame>
  );
}

export function ProposalsFigure({ figure }: { readonly figure: ReturnType<typeof proposals> }) {
  const bars = figure.rows.map(({ outcome, why, anchors, share, samples }) => ({
    name: why === "" ? outcome : why,
    value: anchors,
    said: `${count(anchors)}, ${shareText(share)}`,
    note: samples.split(" ¶ ").join(",  "),
    color: outcome === "proposal accepted" ? "var(--verdigris)" : "var(--ochre)",
    hollow: outcome !== "proposal accepted",
  }));
  const accepted = figure.rows.find(({ outcome }) => outcome === "proposal accepted");
  const groups = [
    { heading: "", bars: bars.slice(0, accepted ? 1 : 0) },
    { heading: accepted ? "Rule instead, because" : "", bars: bars.slice(accepted ? 1 : 0) },
  ].filter((group) => group.bars.length > 0);
  return (
    <FigureFrame
      figure={figure}
      summary={`${counted(accepted?.anchors ?? 0, "proposal")} of the model accepted, ${shareText(accepted?.share ?? 0)} of all anchors.`}
    >
      {({ width }) => <BarList width={width} groups={groups} />}
    </FigureFrame>
  );
}
