/** @file The figures of a memory by section, from its facts, its losses, and what the engine says of its vectors. */

import { useMemo, useState } from "react";
import { anchorsByFacts, filterReasons, proposals } from "../../figures/extraction.ts";
import {
  fidelityByLength,
  firstWrong,
  lossBand,
  lossCurves,
  stepsHistogram,
} from "../../figures/encoding.ts";
import type { Source } from "../../figures/figure.ts";
import { deltaNorms, factsPerLayer, layerProbe, marginGrowthRows, marginRows, roundRobin, similarityCells } from "../../figures/layers.ts"; // prettier-ignore
import { mapRows } from "../../figures/reconstruction.ts";
import type { LayerIndex } from "../../records/ids.ts";
import type { FactRow } from "../../records/notebook.ts";
import type { MemoryInfo } from "../../rpc/protocol.ts";
import { useActions, useApp, useNotebook, useServices } from "../app.tsx";
import { Choice } from "../controls/Choice.tsx";
import { Select } from "../controls/Select.tsx";
import { Asked } from "./Asked.tsx";
import { FigureView } from "./FigureView.tsx";
import { MapFigure } from "./MapFigure.tsx";
import type { MemoryFiguresProps, MemorySection } from "./MemoryFigures.tsx";
import { StripFigure } from "./StripFigure.tsx";
import { anchorOrders, keyNames, memorySource, spreadFacts } from "./memoryRows.ts";
import { useAsked } from "./useAsked.ts";
import s from "./Panel.module.css";

/** Facts whose loss curves are read: a band over more says no more. */
const CURVES = 400;
const SHOWN_CURVES = 12;
const MARKS = 4000;
const MATRIX_KEYS = 128;
const MARGINS = 1000;
const MAP_POINTS = { pca: 20_000, umap: 2000 } as const;

interface Known extends MemoryFiguresProps {
  readonly facts: readonly FactRow[];
  readonly info: MemoryInfo;
  readonly source: Source;
}

export function MemorySections({
  section,
  ...props
}: MemoryFiguresProps & { readonly section: MemorySection }) {
  const facts = useApp(({ memory }) => memory.facts);
  const info = useApp(({ memory }) => memory.info);
  const { loadFacts } = useActions();
  const asked = useAsked(() => loadFacts(), [loadFacts, facts === null], facts === null);
  if (!facts || !info) return <Asked state={asked} waiting="Reading the facts" />;
  if (facts.length === 0) return <p className={s.note}>The memory is empty: there is nothing to draw.</p>;
  const known = { ...props, facts, info, source: memorySource(info, props.stamp ?? null) };
  switch (section) {
    case "extraction":
      return <Extraction {...known} />;
    case "layers":
      return <Layers {...known} />;
    case "encoding":
      return <Encoding {...known} />;
    case "gates":
      return <Gates {...known} />;
    case "maps":
      return <Maps {...known} />;
    default:
      return section satisfies never;
  }
}

function Extraction({ facts, info, source, cellId }: Known) {
  const notebook = useNotebook();
  const { engine } = useServices();
  const { ensureModel } = useActions();
  const kept = notebook.cells
    .flatMap((cell) => (cell.kind === "source" ? cell.input.documents : []))
    .find((document) => document.kept && info.sources.some(({ id }) => id === document.id));
  const [asking, setAsking] = useState(false);
  const trace = useAsked(
    async (signal) => {
      await ensureModel(cellId);
      return engine().extraction({ document: kept!.id, params: info.params }, { signal });
    },
    [engine, ensureModel, kept?.id, asking],
    asking && kept !== undefined,
  );
  return (
    <>
      {trace.value ? (
        <>
          <StripFigure input={trace.value} trace={trace.value} source={source} />
          <div className={s.pair}>
            <FigureView figure={filterReasons(trace.value.sentences, source)} />
            <FigureView figure={proposals(trace.value.anchors, source)} />
          </div>
        </>
      ) : kept ? (
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
      ) : (
        <p className={s.note}>
          The strip, and what the filter kept and dropped, need the text, and the text is forgotten.
        </p>
      )}
      <FigureView figure={anchorsByFacts(facts, source)} />
    </>
  );
}

function Layers({ facts, info, plan, source }: Known) {
  const { layers, params } = info;
  const placed = useMemo(() => {
    const orders = anchorOrders(facts);
    return facts.map((fact) => ({ ...fact, anchorOrder: orders.get(fact.anchor)! }));
  }, [facts]);
  return (
    <>
      <div className={s.pair}>
        <FigureView figure={factsPerLayer(facts, layers, params.capacity, source)} />
        <FigureView figure={deltaNorms(facts, source)} />
      </div>
      <FigureView figure={roundRobin(placed, layers, MARKS, source)} />
      {plan && <FigureView figure={layerProbe(plan, source)} />}
    </>
  );
}

