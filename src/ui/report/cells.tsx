/** @file The cells of a notebook in print: their inputs and outputs, drawn by the components of the page without buttons. */

import type { ComponentType, ReactNode } from "react";
import { keyText } from "../../records/fact.ts";
import type {
  Cell,
  CellKind,
  CellOfKind,
  FactRow,
  Stamp,
  StoreCell,
  Notebook,
} from "../../records/notebook.ts";
import { paramsText } from "../../records/parameterText.ts";
import { STUDY_INFO } from "../../records/studies.ts";
import { ExchangeView } from "../cells/ask/ExchangeView.tsx";
import { choiceText } from "../cells/memorize/embedder/EmbedderLine.tsx";
import { Summary } from "../cells/memorize/Summary.tsx";
import { CertificateView } from "../cells/memory/CertificateView.tsx";
import { storedText } from "../cells/memory/MemoryCell.tsx";
import { ModelOutput } from "../cells/model/DevicePanel.tsx";
import { SafeMarkdown } from "../cells/note/NoteCell.tsx";
import { Ranking } from "../cells/probe/ProbeCell.tsx";
import { Outcome } from "../cells/questions/QuestionsCell.tsx";
import { entryFacts } from "../cells/source/TextList.tsx";
import { Pairs, type Pair } from "../controls/basics.tsx";
import { EvaluationView } from "../evaluation/EvaluationView.tsx";
import { sliceOf } from "../evaluation/evaluationText.ts";
import { documentsOf, ranOn, shortOfOne } from "../facts/words.ts";
import { factColumns, inSourceOrder, type ColumnId } from "../facts/factColumns.tsx";
import { UNPRINTED } from "../facts/Recalled.tsx";
import { bytes, count, counted, dateTime, duration } from "../format.ts";
import { type Column, Table } from "../table/Table.tsx";
import type { Curve } from "../../figures/layers.ts";
import type { LayerGeometry, VectorMap } from "../../records/geometry.ts";
import {
  memoryFigures,
  studyFigures,
  UNREAD,
  type AnyFigure,
  type MemoryData,
} from "../../figures/registry.ts";
import type { LayerPlan } from "../../records/plan.ts";
import type { FactId, LayerIndex } from "../../records/ids.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import type { Run } from "../../records/run.ts";
import type { MemoryHead } from "../../records/memory.ts";
import { figuresOf } from "../charts/FigureView.tsx";
import { madeBy, sideOf } from "../charts/sections/sides.ts";

interface Printed<K extends CellKind> {
  readonly cell: CellOfKind<K>;
  readonly data: ReportData;
}

export const PRINTED: { readonly [K in CellKind]: ComponentType<Printed<K>> } = {
  note: ({ cell }) => (
    <div className="note">
      <SafeMarkdown text={cell.input.text} />
    </div>
  ),
  model: ModelPrint,
  source: SourcePrint,
  memorize: MemorizePrint,
  store: MemoryPrint,
  ask: AskPrint,
  questions: ({ cell }) => (cell.output ? <Outcome runs={cell.output.runs} /> : <NotRun />),
  probe: ({ cell }) => (cell.output ? <Ranking plan={cell.output} /> : <NotRun />),
  experiment: ExperimentPrint,
  benchmark({ cell: { output }, data }) {
    const run = output && data.evaluations.get(output.runId);
    return run ? <EvaluationView run={sliceOf(run, output)} /> : <NotRun />;
  },
};

export function CellReport({ cell, data }: { readonly cell: Cell; readonly data: ReportData }): ReactNode {
  const Body = PRINTED[cell.kind] as ComponentType<Printed<CellKind>>;
  return <Body cell={cell} data={data} />;
}

const NotRun = () => <p className="soft">Not run.</p>;

function ModelPrint({ cell: { input, output } }: Printed<"model">) {
  const { source } = input;
  const from =
    source.kind === "hub"
      ? `${source.repo} at ${source.revision}`
      : source.kind === "files"
        ? `files “${source.name}”`
        : "bundled with the app";
  if (!output)
    return (
      <>
        <p>Model: {from}.</p>
        <NotRun />
      </>
    );
  const { identity, files, embedder } = output;
  const size = bytes(files.reduce((sum, file) => sum + file.bytes, 0));
  return (
    <>
      <ModelOutput output={output} />
      <Pairs
        className="numbers"
        of={[
          ["Source", from],
          ["Architecture", identity.architecture],
          ["Width d / d_ff", `${count(identity.dModel)} / ${count(identity.dFf)}`],
          ["Vocabulary", count(identity.vocabulary)],
          ["Files", `${counted(files.length, "file")}, ${size}`],
          [
            "SHA-256",
            <span key="" className="num">
              {identity.sha256}
            </span>,
          ],
          ["Embedder", embedder],
        ]}
      />
    </>
  );
}

