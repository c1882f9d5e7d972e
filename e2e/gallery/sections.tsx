/** @file The sections of the gallery: which figures, from which recorded run. */

import type { ReactNode } from "react";
import { studyFigures, traitsOf, type AnyFigure, type FigureKind } from "../../src/figures/registry.ts";
import { gateGrid } from "../../src/figures/studies.ts";
import { DEGENERATE, isDegenerate } from "../../src/figures/testing/degenerate.ts";
import { galleryFigures, type Gallery, type GallerySection } from "../../src/figures/testing/gallery.ts";
import { groupBy } from "../../src/lib/group.ts";
import { readStudy } from "../../src/evaluate/runs/file.ts";
import type { Run } from "../../src/records/run.ts";
import { Compare, FigureView } from "../../src/ui/charts/FigureView.tsx";
import { GatePanel } from "../../src/ui/inspector/fact/Inside.tsx";
import galleryJson from "../../docs/runs/gallery.json";
import { ofPreset } from "./runs.ts";
import s from "./Gallery.module.css";

const data = new URLSearchParams(location.search).get("data");
const recorded = galleryJson as unknown as Gallery;
const gallery = isDegenerate(data) ? DEGENERATE[data](recorded) : recorded;
const { source } = gallery;
const runs = Object.entries(
  import.meta.glob<string>("../../docs/runs/*.jsonl", { eager: true, query: "?raw", import: "default" }),
).map(([name, text]) => readStudy(text, name)!);

export interface Section {
  readonly id: GallerySection | "studies";
  readonly figures: () => ReactNode;
}

/** Interactive figures, above the others of their section. */
const LIVE: Partial<Record<GallerySection, () => ReactNode>> = {
  gates: () => <GatePanel trace={(gallery.failed ?? gallery).trace} source={source} />,
};

export const SECTIONS: readonly Section[] = [
  ...[...groupBy(galleryFigures(gallery), ({ section }) => section)].map(([id, found]): Section => ({
    id,
    figures: () => (
      <>
        {LIVE[id] && <div data-live="">{LIVE[id]()}</div>}
        <Grid figures={found.map(({ figure }) => figure)} />
      </>
    ),
  })),
  {
    id: "studies",
    figures: () => (
      <>
        <Grid figures={figuresOf(runs)} />
        <div data-live="">
          <Compared />
        </div>
      </>
    ),
  },
];

function Grid({ figures }: { readonly figures: readonly AnyFigure[] }) {
  return (
    <div className={s.grid}>
      {figures.map((figure, i) => (
        <div key={i} className={traitsOf<FigureKind>(figure.kind).wide ? s.wide : undefined}>
          <FigureView figure={figure} />
        </div>
      ))}
    </div>
  );
}

/** Every run's figures, another measure of the sweep, and the presets of the capacity run against each other. */
function figuresOf(all: readonly Run[]): AnyFigure[] {
  const of = (study: Run["header"]["study"]) => all.find(({ header }) => header.study === study);
  const [capacity, gates] = [of("capacity"), of("gates")];
  return [
    ...all.flatMap((run) => studyFigures(run, null).flat()),
    ...(gates ? [gateGrid(gates, "otherOpen")] : []),
    ...(capacity ? studyFigures(ofPreset(capacity, "sharp"), ofPreset(capacity, "paper")).flat() : []),
  ];
}

/** One figure twice on one scale: losses of the first and the last half of the facts. */
function Compared() {
  const losses = (curves: Gallery["curves"]) =>
    galleryFigures({ ...gallery, curves })
      .map(({ figure }) => figure)
      .find((figure) => figure.kind === "loss-curves")!;
  return <Compare a={losses(gallery.curves.slice(0, 20))} b={losses(gallery.curves.slice(20))} />;
}
