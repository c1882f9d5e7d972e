/** @file Extraction of each text: the strip while the text is kept, its counts afterwards, and anchors. */

import { useMemo, useState } from "react";
import type { DocumentId } from "../../../records/ids.ts";
import { useActions, useNotebook, useServices } from "../../app.tsx";
import { Asked } from "../../controls/Asked.tsx";
import { FactPicking } from "../FactPicking.tsx";
import { StripFigure } from "../StripFigure.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { Listed } from "./Listed.tsx";
import type { SectionProps, Side } from "./sides.ts";
import { Text } from "../../controls/layout.tsx";

const MOST_TEXTS = 4;
const STRIPS = ["extraction-strip", "extraction-marks"] as const;

export function ExtractionSection({ sides, cellId }: SectionProps) {
  const readings = useMemo(() => {
    const texts = new Set(sides.flatMap((side) => side.readings.map(({ id }) => id)));
    return [...texts].slice(0, MOST_TEXTS).map((id) => ({ id, own: ofText(sides, id) }));
  }, [sides]);
  return (
    <>
      {readings.map(({ id, own }) => (
        <Listed key={id} sides={own} section="extraction" needs="extraction" />
      ))}
      {sides[0].info && <KeptText side={sides[0]} info={sides[0].info} cellId={cellId} />}
      <Listed sides={sides} section="extraction" needs={null} />
    </>
  );
}

/** Each memory reduced to one text: its facts and its reading, which is null if the memory did not read it. */
const ofText = (sides: readonly Side[], text: DocumentId): Side[] =>
  sides.map((side) => ({
    ...side,
    facts: side.facts.filter(({ documentId }) => documentId === text),
    extraction: side.readings.find(({ id }) => id === text) ?? null,
  }));

function KeptText({
  side,
  info,
  cellId,
}: {
  readonly side: Side;
  readonly info: NonNullable<Side["info"]>;
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
  const text = kept?.id;
  const own = useMemo(
    () => text !== undefined && trace.value && [{ ...ofText([side], text)[0]!, extraction: trace.value }],
    [side, text, trace.value],
  );
  if (!kept)
    return (
      <Text as="p" tone="soft" size="s">
        Single sentences and samples need the text, which was deleted.
      </Text>
    );
  if (!own || !trace.value)
    return (
      <Asked
        state={trace}
        what="Reading the text again, sentence by sentence"
        start={{
          label: "Show the strip",
          note: `Reads “${kept.title}” again with the model; nothing is stored.`,
          go: () => setAsking(true),
        }}
      />
    );
  return (
    <>
      <FactPicking facts={own[0]!.facts}>
        <StripFigure input={trace.value} trace={trace.value} source={side.source} />
      </FactPicking>
      <Listed sides={own} section="extraction" needs="extraction" except={STRIPS} />
    </>
  );
}
