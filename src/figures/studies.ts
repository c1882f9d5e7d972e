/** @file Runs of studies as figures: every case as a row, the curves of each study, and two runs on one scale. */

import { many } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import type { StudyName } from "../records/notebook.ts";
import type { CaseRecord, Run } from "../records/run.ts";
import { STUDY_INFO } from "../records/studies.ts";
import { columnsOf, openFigure, type Column, type Row, type Source, type Value } from "./figure.ts";
import { shareColumns, shareIn, shareValues, toldText } from "./interval.ts";
import { mean } from "../lib/stats.ts";

/** How a study's curve is drawn: which input runs along, which one makes a line each, what is measured. */
interface Curve {
  readonly x: { readonly input: string; readonly label: string; readonly unit: string };
  readonly series: readonly string[];
  readonly measures: readonly string[];
  /**
   * Those of them that are shares of facts of which each came out so or not, and how many facts a case asked: a number,
   * or the input that has it. Means of weights and of token F1 are no such shares.
   */
  readonly asked: Readonly<Record<string, number | string>>;
}

const CURVES: Readonly<Record<StudyName, Curve>> = {
  capacity: {
    x: { input: "size", label: "facts at the layer", unit: "count" },
    series: ["preset", "kind"],
    measures: [
      "exact",
      "fidelity",
      "won",
      "ownWeight",
      "runnerUp",
      "indexOnly",
      "anchorOnly",
      "encodedExact",
    ],
    asked: { exact: "fixed", won: "fixed", encodedExact: "fixed" },
  },
  deletion: {
    x: { input: "deleted", label: "deleted", unit: "" },
    series: ["preset", "kind"],
    measures: ["exactBefore", "exactAfter", "changed", "injectedAfter"],
    asked: { exactBefore: 1, exactAfter: 1, changed: 1, injectedAfter: 1 },
  },
  gates: {
    x: { input: "theta", label: "θ", unit: "cosine" },
    series: ["beta", "kind"],
    measures: ["exact", "fidelity", "keyOpen", "otherOpen", "ownWeight"],
    asked: { exact: "asked", keyOpen: "facts" },
  },
  steps: {
    x: { input: "guided", label: "guided steps", unit: "count" },
    series: ["preset", "kind", "refine"],
    measures: ["exact", "fidelity", "stepsTaken", "factMilliseconds"],
    asked: { exact: "facts" },
  },
  layers: {
    x: { input: "K", label: "storage layers K", unit: "count" },
    series: ["preset", "kind"],
    measures: ["exact", "fidelity", "encodedExact", "factsPerLayer", "factMilliseconds"],
    asked: { exact: "facts", encodedExact: "facts" },
  },
  parts: {
    x: { input: "length", label: "longest part", unit: "tokens" },
    series: [],
    measures: ["exact", "halved", "vectors", "tokensPerVector", "stepsTaken", "factMilliseconds"],
    asked: { exact: "facts", halved: "facts" },
  },
};

/** Schedules of which no two share their refinement make no lines: they are one line along all their steps. */
const STEPS_IN_ALL: Curve = {
  ...CURVES.steps,
  x: { input: "steps", label: "steps allowed, guided and refinement", unit: "count" },
  series: ["preset", "kind"],
};

/** How the curve of these cases of one study is drawn. */
function curveOf(study: StudyName, cases: readonly CaseRecord[]): Curve {
  if (study !== "steps") return CURVES[study];
  const guided = new Map<unknown, Set<unknown>>();
  for (const { inputs } of cases)
    guided.set(inputs["refine"], new Set([...(guided.get(inputs["refine"]) ?? []), inputs["guided"]]));
  return [...guided.values()].some(({ size }) => size > 1) ? CURVES.steps : STEPS_IN_ALL;
}

/** An input of a case, or the steps of its schedule together. */
const inputOf = ({ inputs }: CaseRecord, name: string): number =>
  name === "steps" ? Number(inputs["guided"]) + Number(inputs["refine"]) : Number(inputs[name]);

