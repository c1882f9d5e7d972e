/** @file The figures of a memory by section. */

import { useMemo, useState } from "react";
import { extractionReasons } from "../../figures/extraction.ts";
import { MEMORY_FIGURES, type MemorySection } from "../../figures/registry.ts";
import type { LayerIndex } from "../../records/ids.ts";
import { useActions, useNotebook } from "../app.tsx";
import { Ask, Asked } from "../controls/useAsync.tsx";
import { Button, Note, Row, Stack } from "../controls/basics.tsx";
import { Choice, Select } from "../controls/Field.tsx";
import { FactPicking, ProvenanceContext } from "./kit/picture.tsx";
import { sourceText } from "./kit/text.ts";
import { FigureView, Listed } from "./FigureView.tsx";
import { lossesOf, type SectionProps, type Side, useOwnSide } from "./sections/sides.ts";
import { useLinkedFigure } from "../controls/page.ts";

const SECTION_OPTIONS: Readonly<Record<MemorySection, string>> = {
  extraction: "Extraction",
  layers: "Layers",
  encoding: "Encoding",
  gates: "Gates",
  maps: "Maps",
};

/** @param figure id of the figure whose section is shown first */
export function MemoryPanel(props: Pick<SectionProps, "cellId"> & { readonly figure: string | null }) {
  const [section, setSection] = useState<MemorySection>(
    // The id of a map names its vectors and method after its kind.
    () => MEMORY_FIGURES.find(({ kind }) => props.figure?.startsWith(kind))?.section ?? "layers",
  );
  return (
    <Stack gap="1.25rem">
      <Choice label="Figures of" value={section} onChange={setSection} options={SECTION_OPTIONS} />
      <MemorySections {...props} section={section} />
    </Stack>
  );
}

const SECTIONS = {
  extraction: ExtractionSection,
  layers: LayersSection,
  encoding: EncodingSection,
  gates: GatesSection,
  maps: MapsSection,
} as const;

interface MemorySectionsProps extends Pick<SectionProps, "cellId"> {
  readonly section: MemorySection;
}

export function MemorySections({ section, cellId }: MemorySectionsProps) {
  const { side, asked } = useOwnSide();
  if (!side) return <Asked state={asked} what="Reading the facts" />;
  if (side.facts.length === 0) return <Note>The memory is empty: there is nothing to draw.</Note>;
  const Section = SECTIONS[section];
  const source = sourceText(side.source);
  return (
    <>
      {side.info === null && section !== "layers" && (
        <Note>
          These are the facts of the saved example; its vectors and losses are not in this browser. Run all
          cells to see the figures made from them.
        </Note>
      )}
      <ProvenanceContext value={source}>
        <Section side={side} cellId={cellId} />
      </ProvenanceContext>
      <Note>{source}</Note>
    </>
  );
}

function LayersSection({ side }: SectionProps) {
  return (
    <>
      <Listed data={side} section="layers" needs={null} />
      <Listed data={side} section="layers" needs="plan" />
    </>
  );
}

function EncodingSection({ side }: SectionProps) {
  return (
    <>
      <Ask
        ask={async ({ library }) => ({ ...side, curves: await lossesOf(library(), side) })}
        inputs={[side]}
        what="Reading the losses"
      >
        {(read) => <Listed data={read} section="encoding" needs="curves" />}
      </Ask>
      <Listed data={side} section="encoding" needs={null} />
    </>
  );
}

const MOST_TEXTS = 4;

function ExtractionSection({ side, cellId }: SectionProps) {
  const readings = useMemo(
    () =>
      side.readings.slice(0, MOST_TEXTS).map((extraction) => ({
        ...side,
        facts: side.facts.filter(({ documentId }) => documentId === extraction.id),
        extraction,
      })),
    [side],
  );
  return (
    <>
      {readings.map((read) => (
        <Listed key={read.extraction.id} data={read} section="extraction" needs="extraction" />
      ))}
      {side.info && <KeptText side={side} info={side.info} cellId={cellId} />}
    </>
  );
}

