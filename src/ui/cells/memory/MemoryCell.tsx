/** @file The memory cell: every fact of the memory, how well it is recalled, and everything one can do with it. */

import { useEffect, useMemo, useState, type ReactNode } from "react";
import { keyText } from "../../../records/fact.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow, PartRow, StoreCell as Cell } from "../../../records/notebook.ts";
import {
  useActions,
  useApp,
  useCanWrite,
  useRun,
  type CellProps,
  useFactRows,
  useNotebook,
  useServices,
} from "../../app.tsx";
import { MemoryFigures } from "../../charts/lazyFigures.tsx";
import { Stack, Text, Row, Note } from "../../controls/basics.tsx";
import { Progress, useAsync, Failed, lazily } from "../../controls/useAsync.tsx";
import { toast } from "../../controls/page.ts";
import {
  Fidelity,
  compareBy,
  factColumns,
  inSourceOrder,
  type CellContext,
  type ColumnId,
} from "../../facts/factColumns.tsx";
import { KeptWords } from "../../facts/notices.tsx";
import { LayerChip, ReadBack, useAllSaid } from "../../facts/Recalled.tsx";
import { ASKING_SOFT, partKey, keptText, meanFidelityText } from "../../facts/words.ts";
import { count, counted, bytes, percent } from "../../format.ts";
import { arranged, type Column, type Parts, FirstOf, Table, toggled } from "../../table/Table.tsx";
import { Grid, type GridProps } from "../../table/Grid.tsx";
import type { Certificates } from "./CertificateView.tsx";
import { FilterBar, useFacts } from "./FilterBar.tsx";
import { MemoryMenu, SelectionBar } from "./SelectionBar.tsx";
import { layerColor } from "../../charts/kit/scale.ts";
import { groupBy } from "../../../lib/group.ts";
import { vectorsOf } from "../../../records/factRow.ts";
import s from "./MemoryCell.module.css";
import o from "./Overview.module.css";

const CertificateView = lazily(async () => (await import("./CertificateView.tsx")).CertificateView, "12rem");

export function MemoryCell({ cell }: CellProps<"store">) {
  const rows = useRowsInOrder();
  const some = rows !== null && rows.length > 0;
  return (
    <Stack gap={3}>
      <Read cell={cell} rows={rows} />
      <Reencoding cell={cell} />
      {some && <MemoryFigures cellId={cell.id} />}
      <KeptCertificates cell={cell} />
      <KeptWords cell={cell} what="Certificates and changes" />
      {some && <StorageLine />}
    </Stack>
  );
}

function KeptCertificates({ cell }: CellProps<"store">) {
  const { id, output } = cell;
  const { setOutput, copyCell } = useActions();
  const canWrite = useCanWrite();
  const certificates = output?.certificates ?? [];
  const change = (next: (now: Certificates) => Certificates): void =>
    setOutput(id, "store", ({ output: now }) => now && { ...now, certificates: next(now.certificates) });
  const remove = (at: string): void => {
    const takeCopy = copyCell(cell);
    change((now) => now.filter(({ stamp }) => stamp.at !== at));
    const undo = (): void => {
      const gone = takeCopy()?.output?.certificates.filter(({ stamp }) => stamp.at === at) ?? [];
      change((now) => [...now, ...gone].sort((a, b) => b.stamp.at.localeCompare(a.stamp.at)));
    };
    toast.undoable("The certificate was taken off.", undo, takeCopy);
  };
  return certificates.length === 0 ? null : (
    <section aria-label="Deletion certificates">
      <FirstOf items={certificates} first={1} more="earlier certificate">
        {(shown) =>
          shown.map((stamped) => (
            <CertificateView
              key={stamped.stamp.at}
              stamped={stamped}
              onRemove={canWrite ? () => remove(stamped.stamp.at) : undefined}
            />
          ))
        }
      </FirstOf>
    </section>
  );
}

function useRowsInOrder(): readonly FactRow[] | null {
  const { refreshStorage } = useActions();
  const facts = useFactRows();
  const leaving = useApp(({ memory }) => memory.leaving);
  useEffect(() => void refreshStorage(), [refreshStorage]);
  const ordered = useMemo(() => facts && inSourceOrder(facts), [facts]);
  return useMemo(() => ordered?.filter(({ id }) => !leaving.has(id)) ?? null, [ordered, leaving]);
}

