/** @file What needs the stored vectors: how the keys of a layer lie to each other, and maps in two dimensions. */

import { useMemo, useState } from "react";
import { marginGrowthRows, marginRows, similarityCells } from "../../../figures/layers.ts";
import { mapRows } from "../../../figures/reconstruction.ts";
import type { LayerIndex } from "../../../records/ids.ts";
import { useActions, useServices } from "../../app.tsx";
import { Choice } from "../../controls/Choice.tsx";
import { Select } from "../../controls/Select.tsx";
import { Asked } from "../Asked.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { Drawn } from "./Drawn.tsx";
import type { SectionProps } from "./MemorySections.tsx";
import { layersOf } from "./sides.ts";
import s from "../Panel.module.css";

const MATRIX_KEYS = 128;
const MARGINS = 1000;
const MAP_POINTS = { pca: 20_000, umap: 2000 } as const;

/** A choice of one of the memories' layers. */
function useLayer(sides: SectionProps["sides"]) {
  const layers = layersOf(sides);
  const [chosen, setLayer] = useState<LayerIndex | null>(null);
  const layer = chosen !== null && layers.includes(chosen) ? chosen : layers[0]!;
  const control = (
    <div className={s.tools}>
      <Select
        label="Layer"
        value={String(layer)}
        onChange={(value) => {
          setLayer(Number(value) as LayerIndex);
        }}
        options={layers.map((one) => ({ value: String(one), label: `layer ${one}` }))}
      />
    </div>
  );
  return [layer, control] as const;
}

export function GatesSection({ sides, cellId }: SectionProps) {
  const { engine } = useServices();
  const { ensureModel } = useActions();
  const [layer, control] = useLayer(sides);
  const stored = useMemo(() => sides.filter(({ info }) => info !== null), [sides]);
  const geometry = useAsync(
    async () => {
      await ensureModel(cellId);
      return Promise.all(
        stored.map(({ memory }) =>
          engine().geometry({ memory, layer, matrix: MATRIX_KEYS, margins: MARGINS }),
        ),
      );
    },
    [engine, ensureModel, stored, layer],
    { wanted: stored.length > 0 },
  );
  const made = useMemo(() => {
    const each = geometry.value?.map((found, i) => ({ ...found, ...stored[i]! })) ?? [];
    return {
      cells: each.map(({ matrix, source }) => similarityCells(matrix, source)),
      growth: each.map(({ growth, source }) => marginGrowthRows(growth, layer, source)),
      margins: each.map(({ margins, params, source }) => marginRows(margins, layer, params.theta, source)),
    };
  }, [geometry.value]);
  if (stored.length === 0) return null;
  return (
    <>
      {control}
      {geometry.value ? (
        <>
          <div className={stored.length > 1 ? s.panel : s.pair}>
            <Drawn sides={stored} figures={made.cells} />
            <Drawn sides={stored} figures={made.growth} />
          </div>
          <Drawn sides={stored} figures={made.margins} />
        </>
      ) : (
        <Asked state={geometry} waiting="Comparing the keys of the layer" />
      )}
    </>
  );
}

export function MapsSection({ sides, cellId }: SectionProps) {
  const { engine } = useServices();
  const { ensureModel } = useActions();
  const [of, setOf] = useState<"key" | "residual">("residual");
  const [method, setMethod] = useState<"pca" | "umap">("pca");
  const [layer, control] = useLayer(sides);
  const stored = useMemo(() => sides.filter(({ info }) => info !== null), [sides]);
  const maps = useAsync(
    async (signal) => {
      await ensureModel(cellId);
      const request = { of, method, layer: of === "key" ? layer : null, limit: MAP_POINTS[method], seed: 1 };
      return engine().map({ memories: stored.map(({ memory }) => memory), request }, { signal });
    },
    [engine, ensureModel, stored, of, method, layer],
    { wanted: stored.length > 0 },
  );
  const made = useMemo(
    () => maps.value?.map((map, i) => mapRows(map, stored[i]!.source)) ?? [],
    [maps.value],
  );
  if (stored.length === 0) return null;
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
      {stored.length > 1 && (
        <p className={s.note}>Both memories lie in one projection: a place means the same in both maps.</p>
      )}
      {maps.value ? (
        <Drawn sides={stored} figures={made} />
      ) : (
        <Asked state={maps} waiting={method === "umap" ? "Laying the map out" : "Finding the axes"} />
      )}
    </>
  );
}
