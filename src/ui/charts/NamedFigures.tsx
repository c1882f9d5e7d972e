/** @file Figures of named bars: the layer probe, competing keys, and the decisions of the extraction. */

import type { Row as FigureRow } from "../../figures/figure.ts";
import type { RowOf } from "../../figures/registry.ts";
import { Row } from "../controls/layout.tsx";
import { count, counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import { NamedBars } from "./kit/Chart.tsx";
import type { PictureOf, Room } from "./kit/picture.ts";
import { bothRows, largest } from "./kit/scale.ts";
import { numberText, shareText, summaryOf, tipOf } from "./kit/text.ts";

function panelRoom<R extends FigureRow>(room: Room<R>, panels: number, narrowest: number): Room<R> {
  const across = Math.max(1, Math.min(panels, Math.floor(room.width / narrowest)));
  return { ...room, width: Math.floor((room.width - (across - 1) * 24) / across) };
}

type Probed = RowOf<"layer-probe">;

export const layerProbeFigure: PictureOf<"layer-probe"> = (figure, beside) => {
  const { rows } = figure;
  const most = largest(bothRows(figure, beside), ({ work }) => work, 1e-9);
  const panels = [
    {
      heading: "exact",
      value: ({ exactRate }: Probed) => exactRate,
      text: ({ exactRate }: Probed) => shareText(exactRate),
      span: ({ low, high }: Probed) => (low === null || high === null ? null : ([low, high] as const)),
    },
    {
      heading: "fidelity",
      value: ({ fidelity }: Probed) => fidelity,
      text: ({ fidelity }: Probed) => fidelity.toFixed(3),
    },
    {
      heading: "layers run per fact",
      value: ({ work }: Probed) => work ?? 0,
      text: ({ work }: Probed) => (work === null ? "–" : numberText(work)),
      top: most,
    },
  ];
  return {
    summary: summaryOf(figure, "layer", "exactRate"),
    below: "Full: chosen, with its rank. Hollow: not chosen.",
    draw: (room) => (
      <Row wrap gap="0.75rem 24px">
        {panels.map((panel) => (
          <NamedBars
            key={panel.heading}
            room={panelRoom(room, panels.length, 200)}
            {...{ rows, top: 1, ...panel }}
            name={({ layer, rank, chosen }) => (chosen ? `${layer}, #${rank}` : String(layer))}
            hollow={({ chosen }) => !chosen}
            color={({ layer }) => layerOf(layer)}
            tip={tipOf(figure, ({ layer }) => `Layer ${layer}`, "layer", "work", "cost")}
          />
        ))}
      </Row>
    ),
  };
};

export const competitorsFigure: PictureOf<"competitor-weights"> = (figure) => {
  const weightText = (weight: number): string => (weight < 0.001 ? "<0.001" : weight.toFixed(3));
  return {
    summary: summaryOf(figure, "key", "weight"),
    below: "Blue: the fact’s own key. α: weight in the soft read, s: similarity.",
    draw: (room) => (
      <NamedBars
        {...{ room, rows: figure.rows }}
        name={({ key }) => key}
        value={({ weight }) => weight}
        top={1}
        text={({ weight, similarity }) => `α ${weightText(weight)}, s ${similarity.toFixed(3)}`}
        color={({ own }) => (own ? "var(--lapis)" : "var(--ink-soft)")}
        tip={tipOf(figure, ({ rank, key }) => `${rank}: ${key}`, "rank", "key", "own")}
      />
    ),
  };
};

const DECISIONS = { candidates: "Sentences, by decision", anchors: "Anchors, by origin" } as const;
const ACCEPTED: Readonly<Record<string, string>> = {
  kept: "var(--ink)",
  "proposal accepted": "var(--verdigris)",
};

export const reasonsFigure: PictureOf<"extraction-reasons"> = ({ rows, caption }) => {
  const [top] = rows;
  const nameOf = ({ outcome, why }: RowOf<"extraction-reasons">): string =>
    why === "" ? outcome : `${outcome}: ${why}`;
  return {
    summary: `${caption} Most often kept for: ${top?.why ?? "nothing"}, ${counted(top?.count ?? 0, "sentence")}.`,
    draw: (room) => (
      <Row wrap gap="0.75rem 24px">
        {(["candidates", "anchors"] as const).map((decided) => {
          const own = rows.filter((row) => row.decided === decided);
          return own.length === 0 ? null : (
            <NamedBars
              key={decided}
              room={panelRoom(room, 2, 440)}
              rows={own}
              heading={DECISIONS[decided]}
              name={nameOf}
              value={(row) => row.count}
              top={largest(own, (row) => row.count, 1)}
              text={(row) => `${count(row.count)}, ${shareText(row.share)}`}
              color={({ outcome }) => ACCEPTED[outcome] ?? "var(--ochre)"}
              hollow={({ outcome }) => !(outcome in ACCEPTED)}
              tip={(row) => [
                nameOf(row),
                row.samples === "" ? [] : row.samples.split(" ¶ ").map((sample, i) => [`${i + 1}.`, sample]),
              ]}
            />
          );
        })}
      </Row>
    ),
  };
};
