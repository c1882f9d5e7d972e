/** @file The figures of a memory by section, alone or next to those of another memory of this browser. */

import { useMemo, useState } from "react";
import { extractionReasons } from "../../figures/extraction.ts";
import { MEMORY_FIGURES, type MemorySection } from "../../figures/registry.ts";
import type { DocumentId, LayerIndex } from "../../records/ids.ts";
import { useActions, useNotebook, useApp, useCanWrite } from "../app.tsx";
import { Ask, Asked } from "../controls/useAsync.tsx";
import { Button, Note, Row, Stack } from "../controls/basics.tsx";
import { Choice, Select } from "../controls/Field.tsx";
import { FactPicking, ProvenanceContext } from "./kit/picture.tsx";
import { sourceText } from "./kit/text.ts";
import { FigureView, Listed } from "./FigureView.tsx";
import {
  layersOf,
  onOneScale,
  useOtherSide,
  useOwnSide,
  type SectionProps,
  type Side,
  useOtherMemories,
  lossesOf,
} from "./sections/sides.ts";
import { toldOf } from "../../lib/format.ts";
import { toast, useLinkedFigure } from "../controls/page.ts";
import { counted } from "../format.ts";

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
  const [beside, setBeside] = useState<string | null>(null);
  return (
    <Stack gap="1.25rem">
      <Row wrap gap="0.5rem 1.5rem" align="end">
        <Choice label="Figures of" value={section} onChange={setSection} options={SECTION_OPTIONS} />
        <Beside beside={beside} onBeside={setBeside} />
      </Row>
      <MemorySections {...props} section={section} beside={beside} />
    </Stack>
  );
}

/** Radix takes no empty value. */
const NOTHING = "none";

function Beside(props: Readonly<{ beside: string | null; onBeside: (id: string | null) => void }>) {
  const { beside, onBeside } = props;
  const others = useOtherMemories();
  const here = useApp(({ memory }) => memory.info?.facts ?? 0);
  const canWrite = useCanWrite();
  const { keepMemory } = useActions();
  const [keeping, setKeeping] = useState(false);
  const keep = async (): Promise<void> => {
    setKeeping(true);
    try {
      const title = await keepMemory();
      toast.said(`A copy of this memory was saved as the notebook “${title}”.`);
    } catch (error) {
      toast.failed(`The memory could not be copied. ${toldOf(error)}`);
    } finally {
      setKeeping(false);
    }
  };
  return (
    <>
      <Select
        label="Compare with"
        value={beside ?? NOTHING}
        disabled={!others || others.length === 0}
        onChange={(id) => onBeside(id === NOTHING ? null : id)}
        options={[
          { value: NOTHING, label: others?.length === 0 ? "this browser has no other" : "this one alone" },
          ...(others ?? []).map(({ id, title, facts, model }) => ({
            value: id,
            label: title,
            note: `${counted(facts, "fact")}, ${model}`,
          })),
        ]}
      />
      {here > 0 && (
        <Button size="s" look="quiet" icon="copy" disabled={!canWrite || keeping} onClick={() => void keep()}>
          Keep a copy to compare with
        </Button>
      )}
    </>
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
  /** The notebook of the memory to compare with; null for none. */
  readonly beside: string | null;
}

export function MemorySections({ section, beside, cellId }: MemorySectionsProps) {
  const { side: own, asked } = useOwnSide();
  const askedOther = useOtherSide(beside);
  const other = askedOther.value;
  const sides = useMemo((): SectionProps["sides"] | null => {
    if (!own) return null;
    return other ? onOneScale(own, other) : [own];
  }, [own, other]);
  if (!own || !sides) return <Asked state={asked} what="Reading the facts" />;
  if (own.facts.length === 0 && !other) return <Note>The memory is empty: there is nothing to draw.</Note>;
  const Section = SECTIONS[section];
  const source = beside === null ? sourceText(own.source) : "";
  return (
    <>
      {beside !== null && !other && <Asked state={askedOther} what="Reading the other memory" />}
      {own.info === null && section !== "layers" && (
        <Note>
          These are the facts of the saved example; its vectors and losses are not in this browser. Run all
          cells to see the figures made from them.
        </Note>
      )}
      {(beside === null || other !== null) && (
        <ProvenanceContext value={source}>
          <Section sides={sides} cellId={cellId} />
        </ProvenanceContext>
      )}
      {source && <Note>{source}</Note>}
    </>
  );
}

function LayersSection({ sides }: SectionProps) {
  return (
    <>
      <Listed sides={sides} section="layers" needs={null} />
      <Listed sides={sides} section="layers" needs="plan" />
    </>
  );
}

function EncodingSection({ sides }: SectionProps) {
  return (
    <>
      <Ask
        ask={({ library }) =>
          Promise.all(sides.map(async (side) => ({ ...side, curves: await lossesOf(library(), side) })))
        }
        inputs={[sides]}
        what="Reading the losses"
      >
        {(read) => <Listed sides={read} section="encoding" needs="curves" />}
      </Ask>
      <Listed sides={sides} section="encoding" needs={null} />
    </>
  );
}

const MOST_TEXTS = 4;

function ExtractionSection({ sides, cellId }: SectionProps) {
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
    </>
  );
}