function Read({ cell, rows }: { readonly cell: Cell; readonly rows: readonly FactRow[] | null }) {
  const { refreshMemory } = useActions();
  const problem = useApp(({ memory }) => memory.problem);
  if (problem)
    return (
      <Failed
        title="The facts could not be read."
        message={problem.message}
        onAgain={() => void refreshMemory()}
      />
    );
  if (rows) return <Facts cell={cell} rows={rows} />;
  return (
    <div style={{ minHeight: "14rem" }}>
      <Progress label="Reading the facts" />
    </div>
  );
}

function Facts({ cell, rows }: { readonly cell: Cell; readonly rows: readonly FactRow[] }) {
  const facts = useFacts(cell, rows);
  const { filters, shown, documents, visible, selection, onSort, onSelection } = facts;
  const layers = new Set(filters.layers);
  const numbers = useMemo(() => overview(rows), [rows]);
  const now = useNow();
  const menu = <MemoryMenu facts={facts} />;
  if (rows.length === 0) return <Empty>{menu}</Empty>;
  return (
    <>
      <Overview
        overview={numbers}
        chosen={layers}
        onLayer={(layer) => facts.onFilters({ layers: [...toggled(layers, layer)] })}
      />
      <FilterBar facts={facts} />
      <Row wrap gap="0 0.75rem">
        <ReadBack rows={rows} />
        {facts.view.sort?.column === "value" && <SortNote />}
      </Row>
      <SelectionBar facts={facts}>{menu}</SelectionBar>
      {shown.length === 0 ? (
        <Text as="p" measure tone="soft" className={s.empty}>
          <strong>No fact matches.</strong>
          The key must contain every word of the search, or the sentence every word as a whole: no sentence is
          stored, so words are found by their hashes.
        </Text>
      ) : (
        <FactTable
          {...{ documents, now, visible, selection, onSort, onSelection }}
          rows={shown}
          sort={facts.view.sort}
          onOpen={facts.inspect}
          onOpenSentence={facts.openSentence}
          onDelete={facts.remove}
        />
      )}
    </>
  );
}

function SortNote() {
  const all = useAllSaid() !== null;
  return all ? null : <Note as="span">Sorting by the sentence waits until all are read back.</Note>;
}

function Empty({ children }: { readonly children: ReactNode }) {
  const pending = useApp(({ memory }) => memory.info?.pending ?? 0);
  return (
    <div>
      <Text as="p" measure tone="soft" className={s.empty}>
        <strong>This memory is empty.</strong>
        {pending > 0
          ? `${counted(pending, "fact of an interrupted run waits", "facts of an interrupted run wait")} to be encoded: continue in the Memorise cell.`
          : "Run the Memorise cell above, or import a memory, to list its facts, with the recalled text, layer and accuracy of each."}
      </Text>
      {children}
    </div>
  );
}

