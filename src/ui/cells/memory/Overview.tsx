/** @file What the memory holds, in one line: how many facts, how well they are recalled, and at which layers. */

import { layerIndex } from "../../../records/ids.ts";
import { keptText, meanFidelityText } from "../../facts/words.ts";
import { bytes, count, counted, percent } from "../../format.ts";
import { layerColor } from "../../layerColor.ts";
import { Row, Text } from "../../controls/layout.tsx";
import type { MemoryHead } from "../../../records/memory.ts";
import type { StorageState } from "../../../service/library/libraryService.ts";
import { useNotebook, useServices } from "../../app.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { vectorsOf } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";
import s from "./Overview.module.css";

const TALLEST = 26;

export function Overview({
  overview: { facts, vectors, exact, fidelity, layers },
  chosen,
  onLayer,
}: {
  readonly overview: MemoryOverview;
  readonly chosen: ReadonlySet<number>;
  readonly onLayer: (layer: number) => void;
}) {
  const most = Math.max(1, ...layers.map((layer) => layer.facts));
  return (
    <Row wrap align="end" gap="0.5rem 1.5rem" justify="between">
      <Text as="p" tone="soft">
        <Text tone="ink" font="mono" numeric>
          {count(facts)}
        </Text>{" "}
        {facts === 1 ? "fact" : "facts"}
        {vectors > facts && (
          <>
            {" "}
            in{" "}
            <Text tone="ink" font="mono" numeric>
              {count(vectors)}
            </Text>{" "}
            {vectors === 1 ? "vector" : "vectors"}
          </>
        )}
        <span className={s.dot} aria-hidden="true" />
        <Text tone="ink" font="mono" numeric>
          {facts === 0 ? "–" : percent(exact / facts)}
        </Text>{" "}
        exact
        <span className={s.dot} aria-hidden="true" />
        mean fidelity{" "}
        <Text tone="ink" font="mono" numeric>
          {meanFidelityText(fidelity, exact, facts)}
        </Text>
      </Text>
      <Row
        align="end"
        gap="1px"
        role="group"
        aria-label="Facts by layer; press a layer to see its facts alone"
      >
        {layers.map(({ layer, facts: here, exact: well }) => {
          const height = Math.max(2, (here / most) * TALLEST);
          const words = `Layer ${layer}: ${counted(here, "fact")}, ${count(well)} exact`;
          return (
            <button
              key={layer}
              type="button"
              className={s.layer}
              aria-pressed={chosen.has(layer)}
              aria-label={words}
              title={words}
              onClick={() => onLayer(layer)}
            >
              <Row
                as="span"
                align="end"
                className={s.bar}
                style={{ height, color: layerColor(layerIndex(layer)) }}
                aria-hidden="true"
              >
                {/* Inexact facts are the hollow part of the bar. */}
                <span className={s.solid} style={{ height: (height * well) / here }} />
              </Row>
              <Text font="mono" style={{ fontSize: "0.6875rem", lineHeight: 1 }}>
                {layer}
              </Text>
            </button>
          );
        })}
      </Row>
    </Row>
  );
}

export function StorageLine({
  info,
  storage,
}: {
  readonly info: MemoryHead | null;
  readonly storage: StorageState | null;
}) {
  const { library } = useServices();
  const memory = useNotebook().id;
  const ask = () => library().memoryBytes({ memory });
  const kept = useAsync(ask, [library, memory, info], { wanted: info !== null, keep: true }).value;
  const parts = [
    kept && kept.perFact > 0 && keptText(kept),
    storage?.usage != null &&
      `this browser keeps ${bytes(storage.usage)} for Palimpsest${
        storage.quota === null ? "" : `, of ${bytes(storage.quota)} at most`
      }`,
    storage && !storage.persisted && "it may clear all that when space runs short",
  ].filter((part) => typeof part === "string");
  if (parts.length === 0) return null;
  return (
    <Text as="p" tone="soft" size="s">
      {capital(parts.join("; "))}.
    </Text>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface LayerCount {
  readonly layer: number;
  readonly facts: number;
  readonly exact: number;
}

interface MemoryOverview {
  readonly facts: number;
  /** Those that hold the facts: more than facts where a value is stored in parts. */
  readonly vectors: number;
  readonly exact: number;
  /** Mean token F1; null without facts. */
  readonly fidelity: number | null;
  readonly layers: readonly LayerCount[];
}

/** "43 facts"; "43 facts in 170 vectors" where values are stored in parts. */
export function storedText(rows: readonly FactRow[]): string {
  const vectors = rows.reduce((sum, row) => sum + vectorsOf(row), 0);
  const facts = counted(rows.length, "fact");
  return vectors > rows.length ? `${facts} in ${counted(vectors, "vector")}` : facts;
}

export function overview(rows: readonly FactRow[]): MemoryOverview {
  const layers = new Map<number, { facts: number; exact: number }>();
  let [vectors, exact, fidelity] = [0, 0, 0];
  for (const row of rows) {
    const count = layers.get(row.layer) ?? { facts: 0, exact: 0 };
    layers.set(row.layer, { facts: count.facts + 1, exact: count.exact + Number(row.exact) });
    vectors += vectorsOf(row);
    exact += Number(row.exact);
    fidelity += row.fidelity;
  }
  return {
    facts: rows.length,
    vectors,
    exact,
    fidelity: rows.length === 0 ? null : fidelity / rows.length,
    layers: [...layers].sort(([a], [b]) => a - b).map(([layer, count]) => ({ layer, ...count })),
  };
}
