/** @file The sections of the gallery: which figures, from which recorded run. */

import type { ReactNode } from "react";
import type { Figure } from "../../src/figures/figure.ts";
import { galleryFigures, type Gallery } from "../../src/figures/gallery.ts";
import { compareRuns, gateGrid, studyCurve, studyTable } from "../../src/figures/studies.ts";
import type { Run } from "../../src/records/run.ts";
import { Compare } from "../../src/ui/charts/Compare.tsx";
import { FigureView } from "../../src/ui/charts/FigureView.tsx";
import { GatePanel } from "../../src/ui/charts/GatePanel.tsx";
import { StripFigure } from "../../src/ui/charts/StripFigure.tsx";
import galleryJson from "../../docs/runs/gallery.json";
import { ofPreset } from "./runs.ts";
import s from "./Gallery.module.css";

const gallery = galleryJson as unknown as Gallery;
const { source, extraction } = gallery;
const runs = Object.values(
  import.meta.glob<Run>(["../../docs/runs/*.json", "!../../docs/runs/gallery.json"], { eager: true, import: "default" }),
); // prettier-ignore

export interface Section {
  readonly id: string;
  readonly figures: () => ReactNode;
}

/** These fill the width; the others stand in pairs. */
const WIDE =
  /^(gate-strip|loss|round-robin|layer-probe|first-wrong|reconstruction-diff|token-logits|margins|extraction)/;

/** Every figure that is drawn from the gallery's records, by section. */
const bySection = Map.groupBy(galleryFigures(gallery), ({ section }) => section);

export const SECTIONS: readonly Section[] = [
  ...[...bySection].map(([section, found]) => ({
    id: section.toLowerCase(),
    figures: () => (
      <>
        {section === "Extraction" && (
          <div data-live="">
            <StripFigure input={extraction} trace={extraction} source={source} />
          </div>
        )}
        {section === "Gates" && (
          <div data-live="">
            <GatePanel trace={(gallery.failed ?? gallery).trace} source={source} />
          </div>
        )}
        <div className={s.grid}>
          {found.map(({ figure }, i) => (
            <Placed key={i} figure={figure} />
          ))}
        </div>
      </>
    ),
  })),
  {
    id: "studies",
    figures: () => (
      <div className={s.grid}>
        {studyFigures(runs).map((figure, i) => (
          <Placed key={i} figure={figure} />
        ))}
        <div className={s.wide} data-live="">
          <Compared />
        </div>
      </div>
    ),
  },
];

function Placed({ figure }: { readonly figure: Figure }) {
  return (
    <div className={WIDE.test(figure.id) || /^(study|compare)/.test(figure.id) ? s.wide : undefined}>
      <FigureView figure={figure} />
    </div>
  );
}

/** A run's curves, its table, and for the sweep its grid; and the presets of the capacity run against each other. */
function studyFigures(all: readonly Run[]): Figure[] {
  const capacity = all.find(({ header }) => header.study === "capacity");
  return [
    ...all.flatMap((run): Figure[] => [
      studyCurve(run),
      ...(run.header.study === "gates" ? [gateGrid(run, "exact"), gateGrid(run, "otherOpen")] : []),
    ]),
    ...(capacity
      ? [compareRuns(ofPreset(capacity, "sharp"), ofPreset(capacity, "paper")), studyTable(capacity)]
      : []),
  ];
}

/** One figure twice on one scale: losses of the first and the last half of the facts. */
function Compared() {
  const band = galleryFigures({ ...gallery, curves: gallery.curves.slice(0, 20) });
  const other = galleryFigures({ ...gallery, curves: gallery.curves.slice(20) });
  const of = (all: typeof band): Figure => all.find(({ figure }) => figure.id === "loss-band")!.figure;
  return <Compare a={of(band)} b={of(other)} />;
}
