/** @file The figures of a memory by section, alone or next to those of another memory of this browser. */

import { useMemo } from "react";
import { curvesOf, type Curve } from "../../../figures/encoding.ts";
import type { MemorySection } from "../../../figures/registry.ts";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import { useServices } from "../../app.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { Asked } from "../../controls/Asked.tsx";
import { ProvenanceContext } from "../kit/context.ts";
import { sourceText } from "../kit/text.ts";
import { ExtractionSection } from "./ExtractionSection.tsx";
import { Listed } from "./Listed.tsx";
import { spreadFacts } from "./memoryRows.ts";
import { onOneScale, useOtherSide, useOwnSide, type SectionProps, type Side } from "./sides.ts";
import { GatesSection, MapsSection } from "./VectorSections.tsx";
import { Text } from "../../controls/layout.tsx";

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
}: Pick<SectionProps, "cellId"> & {
  readonly section: MemorySection;
  /** The notebook of the memory to compare with; null for none. */
  readonly beside: string | null;
}) {
  const { side: own, asked } = useOwnSide();
  const askedOther = useOtherSide(beside);
  const other = askedOther.value;
  const sides = useMemo((): SectionProps["sides"] | null => {
    if (!own) return null;
    return other ? onOneScale(own, other) : [own];
  }, [own, other]);
  if (!own || !sides) return <Asked state={asked} what="Reading the facts" />;
  if (own.facts.length === 0 && !other)
    return (
      <Text as="p" tone="soft" size="s">
        The memory is empty: there is nothing to draw.
      </Text>
    );
  const Section = SECTIONS[section];
  const source = beside === null ? sourceText(own.source) : "";
  return (
    <>
      {beside !== null && !other && <Asked state={askedOther} what="Reading the other memory" />}
      {own.info === null && section !== "layers" && (
        <Text as="p" tone="soft" size="s">
          {SAVED}
        </Text>
      )}
      {(beside === null || other !== null) && (
        <ProvenanceContext value={source}>
          <Section sides={sides} cellId={cellId} />
        </ProvenanceContext>
      )}
      {source && (
        <Text as="p" tone="soft" size="s">
          {source}
        </Text>
      )}
    </>
  );
}

const SAVED =
  "These are the facts of the saved example; its vectors and losses are not in this browser. Run all cells to see the figures made from them.";

function LayersSection({ sides }: SectionProps) {
  return (
    <>
      <Listed sides={sides} section="layers" needs={null} />
      <Listed sides={sides} section="layers" needs="plan" />
    </>
  );
}

const CURVES = 400;

function EncodingSection({ sides }: SectionProps) {
  const { library } = useServices();
  const losses = useAsync(
    () => Promise.all(sides.map(async (side) => ({ ...side, curves: await lossesOf(library(), side) }))),
    [library, sides],
  );
  return (
    <>
      <Asked state={losses} what="Reading the losses">
        {(read) => <Listed sides={read} section="encoding" needs="curves" />}
      </Asked>
      <Listed sides={sides} section="encoding" needs={null} />
    </>
  );
}

/** Losses of facts that are spread over a memory; null if they are not in this browser. */
async function lossesOf(library: LibraryService, { memory, info, facts }: Side): Promise<Curve[] | null> {
  if (info === null) return null;
  const chosen = spreadFacts(facts, CURVES);
  return curvesOf(chosen, await library.curves({ memory, ids: chosen.map(({ id }) => id) }));
}
