/** @file Runs of studies as figures: the lines of each study, two runs on one scale, and a table of all cases. */

import { many } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import { mean } from "../lib/stats.ts";
import type { CaseRecord, Run } from "../records/run.ts";
import { STUDY_INFO, type StudyName } from "../records/studies.ts";
import { columnsOf, openFigure, type Column, type Source, type Value } from "./figure.ts";
import { grid, lines, differencesText, INTERVAL, intervalOf, type LineRow } from "./lines.ts";

interface Curve {
  readonly x: { readonly input: string; readonly label: string; readonly unit: string };
  readonly series: readonly string[];
  readonly measures: readonly string[];
  /** The measures that are shares of facts, with the number of facts that a case asked, or the input that has it. */
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
    x: { input: "deleted", label: "kept (0) or deleted (1)", unit: "" },
    series: ["preset", "kind"],
    measures: ["exactBefore", "exactAfter", "changed", "injectedAfter"],
    asked: { exactBefore: 1, exactAfter: 1, changed: 1, injectedAfter: 1 },
  },
  forgetting: {
    x: { input: "number", label: "attack, in the order of the table", unit: "" },
    series: [],
    measures: ["auc", "bits", "control"],
    asked: {},
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
    series: ["start"],
    measures: [
      ...["exact", "halved", "vectors", "tokensPerVector", "stepsTaken", "margin", "deltaNorm", "likeFirst"],
      "factMilliseconds",
    ],
    asked: { exact: "facts", halved: "facts" },
  },
};

/** Used if no two schedules have the same refinement: one line over all steps. */
const STEPS_IN_ALL: Curve = {
  ...CURVES.steps,
  x: { input: "steps", label: "steps allowed, guided and refinement", unit: "count" },
  series: ["preset", "kind"],
};

function curveOf(study: StudyName, cases: readonly CaseRecord[]): Curve {
  if (study !== "steps") return CURVES[study];
  const guided = new Map<unknown, Set<unknown>>();
  for (const { inputs } of cases)
    guided.set(inputs["refine"], new Set([...(guided.get(inputs["refine"]) ?? []), inputs["guided"]]));
  return [...guided.values()].some(({ size }) => size > 1) ? CURVES.steps : STEPS_IN_ALL;
}

const inputOf = ({ inputs }: CaseRecord, name: string): number =>
  name === "steps" ? Number(inputs["guided"]) + Number(inputs["refine"]) : Number(inputs[name]);

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
  auc: ["AUC of the attack", ""],
  bits: ["advantage", "bit"],
  control: ["AUC of its control", ""],
  keyOpen: ["gate open at the key", "share"],
  otherOpen: ["other positions open", "count"],
  stepsTaken: ["steps taken", "count"],
  factMilliseconds: ["encoding, per fact", "ms"],
  margin: ["margin, median of the parts", "logits"],
  deltaNorm: ["‖δ‖, mean of the parts", ""],
  likeFirst: ["likeness to the δ of the first start", "cosine"],
  halved: ["facts with a halved part", "share"],
  vectors: ["vectors per fact", "count"],
  tokensPerVector: ["tokens per vector", "tokens"],
  factsPerLayer: ["facts per layer", "count"],
  facts: ["facts", "count"],
};

export const sourceOf = ({ header }: Run): Source => ({
  at: header.created,
  backend: header.backend,
  model: header.model,
  app: header.app,
  run: `${header.id}, seed ${header.seed}`,
});

const wordsOf = (name: string): readonly [label: string, unit: string] => MEASURES[name] ?? [name, ""];

function panelOf(name: string): string {
  const [label, unit] = wordsOf(name);
  return unit === "" || unit === "count" ? label : `${label} (${unit})`;
}

/** The mean of a measure, with its interval if it is a share of facts; null if no case measured it. */
function measured(cases: readonly CaseRecord[], name: string, asked: Curve["asked"]) {
  const found = cases.flatMap(({ inputs, measures: { [name]: value } }) =>
    typeof value === "number" ? [{ value, n: askedIn(inputs, asked[name]) }] : [],
  );
  if (found.length === 0) return null;
  const value = mean(found.map((one) => one.value));
  const counts = found.flatMap(({ n }) => n ?? []);
  const n = counts.length === found.length ? counts.reduce((sum, one) => sum + one, 0) : null;
  return { value, ...intervalOf(value, n) };
}

