/** @file Figures that need the stored vectors: similarities of the keys of a layer, and maps in two dimensions. */

import { useMemo, useState } from "react";
import type { LayerIndex } from "../../../records/ids.ts";
import { useActions, useServices } from "../../app.tsx";
import { Choice } from "../../controls/Choice.tsx";
import { Select } from "../../controls/Select.tsx";
import { Asked } from "../../controls/Asked.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { Listed } from "./Listed.tsx";
import { layersOf, type SectionProps } from "./sides.ts";
import { Row, Text } from "../../controls/layout.tsx";

const MATRIX_KEYS = 70;
const MARGINS = 1000;
const MAP_POINTS = { pca: 5000, umap: 2000 } as const;

function useLayer(sides: SectionProps["sides"]) {
  const layers = layersOf(sides);
  const [chosen, setLayer] = useState<LayerIndex | null>(null);
  const layer = chosen !== null && layers.includes(chosen) ? chosen : layers[0]!;
  const control = (
    <Row wrap gap="0.5rem 1.5rem" align="end">
      <Select
        label="Layer"
        value={String(layer)}
        onChange={(value) => setLayer(Number(value) as LayerIndex)}
        options={layers.map((one) => ({ value: String(one), label: `layer ${one}` }))}
      />
    </Row>
  );
  return [layer, control] as const;
}

export function GatesSection({ sides, cellId }: SectionProps) {
  const { engine } = useServices();
  const { ensureModel } = useActions();
  const [layer, control] = useLayer(sides);
  const stored = useMemo(() => sides.filter(({ info }) => info !== null), [sides]);
  const seen = useAsync(
    async (signal) => {
      await ensureModel(cellId);
      const limits = { layer, matrix: MATRIX_KEYS, margins: MARGINS };
      return Promise.all(
        stored.map(async (side) => {
          const found = await engine().geometry({ memory: side.memory, ...limits }, { signal });
          return { ...side, geometry: { ...found, layer } };
        }),
      );
    },
    [engine, ensureModel, stored, layer],
    { wanted: stored.length > 0 },
  );
  if (stored.length === 0) return null;
  return (
    <>
      {control}
      <Asked state={seen} what="Comparing the keys of the layer">
        {(found) => <Listed sides={found} section="gates" needs="geometry" />}
      </Asked>
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
  const seen = useAsync(
    async (signal) => {
      await ensureModel(cellId);
      const request = { of, method, layer: of === "key" ? layer : null, limit: MAP_POINTS[method], seed: 1 };
      const maps = await engine().map({ memories: stored.map(({ memory }) => memory), request }, { signal });
      return stored.map((side, i) => ({ ...side, maps: maps.slice(i, i + 1) }));
    },
    [engine, ensureModel, stored, of, method, layer],
    { wanted: stored.length > 0 },
  );
  if (stored.length === 0) return null;
  return (
    <>
      <Row wrap gap="0.5rem 1.5rem" align="end">
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
      </Row>
      {stored.length > 1 && (
        <Text as="p" tone="soft" size="s">
          Both maps have the same projection: a position means the same in both.
        </Text>
      )}
      <Asked state={seen} what={method === "umap" ? "Laying the map out" : "Finding the axes"}>
        {(found) => <Listed sides={found} section="maps" needs="maps" />}
      </Asked>
    </>
  );
}
