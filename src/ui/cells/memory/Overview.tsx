/** @file What the memory holds, in one line: how many facts, how well they are recalled, and at which layers. */

import { keptText, meanFidelityText } from "../../facts/words.ts";
import { bytes, count, counted, percent } from "../../format.ts";
import { layerColor } from "../../charts/kit/colors.ts";
import { Row, Text, Note } from "../../controls/layout.tsx";
import { useApp, useNotebook, useServices } from "../../app.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { groupBy } from "../../../lib/group.ts";
import { vectorsOf } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";
import s from "./Overview.module.css";

const TALLEST = 26;

export function Overview({
  overview: { facts, vectors, exact, fidelity, layers },
  chosen,
  onLayer,
}: {
  readonly overview: ReturnType<typeof overview>;
  readonly chosen: ReadonlySet<number>;
  readonly onLayer: (layer: number) => void;
}) {
  const most = Math.max(1, ...layers.map((layer) => layer.facts));
  return (
    <Row wrap align="end" gap="0.5rem 1.5rem" justify="between">
      <Text as="p" tone="soft">
        <Digits>{count(facts)}</Digits> {facts === 1 ? "fact" : "facts"}
        {vectors > facts && (
          <>
            {" "}
            in <Digits>{count(vectors)}</Digits> vectors
          </>
        )}
        <span className={s.dot} aria-hidden="true" />
        <Digits>{facts === 0 ? "–" : percent(exact / facts)}</Digits> exact
        <span className={s.dot} aria-hidden="true" />
        mean fidelity <Digits>{meanFidelityText(fidelity, exact, facts)}</Digits>
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
                style={{ height, color: layerColor(layer) }}
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

const Digits = ({ children }: { readonly children: string }) => (
  <Text tone="ink" font="mono" numeric>
    {children}
  </Text>
);

export function StorageLine() {
  const { library } = useServices();
  const info = useApp(({ memory }) => memory.info);
  const storage = useApp((state) => state.storage);
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
  return <Note>{capital(parts.join("; "))}.</Note>;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "43 facts"; "43 facts in 170 vectors" where values are stored in parts. */
export function storedText(rows: readonly FactRow[]): string {
  const vectors = rows.reduce((sum, row) => sum + vectorsOf(row), 0);
  const facts = counted(rows.length, "fact");
  return vectors > rows.length ? `${facts} in ${counted(vectors, "vector")}` : facts;
}

/** `vectors`: more than facts if a value is stored in parts. `fidelity`: mean token F1; null without facts. */
export function overview(rows: readonly FactRow[]) {
  const sum = (of: (row: FactRow) => number, list = rows): number =>
    list.reduce((total, row) => total + of(row), 0);
  const exact = (row: FactRow): number => Number(row.exact);
  return {
    facts: rows.length,
    vectors: sum(vectorsOf),
    exact: sum(exact),
    fidelity: rows.length === 0 ? null : sum(({ fidelity }) => fidelity) / rows.length,
    layers: [...groupBy(rows, ({ layer }) => layer)]
      .sort(([a], [b]) => a - b)
      .map(([layer, here]) => ({ layer, facts: here.length, exact: sum(exact, here) })),
  };
}