function SourcePrint({ cell: { input }, data: { info } }: Printed<"source">) {
  const known = new Map(info?.sources.map((source) => [source.id, source]));
  return (
    <Table
      caption="Texts"
      rows={input.documents}
      empty={<p className="soft">No text.</p>}
      columns={[
        {
          id: "title",
          label: "Text",
          cell: ({ title, notes }) => (
            <>
              {title}
              {notes.length > 0 && (
                <div className="soft">{notes.map((note) => note.split("\n", 1)[0]).join(" ")}</div>
              )}
            </>
          ),
        },
        { id: "facts", label: "Details", cell: (entry) => entryFacts(entry, known.get(entry.id) ?? null) },
        {
          id: "kept",
          label: "Text kept",
          cell: ({ id, kept }) => (kept ? "yes" : known.has(id) ? "forgotten" : "not in this browser"),
        },
      ]}
    />
  );
}

function MemorizePrint({ cell: { input, output }, data }: Printed<"memorize">) {
  const { params } = input;
  return (
    <>
      <p className="soft">
        Preset {params.preset}. {paramsText(params)} Text embedder: {choiceText(input.embedder ?? null)}.
      </p>
      {output ? <Summary summary={output} facts={data.facts} /> : <NotRun />}
      {output?.layerPlan && <Ranking plan={output.layerPlan} />}
    </>
  );
}

function AskPrint({ cell, data }: Printed<"ask">) {
  const history = cell.output?.history ?? [];
  const rows = new Map<string, FactRow>(data.facts.map((row) => [row.id, row]));
  if (history.length === 0) return <p className="soft">Nothing was asked.</p>;
  return history.map((exchange, i) => (
    <ExchangeView key={i} exchange={exchange} rows={rows} canWrite={false} />
  ));
}

function ExperimentPrint({ cell: { input, output }, data }: Printed<"experiment">) {
  const info = STUDY_INFO[input.study];
  const run = output && data.runs.get(output.runId);
  const settings = Object.entries(run?.header.settings ?? input.settings);
  const named = settings.map(([name, value]): Pair => [info.settings[name]?.label ?? name, String(value)]);
  return (
    <>
      <p>
        {info.title}. {info.asks}
      </p>
      {named.length > 0 && <Pairs className="numbers" of={named} />}
      {run ? (
        <p className="soft">
          Run {run.header.id}, seed {run.header.seed}, {counted(run.cases.length, "case")}, {run.header.model}{" "}
          on {run.header.backend}, app {run.header.app}.
        </p>
      ) : (
        <NotRun />
      )}
    </>
  );
}

export const printedRows = (first: number, all: number, noun: string, rest: string) => ({
  first,
  more: () => null,
  print: { first, rest: `The first ${count(first)} of ${counted(all, noun)}; ${rest}.` },
});

/** A page with more would be slow to open; the memory cell exports all facts. */
const MOST = 2000;

function MemoryPrint({ cell, data: { facts, said, notebook, info, made } }: Printed<"store">) {
  const documents = documentsOf(notebook, info);
  const context = { documents, now: Date.parse(made), onOpenSentence: () => undefined };
  const column = (id: ColumnId): Column<FactRow> => factColumns([id], context)[0]!;
  const exact = facts.filter((row) => row.exact).length;
  return (
    <>
      {facts.length > 0 && (
        <p>
          {storedText(facts)}, {count(exact)} of them word for word. No sentence is stored: these are as the
          model says them.
        </p>
      )}
      <Table
        caption="Facts"
        rows={inSourceOrder(facts)}
        empty={<p className="soft">The memory is empty.</p>}
        columns={[
          { id: "key", label: "Key", look: "key", cell: keyText },
          {
            ...column("value"),
            look: "words",
            cell: ({ id }) => said.get(id) ?? UNPRINTED,
          },
          column("layer"),
          column("fidelity"),
          { ...column("offset"), cell: ({ offset }) => count(offset) },
          ...(documents.size > 1 ? [column("document")] : []),
        ]}
        limit={printedRows(MOST, facts.length, "fact", "the memory cell exports all")}
      />
      {cell.output?.certificates.map((stamped, i) => (
        <div key={i}>
          <h3>Deleted: {listed(stamped.certificate.keys)}</h3>
          <CertificateView stamped={stamped} />
        </div>
      ))}
      <Changes output={cell.output} />
    </>
  );
}

const MOST_DELETED = 60;

const listed = (keys: readonly string[]): string =>
  keys.length <= MOST_DELETED
    ? keys.join(", ")
    : `${keys.slice(0, MOST_DELETED).join(", ")} and ${counted(keys.length - MOST_DELETED, "more fact")}`;