function askedIn(inputs: CaseRecord["inputs"], asked: number | string | undefined): number | null {
  const n = typeof asked === "string" ? inputs[asked] : asked;
  return typeof n === "number" && n > 0 ? n : null;
}

type Point = LineRow & { readonly x: number; readonly cases: number };

function pointsOf({ cases }: Run, { x, series, measures, asked }: Curve, prefix = ""): Point[] {
  const placed = cases.map((one) => {
    const line = series.flatMap((name) => (name in one.inputs ? [labelled(name, one.inputs[name]!)] : []));
    return { x: inputOf(one, x.input), line: `${prefix}${line.join(", ") || "all"}`, one };
  });
  const groups = [...groupBy(placed, (point) => `${point.x}\n${point.line}`).values()];
  return measures.flatMap((name) =>
    groups.flatMap((group) => {
      const found = measured(
        group.map(({ one }) => one),
        name,
        asked,
      );
      const { x, line } = group[0]!;
      return found ? [{ panel: panelOf(name), line, x, ...found, cases: group.length }] : [];
    }),
  );
}

const labelled = (name: string, value: Value): string =>
  name === "refine"
    ? Number(value) === 0
      ? "no refinement"
      : many(Number(value), "refinement step")
    : `${name === "beta" ? "β = " : ""}${String(value)}`;

/** The lines of a run, or of two runs of one study: A and B on one scale. @throws if their studies differ */
export function studyCurve(run: Run, beside: Run | null = null) {
  const { study } = run.header;
  const { title, asks } = STUDY_INFO[study];
  if (beside && beside.header.study !== study)
    throw new Error(
      `figures: a run of ${study} cannot be compared with one of ${beside.header.study}; choose two of one study`,
    );
  const curve = curveOf(study, [...run.cases, ...(beside?.cases ?? [])]);
  const points = beside
    ? [...pointsOf(run, curve, "A: "), ...pointsOf(beside, curve, "B: ")]
    : pointsOf(run, curve);
  const source = sourceOf(run);
  const measures = curve.measures.map(panelOf);
  return lines(
    {
      id: `${beside ? "compare" : "study"}-${study}`,
      title: beside ? `${title}: A and B` : title,
      caption: [
        beside ? `A is ${named(run)}, B is ${named(beside)}.` : `${asks} ${meansText(run, points)}`,
        intervalText(points),
      ]
        .join(" ")
        .trim(),
      ...{ panel: "measure", line: curve.series.join(", ") || "line" },
      ...{ x: [curve.x.label, curve.x.unit], value: ["value", ""] },
      rows: points.sort((a, b) => measures.indexOf(a.panel) - measures.indexOf(b.panel) || a.x - b.x),
    },
    beside ? { ...source, run: `${run.header.id} and ${beside.header.id}` } : source,
  );
}

const named = ({ header }: Run): string =>
  `${header.id} (${header.params.preset}, ${header.model}, ${header.backend})`;

function meansText({ cases }: Run, points: readonly Point[]): string {
  const most = points.reduce((n, point) => Math.max(n, point.cases), 0);
  return most > 1
    ? `Means over the ${many(cases.length, "case")} of each point, at most ${most}.`
    : `${many(cases.length, "case")}, one per point.`;
}

function intervalText(points: readonly Point[]): string {
  const shares = points.flatMap((place) =>
    place.n === null
      ? []
      : [{ label: place.panel.replace(" (share)", ""), place, share: place.value, n: place.n }],
  );
  if (shares.length === 0) return "";
  const comparable = (a: Point, b: Point): boolean => (a.x === b.x) !== (a.line === b.line);
  return `Whiskers: 95 % intervals of shares (Wilson), by the number of facts. ${differencesText(shares, comparable, "points on one line or at one place")}`;
}