const ofText = (sides: readonly Side[], text: DocumentId): Side[] =>
  sides.map((side) => ({
    ...side,
    facts: side.facts.filter(({ documentId }) => documentId === text),
    extraction: side.readings.find(({ id }) => id === text) ?? null,
  }));

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

function useLayer(sides: SectionProps["sides"]) {
  const layers = layersOf(sides);
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

const useStored = (sides: SectionProps["sides"]): readonly Side[] =>
  useMemo(() => sides.filter(({ info }) => info !== null), [sides]);

function GatesSection({ sides, cellId }: SectionProps) {
  const { ensureModel } = useActions();
  const [layer, control] = useLayer(sides);
  const stored = useStored(sides);
  return stored.length === 0 ? null : (
    <>
      <Row wrap gap="0.5rem 1.5rem" align="end">
        {control}
      </Row>
      <Ask
        ask={async ({ engine }, signal) => {
          await ensureModel(cellId);
          return Promise.all(
            stored.map(async (side) => {
              const found = await engine().geometry({ memory: side.memory, layer, ...LIMITS }, { signal });
              return { ...side, geometry: { ...found, layer } };
            }),
          );
        }}
        inputs={[ensureModel, stored, layer]}
        what="Comparing the keys of the layer"
      >
        {(found) => <Listed sides={found} section="gates" needs="geometry" />}
      </Ask>
    </>
  );
}

function MapsSection({ sides, cellId }: SectionProps) {
  const { ensureModel } = useActions();
  const linked = useLinkedFigure(cellId);
  const [of, setOf] = useState<"key" | "residual">(linked?.startsWith("map-key") ? "key" : "residual");
  const [method, setMethod] = useState<"pca" | "umap">(linked?.endsWith("umap") ? "umap" : "pca");
  const [layer, control] = useLayer(sides);
  const stored = useStored(sides);
  return stored.length === 0 ? null : (
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
      {stored.length > 1 && (
        <Note>Both maps have the same projection: a position means the same in both.</Note>
      )}
      <Ask
        ask={async ({ engine }, signal) => {
          await ensureModel(cellId);
          const limit = MAP_POINTS[method];
          const request = { of, method, layer: of === "key" ? layer : null, limit, seed: 1 };
          const memories = stored.map(({ memory }) => memory);
          const maps = await engine().map({ memories, request }, { signal });
          return stored.map((side, i) => ({ ...side, maps: maps.slice(i, i + 1) }));
        }}
        inputs={[ensureModel, stored, of, method, layer]}
        what={method === "umap" ? "Laying the map out" : "Finding the axes"}
      >
        {(found) => <Listed sides={found} section="maps" needs="maps" />}
      </Ask>
    </>
  );
}