/** Words and units of measures, wherever they occur. */
const MEASURES: Readonly<Record<string, readonly [label: string, unit: string]>> = {
  exact: ["exact", "share"],
  fidelity: ["fidelity", "token F1"],
  won: ["own key won", "share"],
  ownWeight: ["weight of the own key", "share"],
  runnerUp: ["similarity of the second-best key", "cosine"],
  indexOnly: ["similarity of keys that differ in j alone", "cosine"],
  anchorOnly: ["similarity of keys that differ in e alone", "cosine"],
  openPositions: ["open positions", "count"],
  encodedExact: ["exact when encoded", "share"],
  encodingMilliseconds: ["encoding, per fact", "ms"],
  exactBefore: ["exact before", "share"],
  exactAfter: ["exact after", "share"],
  changed: ["output changed", "share"],
  injectedAfter: ["something injected after", "share"],
  keyOpen: ["gate open at the key", "share"],
  otherOpen: ["other positions open", "count"],
  stepsTaken: ["steps taken", "count"],
  factMilliseconds: ["encoding, per fact", "ms"],
  halved: ["facts with a halved part", "share"],
  vectors: ["vectors a fact", "count"],
  tokensPerVector: ["tokens a vector", "tokens"],
  factsPerLayer: ["facts per layer", "count"],
  extracted: ["extracted", "share"],
  routed: ["routed", "share"],
  recalled: ["recalled exactly", "share"],
  right: ["answered right", "share"],
  facts: ["facts", "count"],
  characters: ["text", "characters"],
};

/** The run a figure comes from. */
export const sourceOf = ({ header }: Run): Source => ({
  at: header.created,
  backend: header.backend,
  model: header.model,
  app: header.app,
  run: `${header.id}, seed ${header.seed}`,
});

const measureColumn = (name: string): Column => {
  const [label, unit] = MEASURES[name] ?? [name, ""];
  return { name, label, unit, type: "number" };
};

/** The columns of measures, those of shares with their intervals. */
const measureColumns = (names: readonly string[], { asked }: Curve): Column[] =>
  names.flatMap((name) =>
    name in asked ? columnsOf(shareColumns(name, measureColumn(name).label)) : measureColumn(name),
  );

/** Means of what cases measured, in these columns; cases that stand together asked as many facts each. */
const measuredOf = (cases: readonly CaseRecord[], names: readonly string[], { asked }: Curve): Measured =>
  Object.assign(
    {},
    ...names.map((name) => {
      const found = cases.flatMap(({ inputs, measures: { [name]: value } }) =>
        typeof value === "number" ? [{ value, n: askedIn(inputs, asked[name]) }] : [],
      );
      const average = found.length > 0 ? mean(found.map(({ value }) => value)) : null;
      return name in asked ? shareValues(name, average, sumOf(found.map(({ n }) => n))) : { [name]: average };
    }),
  ) as Measured;
type Measured = Readonly<Record<string, number | null>>;

/** Null where one of them is not known. */
const sumOf = (counts: readonly (number | null)[]): number | null =>
  counts.reduce<number | null>((sum, n) => (sum === null || n === null ? null : sum + n), 0);

/** How many facts a case asked; null where it does not say. */
function askedIn(inputs: CaseRecord["inputs"], asked: number | string | undefined): number | null {
  const n = typeof asked === "string" ? inputs[asked] : asked;
  return typeof n === "number" && n > 0 ? n : null;
}

const typeOf = (value: Value): Column["type"] =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text";