export function gateGrid(run: Run, measure: string, name?: string) {
  const [label, unit] = wordsOf(measure);
  const { title, asks } = STUDY_INFO.gates;
  const words = `${title.toLowerCase()}: ${label}`;
  return grid(
    {
      id: "gate-grid",
      title: name ? `${name}, ${words}` : words.replace(/^./, (first) => first.toUpperCase()),
      caption: `${asks} ${many(run.cases.length, "point")}.`,
      ...{ panel: "facts", row: ["β", ""], x: ["θ", "cosine"], value: [label, unit] },
      rows: run.cases
        .toSorted(
          (a, b) => inputOf(b, "beta") - inputOf(a, "beta") || inputOf(a, "theta") - inputOf(b, "theta"),
        )
        .flatMap((one) => {
          const cell = measured([one], measure, CURVES.gates.asked);
          const { theta, beta, kind } = one.inputs;
          return cell ? [{ panel: String(kind), row: String(beta), column: String(theta), ...cell }] : [];
        }),
    },
    sourceOf(run),
  );
}

export const studyTable = openFigure({
  kind: "study-cases",
  wide: true,
  make: (run: Run) => {
    const { study } = run.header;
    const names = (of: (record: CaseRecord) => object) => [
      ...new Set(run.cases.flatMap((one) => Object.keys(of(one)))),
    ];
    const inputs = names((one) => one.inputs);
    const measures = names((one) => one.measures);
    // A case of one fact is not a share.
    const asked = Object.fromEntries(
      Object.entries(CURVES[study].asked).filter(([, n]) => typeof n === "string"),
    );
    const type = (name: string): Column["type"] => {
      const found = typeof run.cases.find((one) => name in one.inputs)!.inputs[name];
      return found === "number" || found === "boolean" ? found : "text";
    };
    return {
      id: `study-${study}-cases`,
      title: `${STUDY_INFO[study].title}: all cases`,
      caption: `${STUDY_INFO[study].asks} ${many(run.cases.length, "case")}.`,
      columns: [
        { name: "id", label: "case", unit: "", type: "text" as const },
        ...inputs.map((name): Column => ({ name, label: name, unit: "", type: type(name) })),
        ...measures.flatMap((name) => measureColumns(name, name in asked)),
        { name: "milliseconds", label: "time", unit: "ms", type: "number" as const },
        { name: "note", label: "note", unit: "", type: "text" as const },
      ],
      rows: run.cases.toSorted(byNumbers).map((one) => ({
        id: one.id,
        ...Object.fromEntries(inputs.map((name) => [name, one.inputs[name] ?? null])),
        ...Object.assign({}, ...measures.map((name) => measureCells(one, name, asked))),
        milliseconds: one.milliseconds,
        note: one.note ?? null,
      })),
      source: sourceOf(run),
    };
  },
});

function measureColumns(name: string, share: boolean): Column[] {
  const [label, unit] = wordsOf(name);
  const bounds = { low: `${name}Low`, high: `${name}High`, n: `${name}N` };
  if (!share) return columnsOf({ [name]: [label, unit, "number"] });
  return columnsOf({
    [name]: [label, unit, "number", undefined, bounds],
    ...Object.fromEntries(
      (["low", "high", "n"] as const).map((bound) => {
        const [words, ...rest] = INTERVAL[bound];
        return [bounds[bound], [`${label}, ${words}`, ...rest] as const];
      }),
    ),
  });
}

function measureCells(one: CaseRecord, name: string, asked: Curve["asked"]): Readonly<Record<string, Value>> {
  const { value, low, high, n } = measured([one], name, asked) ?? {
    ...{ value: null, low: null, high: null, n: null },
  };
  return name in asked
    ? { [name]: value, [`${name}Low`]: low, [`${name}High`]: high, [`${name}N`]: n }
    : { [name]: value };
}

function byNumbers(a: CaseRecord, b: CaseRecord): number {
  const [left, right] = [a.id.split("/"), b.id.split("/")];
  for (const [i, one] of left.entries()) {
    const other = right[i] ?? "";
    const byValue = Number(one) - Number(other);
    const order = Number.isNaN(byValue) ? one.localeCompare(other, "en", { numeric: true }) : byValue;
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
