/** @file The figures of a memory by section, alone or beside those of another memory of this browser. */

import { useMemo } from "react";
import { Asked } from "../Asked.tsx";
import type { MemorySection } from "../../../figures/registry.ts";
import type { MemoryFiguresProps } from "../MemoryFigures.tsx";
import { ProvenanceContext } from "../kit/provenance.ts";
import { sourceText } from "../kit/sourceText.ts";
import { EncodingSection } from "./EncodingSection.tsx";
import { ExtractionSection } from "./ExtractionSection.tsx";
import { LayersSection } from "./LayersSection.tsx";
import { onOneScale, useOtherSide, useOwnSide, type Side } from "./sides.ts";
import { GatesSection, MapsSection } from "./VectorSections.tsx";
import s from "../Panel.module.css";

/** What a section is made from. */
export interface SectionProps {
  /** The open notebook's memory, and perhaps another. */
  readonly sides: readonly [Side] | readonly [Side, Side];
  /** The cell whose model is opened where a figure needs one. */
  readonly cellId: string;
}

const SECTIONS = {
  extraction: ExtractionSection,
  layers: LayersSection,
  encoding: EncodingSection,
  gates: GatesSection,
  maps: MapsSection,
} as const;

export function MemorySections({
  section,
  beside,
  cellId,
}: MemoryFiguresProps & {
  readonly section: MemorySection;
  /** The notebook whose memory stands beside; null for none. */
  readonly beside: string | null;
}) {
  const { side: own, asked } = useOwnSide();
  const askedOther = useOtherSide(beside);
  const other = askedOther.value;
  const sides = useMemo(() => (own ? together(own, other) : null), [own, other]);
  if (!own || !sides) return <Asked state={asked} waiting="Reading the facts" />;
  if (own.facts.length === 0 && !other)
    return <p className={s.note}>The memory is empty: there is nothing to draw.</p>;
  const Section = SECTIONS[section];
  const told = beside === null ? sourceText(own.source) : "";
  return (
    <>
      {beside !== null && !other && <Asked state={askedOther} waiting="Reading the other memory" />}
      {own.info === null && section !== "layers" && <p className={s.note}>{SAVED}</p>}
      {(beside === null || other !== null) && (
        <ProvenanceContext value={told}>
          <Section sides={sides} cellId={cellId} />
        </ProvenanceContext>
      )}
      {told && <p className={s.note}>{told}</p>}
    </>
  );
}

/** On one scale where there are two. */
function together(own: Side, other: Side | null): SectionProps["sides"] {
  const [first, second] = onOneScale(other ? [own, other] : [own]);
  return second ? [first!, second] : [first!];
}

const SAVED =
  "These are the facts of the saved example; its vectors and losses are not in this browser. Run all cells, and the figures made from them stand here too.";