function Encoding({ memory, cellId, facts, info, source }: Known) {
  const { library, engine } = useServices();
  const { ensureModel } = useActions();
  const chosen = useMemo(() => spreadFacts(facts, CURVES), [facts]);
  const losses = useAsked(
    () => library().curves({ memory, ids: chosen.map(({ id }) => id) }),
    [library, memory, chosen],
  );
  const curves = useMemo(
    () => losses.value?.map((one, i) => ({ key: keyNames(chosen[i]!), losses: one })) ?? null,
    [losses.value, chosen],
  );
  const inexact = useMemo(() => facts.filter(({ exact }) => !exact).slice(0, 40), [facts]);
  const [asking, setAsking] = useState(false);
  const pairs = useAsked(
    async () => {
      await ensureModel(cellId);
      return engine().tokenPairs({ memory, ids: inexact.map(({ id }) => id) });
    },
    [engine, ensureModel, memory, inexact, asking],
    asking,
  );
  const longest = curves?.toSorted((a, b) => b.losses.length - a.losses.length);
  return (
    <>
      {curves && longest ? (
        <>
          <FigureView figure={lossBand(curves, info.params.steps, source)} />
          <FigureView figure={lossCurves(longest, info.params.steps, SHOWN_CURVES, source)} />
        </>
      ) : (
        <Asked state={losses} waiting="Reading the losses" />
      )}
      <div className={s.pair}>
        <FigureView figure={stepsHistogram(facts, 20, source)} />
        <FigureView figure={fidelityByLength(facts, source)} />
      </div>
      {pairs.value ? (
        <FigureView figure={firstWrong(pairs.value, source)} />
      ) : inexact.length > 0 ? (
        <Asked
          state={pairs}
          waiting="Taking the inexact facts apart into tokens"
          start={{
            label: "Show where inexact facts go wrong",
            note: "Needs the model’s tokens.",
            go: () => {
              setAsking(true);
            },
          }}
        />
      ) : (
        <p className={s.note}>Every fact is exact: none goes wrong anywhere.</p>
      )}
    </>
  );
}

/** A choice of one of the memory's layers. */
function useLayer(info: MemoryInfo) {
  const [layer, setLayer] = useState<LayerIndex>(info.layers[0]!);
  const control = (
    <div className={s.tools}>
      <Select
        label="Layer"
        value={String(layer)}
        onChange={(value) => {
          setLayer(Number(value) as LayerIndex);
        }}
        options={info.layers.map((one) => ({ value: String(one), label: `layer ${one}` }))}
      />
    </div>
  );
  return [layer, control] as const;
}

function Gates({ memory, cellId, info, source }: Known) {
  const { engine } = useServices();
  const { ensureModel } = useActions();
  const [layer, control] = useLayer(info);
  const geometry = useAsked(async () => {
    await ensureModel(cellId);
    return engine().geometry({ memory, layer, matrix: MATRIX_KEYS, margins: MARGINS });
  }, [engine, ensureModel, memory, layer]);
  return (
    <>
      {control}
      {geometry.value ? (
        <>
          <div className={s.pair}>
            <FigureView figure={similarityCells(geometry.value.matrix, source)} />
            <FigureView figure={marginGrowthRows(geometry.value.growth, layer, source)} />
          </div>
          <FigureView figure={marginRows(geometry.value.margins, layer, info.params.theta, source)} />
        </>
      ) : (
        <Asked state={geometry} waiting="Comparing the keys of the layer" />
      )}
    </>
  );
}

function Maps({ memory, cellId, info, source }: Known) {
  const { engine } = useServices();
  const { ensureModel, inspect } = useActions();
  const [of, setOf] = useState<"key" | "residual">("residual");
  const [method, setMethod] = useState<"pca" | "umap">("pca");
  const [layer, control] = useLayer(info);
  const map = useAsked(
    async (signal) => {
      await ensureModel(cellId);
      const request = { of, method, layer: of === "key" ? layer : null, limit: MAP_POINTS[method], seed: 1 };
      return engine().map({ memory, request }, { signal });
    },
    [engine, ensureModel, memory, of, method, layer],
  );
  return (
    <>
      <div className={s.tools}>
        <Choice
          label="Map of"
          value={of}
          onChange={setOf}
          options={[
            { value: "residual", label: "residuals δ" },
            { value: "key", label: "keys" },
          ]}
        />
        <Choice
          label="Method"
          value={method}
          onChange={setMethod}
          options={[
            { value: "pca", label: "PCA" },
            { value: "umap", label: "UMAP" },
          ]}
        />
        {of === "key" && control}
      </div>
      {map.value ? (
        <MapFigure
          figure={mapRows(map.value, source)}
          onPick={(id) => {
            inspect({ kind: "fact", id: id as FactRow["id"] });
          }}
        />
      ) : (
        <Asked state={map} waiting={method === "umap" ? "Laying the map out" : "Finding the axes"} />
      )}
    </>
  );
}
