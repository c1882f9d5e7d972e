/** @file Cases of the GPU benchmark as Markdown tables, each figure beside its limit as a ratio. */

import type { Purpose } from "../../runtime/device.ts";
import { groupBy } from "../../lib/group.ts";
import type { CaseFigures } from "./cases.ts";
import type { GpuCase, Place } from "./record.ts";
import { ROWS, type FedAndRecorded } from "./recorded.ts";
import type { Figure } from "./work.ts";

/** A section for each backend and adapter; behind a figure, how much of its limit it is. */
export function table(cases: readonly GpuCase[]): string {
  if (cases.length === 0) return "no case was measured\n";
  const places = groupBy(cases, ({ place }) => JSON.stringify(place));
  return [...places.values()].map(section).join("\n");
}

function section(cases: readonly GpuCase[]): string {
  const measured = cases.flatMap((one) => (one.figures ? [{ ...one, figures: one.figures }] : []));
  const failed = cases.filter(({ figures }) => !figures);
  const parts = [
    `### ${headOf(cases[0]!.place)}\n`,
    markdown("", SPEED, measured),
    markdown(
      "Recorded steps",
      RECORDED,
      measured.filter(({ figures }) => figures.recorded),
    ),
    markdown("The most that the ledger saw on the device, MB", PEAKS, measured),
    markdown(
      "One question of 24 facts: MB beside stored vectors + of these, by tokens of source",
      RESPONSE(measured),
      measured,
    ),
    markdown("Made at, and held against", MADE, measured),
    failed
      .map(
        (one) =>
          `- ${nameOf(one)} was not measured (${one.commit}, ${day(one)}): ${oneLine(one.failed ?? "")}\n`,
      )
      .join(""),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

const headOf = ({ backend, adapter, software, runtime }: Place): string =>
  `${backend === "chromium" ? "Chromium" : "Node"}: ${adapter}${software ? ", a software adapter" : ""} (${runtime})`;

type Measured = GpuCase & { readonly figures: CaseFigures };
/** Head and cell of a column. */
type Columns = readonly (readonly [head: string, cell: (one: Measured) => string])[];

const nameOf = ({ shape, precision }: GpuCase): string => `${shape} ${precision}`;
const day = ({ date }: GpuCase): string => date.slice(0, 10);

const SPEED: Columns = [
  ["model", nameOf],
  ["weights", ({ figures }) => `${digits(figures.weights / 1e9)} GB`],
  ["load s", ({ figures }) => beside(figures.load)],
  ["prefill tok/s", ({ figures }) => beside(figures.prefill)],
  ["decode tok/s", ({ figures }) => beside(figures.decode)],
  ["encode step ms", ({ figures }) => beside(figures.encodeStep)],
  ["facts/s ours", ({ figures }) => beside(figures.facts.ours)],
  ["facts/s naive", ({ figures }) => digits(figures.facts.naive)],
  ["ours / naive", ({ figures }) => digits(figures.facts.ratio)],
  ["steps ours, naive", ({ figures: { facts } }) => `${digits(facts.steps.ours)}, ${facts.steps.naive}`],
  ["recall 1 ms", ({ figures }) => beside(figures.recall.one)],
  ["recall 24 ms", ({ figures }) => beside(figures.recall.many)],
];

const RECORDED: Columns = [
  ["model", nameOf],
  ["decode tok/s: fed, recorded", ({ figures }) => both(figures.recorded!.decode, (fed, own) => own / fed)],
  [
    `step of ${ROWS} facts, ms: fed, recorded`,
    ({ figures }) => both(figures.recorded!.encode, (fed, own) => fed / own),
  ],
];

const PURPOSES: readonly Purpose[] = ["weights", "cache", "encode", "vectors", "activation"];
const PEAKS: Columns = [
  ["model", nameOf],
  ...PURPOSES.map(
    (purpose) => [purpose, ({ figures }: Measured) => megabytes(figures.peaks.byPurpose[purpose])] as const,
  ),
  ["at one moment", ({ figures }) => megabytes(figures.peaks.together)],
];

const RESPONSE = (measured: readonly Measured[]): Columns => [
  ["model", nameOf],
  ...(measured[0]?.figures.response ?? []).map(({ tokens, facts }, i) => {
    const cell = ({ figures }: Measured): string => {
      const { beside: held, vectors, stored } = figures.response[i]!;
      return `${megabytes(held)} + ${megabytes(vectors)} (stored ${megabytes(stored)})`;
    };
    return [`${shortTokens(tokens)}: ${facts} facts`, cell] as const;
  }),
];

const MADE: Columns = [
  ["model", nameOf],
  ["commit", ({ commit }) => commit],
  ["date", day],
  ["GB/s", ({ limits }) => digits(limits!.bytesPerSecond / 1e9)],
  ["TFLOP/s, float32", ({ limits }) => digits(limits!.flopsPerSecond / 1e12)],
  ["GB/s to the device", ({ limits }) => digits(limits!.uploadBytesPerSecond / 1e9)],
];

function markdown(title: string, columns: Columns, cases: readonly Measured[]): string {
  if (cases.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rows = cases.map((one) => line(columns.map(([, cell]) => oneLine(cell(one)))));
  const head = [line(columns.map(([name]) => name)), line(columns.map(() => "---"))];
  return [...(title ? [`${title}:`, ""] : []), ...head, ...rows, ""].join("\n");
}

const digits = (value: number): string => String(Number(value.toPrecision(3)));
const beside = ({ value, ratio }: Figure): string =>
  `${digits(value)} (${digits(Number((100 * ratio).toPrecision(2)))} %)`;
const megabytes = (bytes: number): string => digits(bytes / 1e6);
const shortTokens = (tokens: number): string =>
  tokens < 2 ** 20 ? `${tokens / 2 ** 10}K` : `${tokens / 2 ** 20}M`;

const both = (found: FedAndRecorded, gain: (fed: number, recorded: number) => number): string =>
  "refused" in found
    ? `not recorded: ${found.refused}`
    : `${digits(found.fed)}, ${digits(found.recorded)} (${digits(gain(found.fed, found.recorded))} times)`;

/** Fit for a cell. */
const oneLine = (text: string): string => text.replaceAll("\n", " ").replaceAll("|", "/").slice(0, 240);