function KeptText({
  side,
  info: { sources, params },
  cellId,
}: Pick<SectionProps, "cellId"> & { readonly side: Side; readonly info: NonNullable<Side["info"]> }) {
  const notebook = useNotebook();
  const { ensureModel } = useActions();
  const kept = notebook.cells
    .flatMap((cell) => (cell.kind === "source" ? cell.input.documents : []))
    .find((document) => document.kept && sources.some(({ id }) => id === document.id));
  const [asking, setAsking] = useState(false);
  const document = kept?.id;
  const facts = useMemo(
    () => side.facts.filter(({ documentId }) => documentId === document),
    [side.facts, document],
  );
  if (!document) return <Note>Decisions with samples need the text, which was deleted.</Note>;
  if (!asking)
    return (
      <Row wrap gap="0.5rem 1.5rem" align="center">
        <Button label="Show samples of the decisions" onClick={() => setAsking(true)} />
        <Note as="span">Reads “{kept.title}” again with the model; nothing is stored.</Note>
      </Row>
    );
  return (
    <Ask
      ask={async ({ engine }, signal) => {
        await ensureModel(cellId);
        return engine().extraction({ document, params }, { signal });
      }}
      inputs={[ensureModel, cellId, document, params]}
      what="Reading the text again, sentence by sentence"
    >
      {(trace) => (
        <FactPicking facts={facts}>
          <FigureView figure={extractionReasons(trace, side.source)} />
        </FactPicking>
      )}
    </Ask>
  );
}

const LIMITS = { matrix: 70, margins: 1000 };
const MAP_POINTS = { pca: 5000, umap: 2000 } as const;

function useLayer(side: Side) {
  const layers = side.layers.toSorted((a, b) => a - b);
  const [chosen, setLayer] = useState<LayerIndex | null>(null);
  const layer = chosen !== null && layers.includes(chosen) ? chosen : layers[0]!;
  const control = (
    <Select
      label="Layer"
      value={String(layer)}
      onChange={(value) => setLayer(Number(value) as LayerIndex)}
      options={layers.map((one) => ({ value: String(one), label: `layer ${one}` }))}
    />
  );
  return [layer, control] as const;
}

function GatesSection({ side, cellId }: SectionProps) {
  const { ensureModel } = useActions();
  const [layer, control] = useLayer(side);
  return side.info === null ? null : (
    <>
      <Row wrap gap="0.5rem 1.5rem" align="end">
        {control}
      </Row>
      <Ask
        ask={async ({ engine }, signal) => {
          await ensureModel(cellId);
          const found = await engine().geometry({ memory: side.memory, layer, ...LIMITS }, { signal });
          return { ...side, geometry: { ...found, layer } };
        }}
        inputs={[ensureModel, side, layer]}
        what="Comparing the keys of the layer"
      >
        {(found) => <Listed data={found} section="gates" needs="geometry" />}
      </Ask>
    </>
  );
}

function MapsSection({ side, cellId }: SectionProps) {
  const { ensureModel } = useActions();
  const linked = useLinkedFigure(cellId);
  const [of, setOf] = useState<"key" | "residual">(linked?.startsWith("map-key") ? "key" : "residual");
  const [method, setMethod] = useState<"pca" | "umap">(linked?.endsWith("umap") ? "umap" : "pca");
  const [layer, control] = useLayer(side);
  return side.info === null ? null : (
    <>
      <Row wrap gap="0.5rem 1.5rem" align="end">
        <Choice
          label="Map of"
          value={of}
          onChange={setOf}
          options={{ residual: "residuals δ", key: "keys" }}
        />
        <Choice label="Method" value={method} onChange={setMethod} options={{ pca: "PCA", umap: "UMAP" }} />
        {of === "key" && control}
      </Row>
      <Ask
        ask={async ({ engine }, signal) => {
          await ensureModel(cellId);
          const limit = MAP_POINTS[method];
          const request = { of, method, layer: of === "key" ? layer : null, limit, seed: 1 };
          return { ...side, map: await engine().map({ memory: side.memory, request }, { signal }) };
        }}
        inputs={[ensureModel, side, of, method, layer]}
        what={method === "umap" ? "Laying the map out" : "Finding the axes"}
      >
        {(found) => <Listed data={found} section="maps" needs="map" />}
      </Ask>
    </>
  );
}