function Reencoding({ cell }: { readonly cell: Cell }) {
  const run = useRun(cell.id);
  if (run?.status !== "running" || run.progress?.kind !== "flow") return null;
  const line = run.progress.stages.at(-1);
  return line ? (
    <Progress
      label={line.stage === "readBack" ? ASKING_SOFT : "Encoding again"}
      detail={
        line.encode ? `step ${count(line.encode.losses.length)} at layer ${line.encode.layer}` : undefined
      }
      done={line.done}
      total={line.total}
    />
  ) : null;
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

type Passed = "rows" | "sort" | "onSort" | "selection" | "onSelection" | "onOpen" | "onDelete";

interface FactTableProps extends CellContext, Pick<GridProps<FactRow, FactId>, Passed> {
  readonly visible: readonly ColumnId[];
}

export function FactTable({ rows, visible, documents, now, onOpenSentence, ...passed }: FactTableProps) {
  const { sort } = passed;
  const said = useAllSaid();
  const sorted = useMemo(() => arranged(rows, compareBy(sort, said), sort), [rows, sort, said]);
  const several = useMemo(() => rows.some(PARTS.has), [rows]);
  const columns = useMemo(
    () => factColumns(visible, { documents, now, onOpenSentence }),
    [visible, documents, now, onOpenSentence],
  );
  return (
    <Grid
      label="Facts in memory"
      noun="facts"
      className={s.facts}
      rows={sorted}
      columns={columns}
      idOf={idOf}
      nameOf={keyText}
      keys={{ o: (id) => onOpenSentence(rows.find((row) => row.id === id)!) }}
      // Only tables with expandable rows need measured row heights.
      {...(several ? { parts: PARTS } : {})}
      {...passed}
    />
  );
}

const PARTS: Parts<FactRow> = {
  has: ({ parts }) => parts !== undefined,
  draw: (row) => <FactParts row={row} />,
};
const idOf = ({ id }: FactRow): FactId => id;

export const FactParts = ({ row }: { readonly row: FactRow }) => (
  <Table
    caption={`Parts of ${keyText(row)}, in the order of its value`}
    columns={[partKey(row), ...NUMBERS]}
    rows={row.parts ?? []}
    keyOf={({ part }) => String(part)}
  />
);

const NUMBERS: readonly Column<PartRow>[] = [
  { id: "layer", label: "Layer", cell: ({ layer }) => <LayerChip layer={layer} /> },
  { id: "tokens", label: "Tokens", look: "number", cell: ({ tokens }) => tokens },
  { id: "steps", label: "Steps", look: "number", cell: ({ steps }) => steps },
  { id: "fidelity", label: "Fidelity", look: "number", cell: (part) => <Fidelity of={part} /> },
  { id: "delta", label: "‖δ‖", look: "number", cell: ({ deltaNorm }) => deltaNorm.toPrecision(4) },
  { id: "margin", label: "Margin", look: "number", cell: ({ margin }) => margin.toPrecision(3) },
];

const TALLEST = 26;

export function Overview({
  overview: { facts, vectors, exact, fidelity, margin, layers },
  chosen,
  onLayer,
}: Readonly<{
  overview: ReturnType<typeof overview>;
  chosen: ReadonlySet<number>;
  onLayer: (layer: number) => void;
}>) {
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
        <span className={o.dot} aria-hidden="true" />
        <Digits>{facts === 0 ? "–" : percent(exact / facts)}</Digits> exact
        <span className={o.dot} aria-hidden="true" />
        mean fidelity <Digits>{meanFidelityText(fidelity, exact, facts)}</Digits>
        {facts > 0 && (
          <>
            <span className={o.dot} aria-hidden="true" />
            least margin <Digits>{margin.toPrecision(2)}</Digits>
          </>
        )}
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
              className={o.layer}
              aria-pressed={chosen.has(layer)}
              aria-label={words}
              title={words}
              onClick={() => onLayer(layer)}
            >
              <Row
                as="span"
                align="end"
                className={o.bar}
                style={{ height, color: layerColor(layer) }}
                aria-hidden="true"
              >
                {/* Inexact facts are the hollow part of the bar. */}
                <span className={o.solid} style={{ height: (height * well) / here }} />
              </Row>
              <Text numeric style={{ fontSize: "var(--text-s)", lineHeight: 1 }}>
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
  <Text tone="ink" numeric>
    {children}
  </Text>
);

function StorageLine() {
  const { library } = useServices();
  const info = useApp(({ memory }) => memory.info);
  const storage = useApp((state) => state.storage);
  const memory = useNotebook().id;
  const ask = () => library().memoryBytes({ memory });
  const kept = useAsync(ask, [library, memory, info], { wanted: info !== null, keep: true }).value;
  const parts = [
    kept && kept.perFact > 0 && keptText(kept, info?.pending),
    storage?.usage != null &&
      `this browser keeps ${bytes(storage.usage)} for Palimpsest${
        storage.quota === null ? "" : `, of ${bytes(storage.quota)} at most`
      }`,
    storage && !storage.persisted && "it may clear all that when space runs short",
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? null : (
    <Note>{parts.join("; ").replace(/^./, (first) => first.toUpperCase())}.</Note>
  );
}

export function storedText(rows: readonly FactRow[]): string {
  const vectors = rows.reduce((sum, row) => sum + vectorsOf(row), 0);
  const facts = counted(rows.length, "fact");
  return vectors > rows.length ? `${facts} in ${counted(vectors, "vector")}` : facts;
}

/** `fidelity`: mean token F1; null without facts. `margin`: logits by which every token leads. */
export function overview(rows: readonly FactRow[]) {
  const sum = (of: (row: FactRow) => number, list = rows) => list.reduce((total, row) => total + of(row), 0);
  const exact = (row: FactRow): number => Number(row.exact);
  return {
    facts: rows.length,
    vectors: sum(vectorsOf),
    exact: sum(exact),
    fidelity: rows.length === 0 ? null : sum(({ fidelity }) => fidelity) / rows.length,
    margin: rows.reduce((least, row) => Math.min(least, row.margin), Infinity),
    layers: [...groupBy(rows, ({ layer }) => layer)]
      .sort(([a], [b]) => a - b)
      .map(([layer, here]) => ({ layer, facts: here.length, exact: sum(exact, here) })),
  };
}