/** By the parts of the id, numbers by size: 16 after 8, and 0.6 after 0.45. */
function inNumbers(a: CaseRecord, b: CaseRecord): number {
  const [left, right] = [a.id.split("/"), b.id.split("/")];
  for (const [i, one] of left.entries()) {
    const other = right[i] ?? "";
    const byValue = Number(one) - Number(other);
    const order = Number.isNaN(byValue) ? one.localeCompare(other, "en", { numeric: true }) : byValue;
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Every case with all its inputs and measures: the results table. */
export const studyTable = openFigure({
  kind: "study-cases",
  wide: true,
  make: (run: Run) => {
    const { study } = run.header;
    const names = (of: (record: CaseRecord) => object) => [
      ...new Set(run.cases.flatMap((one) => Object.keys(of(one)))),
    ];
    const inputs = names(({ inputs }) => inputs);
    const measures = names(({ measures }) => measures);
    // A case of one fact is no share.
    const asked = Object.entries(CURVES[study].asked).filter(([, n]) => typeof n === "string");
    const curve = { ...CURVES[study], asked: Object.fromEntries(asked) };
    const typed = (name: string) => typeOf(run.cases.find((one) => name in one.inputs)!.inputs[name]!);
    return {
      id: `study-${study}-cases`,
      title: `${STUDY_INFO[study].title}: all cases`,
      caption: `${STUDY_INFO[study].asks} ${many(run.cases.length, "case")}.`,
      columns: [
        { name: "id", label: "case", unit: "", type: "text" },
        ...inputs.map((name): Column => ({ name, label: name, unit: "", type: typed(name) })),
        ...measureColumns(measures, curve),
        { name: "milliseconds", label: "time", unit: "ms", type: "number" },
        { name: "note", label: "note", unit: "", type: "text" },
      ],
      rows: run.cases
        .toSorted(inNumbers)
        .map((one) => caseRow(one, inputs, measuredOf([one], measures, curve))),
      source: sourceOf(run),
    };
  },
});

const caseRow = (one: CaseRecord, inputs: readonly string[], measured: Measured): Row => ({
  id: one.id,
  ...Object.fromEntries(inputs.map((name) => [name, one.inputs[name] ?? null])),
  ...measured,
  milliseconds: one.milliseconds,
  note: one.note ?? null,
});

/** What one row of a curve is: x, the line it belongs to, the cases behind it, and means of the measures. */
export type CurveRow = Row & { readonly x: number; readonly series: string; readonly cases: number };

/** Words for curves without a row. */
const NO_CASE = "No case is done yet.";

/** The study's curves: means over the cases that share x and line. Text and yes/no on the x axis become 0 and 1. */
export const studyCurve = openFigure({
  kind: "study",
  wide: true,
  empty: NO_CASE,
  make: (run: Run) => ({
    id: `study-${run.header.study}`,
    ...curves(run, curveOf(run.header.study, run.cases)),
  }),
});

function curves(run: Run, curve: Curve) {
  const { title, asks } = STUDY_INFO[run.header.study];
  const rows = curveRows(run, curve, (names) => names).sort((a, b) => a.x - b.x);
  return {
    title,
    caption: `${asks} ${meansText(run, curve)} ${intervalText(curve, rows)}`.trim(),
    columns: [
      { name: "x", label: curve.x.label, unit: curve.x.unit, type: "number" as const },
      { name: "series", label: curve.series.join(", ") || "all", unit: "", type: "text" as const },
      { name: "cases", label: "cases", unit: "count", type: "number" as const },
      ...measureColumns(curve.measures, curve),
    ],
    rows,
    source: sourceOf(run),
  };
}

/** Points that differ in line or place alone are what a study compares. */
const besideEachOther = (a: Row, b: Row): boolean => (a["x"] === b["x"]) !== (a["series"] === b["series"]);

const COMPARED = "points that differ in line or place alone";

/** What the whiskers are, and which shares they leave apart. Empty where no share has its n. */
function intervalText(curve: Curve, rows: readonly CurveRow[]): string {
  const columns = measureColumns(curve.measures, curve);
  if (!rows.some((row) => columns.some((column) => shareIn(column, row)))) return "";
  return `Whiskers: 95 % intervals of shares (Wilson), by the facts that were asked. ${toldText(columns, rows, besideEachOther, COMPARED)}`.trim();
}

/** What a point is: a mean only where several cases share its place. */
function meansText(run: Run, curve: Curve): string {
  const most = curveRows(run, curve, (names) => names).reduce((n, { cases }) => Math.max(n, cases), 0);
  const cases = `${run.cases.length} ${run.cases.length === 1 ? "case" : "cases"}`;
  return most > 1
    ? `Means over the ${cases} that share a place, at most ${most}.`
    : `${cases}, one at each place.`;
}

/**
 * Two runs of one study as one figure: the lines of each carry the run's letter, so that both stand on one scale.
 * @throws when the runs are of different studies
 */
export const compareRuns = openFigure({
  kind: "compare",
  wide: true,
  empty: NO_CASE,
  make: (a: Run, b: Run) => {
    if (a.header.study !== b.header.study)
      throw new Error(
        `figures: a run of ${a.header.study} cannot be compared with one of ${b.header.study}; choose two of one study`,
      );
    const curve = curveOf(a.header.study, [...a.cases, ...b.cases]);
    const base = curves(a, curve);
    const named = (run: Run, letter: string) => curveRows(run, curve, (line) => `${letter}: ${line}`);
    const told = ({ header }: Run) =>
      `${header.id} (${header.params.preset}, ${header.model}, ${header.backend})`;
    const rows = [...named(a, "A"), ...named(b, "B")].sort((p, q) => p.x - q.x);
    return {
      ...base,
      id: `compare-${a.header.study}`,
      title: `${base.title}: A against B`,
      caption: `A is ${told(a)}, B is ${told(b)}. ${intervalText(curve, rows)}`.trim(),
      rows,
      source: { ...base.source, run: `${a.header.id} and ${b.header.id}` },
    };
  },
});

function curveRows({ cases }: Run, curve: Curve, nameOf: (line: string) => string): CurveRow[] {
  const { x, series, measures } = curve;
  const placed = cases.map((one) => {
    const line = series.flatMap((name) => (name in one.inputs ? [labelled(name, one.inputs[name]!)] : []));
    return { x: inputOf(one, x.input), series: nameOf(line.join(", ") || "all"), one };
  });
  return [...groupBy(placed, ({ x, series }) => `${x}\n${series}`).values()].map((group): CurveRow => {
    const [{ x, series }, found] = [group[0]!, group.map(({ one }) => one)];
    return { x, series, cases: found.length, ...measuredOf(found, measures, curve) };
  });
}

const SIGNS: Readonly<Record<string, string>> = { beta: "β = " };
const labelled = (name: string, value: Value): string =>
  name === "refine"
    ? Number(value) === 0
      ? "no refinement"
      : many(Number(value), "refinement step")
    : `${SIGNS[name] ?? ""}${String(value)}`;

/** A gate sweep as a heat map of a share: one row per point of the grid; `name` is what the run is called beside another. */
export const gateGrid = openFigure({
  kind: "gate-grid",
  wide: true,
  make: (run: Run, measure: string, name?: string) => {
    const { label } = measureColumn(measure);
    const { asked } = CURVES.gates;
    const { title, asks } = STUDY_INFO.gates;
    return {
      title: `${name ? `${name}, ` : ""}${title.toLowerCase()}: ${label}`.replace(/^./, (first) =>
        first.toUpperCase(),
      ),
      caption: `${asks} ${many(run.cases.length, "point")}.`,
      columns: columnsOf({
        theta: ["θ", "cosine", "number"],
        beta: ["β", "", "number"],
        kind: ["facts", "", "text"],
        ...shareColumns("value", label),
      }),
      rows: run.cases.map(({ inputs, measures }) => ({
        theta: Number(inputs["theta"]),
        beta: Number(inputs["beta"]),
        kind: String(inputs["kind"]),
        ...shareValues("value", measures[measure] ?? null, askedIn(inputs, asked[measure])),
      })),
      source: sourceOf(run),
    };
  },
});
