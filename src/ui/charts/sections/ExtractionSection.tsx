/** @file What was taken from the text: the strip while the text is kept, and how the facts share anchors. */

import { useMemo, useState } from "react";
import {
  anchorsByFacts,
  countedProposals,
  countedReasons,
  countedStrip,
  factsAlong,
  filterReasons,
  proposals,
} from "../../../figures/extraction.ts";
import type { Source } from "../../../figures/figure.ts";
import type { ExtractionCounts } from "../../../records/trace.ts";
import { useActions, useNotebook, useServices } from "../../app.tsx";
import { Asked } from "../Asked.tsx";
import { FactPicking } from "../FactPicking.tsx";
import { FigureView } from "../FigureView.tsx";
import { StripFigure } from "../StripFigure.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { Drawn } from "./Drawn.tsx";
import type { SectionProps } from "./MemorySections.tsx";
import s from "../Panel.module.css";

/** Parts of a text along which its facts are counted. */
const PARTS = 80;
/** Texts that have a figure each; a memory of more is better seen by anchors. */
const MOST_TEXTS = 4;

export function ExtractionSection({ sides, cellId }: SectionProps) {
  const anchors = useMemo(() => sides.map(({ facts, source }) => anchorsByFacts(facts, source)), [sides]);
  const along = useMemo(() => {
    const texts = new Map(sides.flatMap(({ sources }) => sources.map((text) => [text.id, text])));
    return [...texts.values()].slice(0, MOST_TEXTS).map((text) => ({
      id: text.id,
      figures: sides.map(({ facts, source }) => factsAlong(facts, text, PARTS, source)),
    }));
  }, [sides]);
  const counted = useMemo(() => countedFigures(sides), [sides]);
  return (
    <>
      {counted.map(({ id, own, strip, reasons, outcomes }) => (
        <div key={id} className={s.panel}>
          <Drawn sides={own} figures={strip} />
          <div className={sides.length > 1 ? s.panel : s.pair}>
            <Drawn sides={sides} figures={reasons} />
            <Drawn sides={sides} figures={outcomes} />
          </div>
        </div>
      ))}
      {along.map(({ id, figures }) => (
        <Drawn key={id} sides={sides} figures={figures} />
      ))}
      {sides[0].info && <Text side={sides[0]} info={sides[0].info} cellId={cellId} />}
      <Drawn sides={sides} figures={anchors} />
    </>
  );
}

/** What was counted when the texts were read, text by text; null for a memory that did not read it. */
function countedFigures(sides: SectionProps["sides"]) {
  const texts = new Set(sides.flatMap(({ extraction }) => extraction.map(({ id }) => id)));
  return [...texts].slice(0, MOST_TEXTS).map((id) => {
    const each = <F,>(make: (counts: ExtractionCounts, source: Source) => F): (F | null)[] =>
      sides.map(({ extraction, source }) => {
        const found = extraction.find((counts) => counts.id === id);
        return found ? make(found, source) : null;
      });
    const own = sides.map((side) => ({
      ...side,
      facts: side.facts.filter(({ documentId }) => documentId === id),
    }));
    return {
      id,
      own,
      strip: each(countedStrip),
      reasons: each(countedReasons),
      outcomes: each(countedProposals),
    };
  });
}

function Text({
  side: { facts, source },
  info,
  cellId,
}: {
  readonly side: SectionProps["sides"][0];
  readonly info: NonNullable<SectionProps["sides"][0]["info"]>;
  readonly cellId: string;
}) {
  const notebook = useNotebook();
  const { engine } = useServices();
  const { ensureModel } = useActions();
  const kept = notebook.cells
    .flatMap((cell) => (cell.kind === "source" ? cell.input.documents : []))
    .find((document) => document.kept && info.sources.some(({ id }) => id === document.id));
  const [asking, setAsking] = useState(false);
  const trace = useAsync(
    async (signal) => {
      await ensureModel(cellId);
      return engine().extraction({ document: kept!.id, params: info.params }, { signal });
    },
    [engine, ensureModel, kept?.id],
    { wanted: asking && kept !== undefined },
  );
  const own = useMemo(() => facts.filter(({ documentId }) => documentId === kept?.id), [facts, kept?.id]);
  if (!kept)
    return <p className={s.note}>Single sentences and samples need the text, and the text is forgotten.</p>;
  if (!trace.value)
    return (
      <Asked
        state={trace}
        waiting="Reading the text again, sentence by sentence"
        start={{
          label: "Show the strip",
          note: `Reads “${kept.title}” once more with the model; nothing is stored.`,
          go: () => {
            setAsking(true);
          },
        }}
      />
    );
  return (
    <FactPicking facts={own}>
      <StripFigure input={trace.value} trace={trace.value} source={source} />
      <div className={s.pair}>
        <FigureView figure={filterReasons(trace.value.sentences, source)} />
        <FigureView figure={proposals(trace.value.anchors, source)} />
      </div>
    </FactPicking>
  );
}