const Changes = ({ output }: Pick<StoreCell, "output">) =>
  output?.reencodings?.map(({ key, before, after, stamp }, i) => (
    <div key={i}>
      <h3>Encoded again: {key}</h3>
      <p>
        {before.value === after.value
          ? ""
          : `“${before.value ?? UNPRINTED}” became “${after.value ?? UNPRINTED}”`}
      </p>
      <p className="soft">
        Layer {before.layer} → {after.layer}, {after.exact ? "exact" : `F1 ${shortOfOne(after.fidelity)}`},{" "}
        {counted(after.steps, "step")}.
      </p>
      <StampLine stamp={stamp} />
    </div>
  ));

export function StampLine({ stamp }: { readonly stamp: Stamp }) {
  const parts = [
    dateTime(stamp.at),
    duration(stamp.milliseconds),
    ranOn(stamp),
    stamp.app && `app ${stamp.app}`,
  ];
  return <p className="stamp">{parts.filter(Boolean).join(", ")}</p>;
}

export interface ReportData {
  readonly notebook: Notebook;
  /** Null if nothing was memorised, or for the facts of the saved example. */
  readonly info: MemoryHead | null;
  readonly facts: readonly FactRow[];
  readonly said: ReadonlyMap<FactId, string>;
  /** Null if they are not in this browser. */
  readonly curves: readonly Curve[] | null;
  /** Results of the engine for the stored vectors; null if no model is open. */
  readonly vectors: Readonly<{ layer: LayerIndex; geometry: LayerGeometry; map: VectorMap }> | null;
  readonly runs: ReadonlyMap<string, Run>;
  readonly evaluations: ReadonlyMap<string, Evaluation>;
  readonly made: string;
}

export interface ReportFigure {
  readonly cellId: string;
  readonly figure: AnyFigure;
}

/** In the order of the cells. A notebook without a store cell has the memory's figures at its memorize cell. */
export function reportFigures(data: ReportData): readonly ReportFigure[] {
  const { cells } = data.notebook;
  const home = cells.find(({ kind }) => kind === "store") ?? cells.find(({ kind }) => kind === "memorize");
  return cells.flatMap((cell) => {
    const own = [...ofCell(cell, data), ...(cell === home ? ofMemory(data) : [])];
    return own.filter(({ rows }) => rows.length > 0).map((figure) => ({ cellId: cell.id, figure }));
  });
}

const MOST_TEXTS = 4;

type FiguresOf<K extends CellKind> = (cell: CellOfKind<K>, data: ReportData) => readonly AnyFigure[];

const none = (): readonly AnyFigure[] => [];

export const FIGURES: { readonly [K in CellKind]: FiguresOf<K> } = {
  ...{ note: none, model: none, source: none },
  memorize: ({ output }) =>
    output
      ? [
          ...output.extraction.slice(0, MOST_TEXTS).flatMap((counts) => {
            const read = { ...part(`read “${counts.title}”`, output.stamp), extraction: counts };
            return memoryFigures(read, "extraction");
          }),
          ...(output.layerPlan ? probed(output.layerPlan, output.stamp) : []),
        ]
      : [],
  ...{ store: none, ask: none, questions: none },
  probe: ({ output }) => (output ? probed(output, output.stamp) : []),
  experiment({ output }, { runs }) {
    const run = output && runs.get(output.runId);
    const figures = run && run.cases.length > 0 ? studyFigures(run, null).flat() : [];
    return figures.filter(({ kind }) => kind !== "study-cases");
  },
  benchmark({ output }, { evaluations }) {
    const run = output && evaluations.get(output.runId);
    return run ? figuresOf(sliceOf(run, output)) : [];
  },
};

const ofCell = (cell: Cell, data: ReportData) => (FIGURES[cell.kind] as FiguresOf<CellKind>)(cell, data);

const PARAMS = { capacity: 0, steps: 0, theta: 0, layersFrom: "order" } as const;

const part = (run: string, { at, backend, model, app }: Stamp): MemoryData => ({
  ...UNREAD,
  ...{ facts: [], layers: [], plan: null, params: PARAMS },
  source: { run, at, backend, model, app },
});

const probed = (plan: LayerPlan, stamp: Stamp): AnyFigure[] =>
  memoryFigures({ ...part("layer probe", stamp), plan }, "plan");

function ofMemory({ notebook, info, facts, curves, vectors }: ReportData): AnyFigure[] {
  const made = madeBy(notebook);
  if (facts.length === 0 || (!info && !made)) return [];
  return memoryFigures({
    ...sideOf({ ...notebook, made }, facts, info, false),
    plan: null,
    curves: curves?.length && info ? curves : null,
    ...(vectors && info
      ? { maps: [vectors.map], geometry: { ...vectors.geometry, layer: vectors.layer } }
      : {}),
  });
}
