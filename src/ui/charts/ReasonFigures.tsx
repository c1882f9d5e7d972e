/** @file Extraction in counts: what the filter kept and dropped and why, and what became of anchor proposals. */

import type { Row } from "../../figures/figure.ts";
import { count, counted } from "../format.ts";
import { BarList, type Bar, type BarGroup } from "./kit/BarList.tsx";
import type { Picture, PictureOf } from "./kit/picture.ts";
import { shareText } from "./kit/text.ts";

const grouped = <R extends Row>(summary: string, groups: readonly BarGroup[]): Picture<R> => ({
  summary,
  draw: ({ width }) => <BarList width={width} groups={groups.filter(({ bars }) => bars.length > 0)} />,
});

/** The first sample of a list, in quotes. */
const sample = (samples: string): string => (samples === "" ? "" : `“${samples.split(" ¶ ")[0]}”`);

export const filterFigure: PictureOf<"filter-reasons"> = ({ rows, caption }) => {
  const of = (verdict: string): Bar[] =>
    rows
      .filter((row) => row.verdict === verdict)
      .map(({ why, sentences, share, samples }) => ({
        name: why,
        value: sentences,
        said: `${count(sentences)}, ${shareText(share)}`,
        note: sample(samples),
        color: verdict === "kept" ? "var(--ink)" : "var(--ink-soft)",
        hollow: verdict !== "kept",
      }));
  const [top] = rows;
  return grouped(
    `${caption} Most often kept for: ${top?.why ?? "nothing"}, ${counted(top?.sentences ?? 0, "sentence")}.`,
    [
      { heading: "Kept as candidates, by reason", bars: of("kept") },
      { heading: "Dropped", bars: of("dropped") },
    ],
  );
};

export const proposalsFigure: PictureOf<"proposals"> = ({ rows }) => {
  const bars = rows.map(({ outcome, why, anchors, share, samples }) => ({
    name: why === "" ? outcome : why,
    value: anchors,
    said: `${count(anchors)}, ${shareText(share)}`,
    note: samples.split(" ¶ ").join(",  "),
    color: outcome === "proposal accepted" ? "var(--verdigris)" : "var(--ochre)",
    hollow: outcome !== "proposal accepted",
  }));
  const accepted = rows.find(({ outcome }) => outcome === "proposal accepted");
  return grouped(
    `${counted(accepted?.anchors ?? 0, "proposal")} of the model accepted, ${shareText(accepted?.share ?? 0)} of all anchors.`,
    [
      { heading: "", bars: bars.slice(0, accepted ? 1 : 0) },
      { heading: accepted ? "Rule instead, because" : "", bars: bars.slice(accepted ? 1 : 0) },
    ],
  );
};
