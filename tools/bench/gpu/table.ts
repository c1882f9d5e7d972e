/** @file Records of the GPU benchmark, and their Markdown tables, with each figure's share of its limit. */

import { groupBy } from "../../../src/lib/group.ts";
import type { Precision } from "../../../src/lib/precision.ts";
import type { CaseFigures } from "./cases.ts";
import type { Limits } from "./limits.ts";
import type { Figure } from "./work.ts";

/** Where cases are measured. */
export interface Place {
  readonly backend: "webgpu" | "cpu" | "chromium";
  /** The card or processor, as far as it is known. */
  readonly adapter: string;
  /** Whether the processor emulates the adapter: its times are not those of a card. */
  readonly software: boolean;
  readonly runtime: string;
}

export interface CaseName {
  readonly shape: string;
  readonly precision: Precision;
}

/** A measured case, or the reason why it was not measured. */
export interface GpuCase extends CaseName {
  readonly format: typeof FORMAT;
  readonly place: Place;
  readonly commit: string;
  readonly date: string;
  readonly limits: Limits | null;
  readonly figures: CaseFigures | null;
  readonly failed: string | null;
}

export const FORMAT = "palimpsest bench:gpu 1";

/** The file name of a case: one for each backend, adapter, shape and precision. */
export const fileOf = ({ backend, adapter }: Place, { shape, precision }: CaseName): string =>
  `${slug(`${backend} ${adapter}`)}.${shape}.${precision}.json`;

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 80);

/** A section for each backend and adapter. */
export function table(cases: readonly GpuCase[]): string {
  if (cases.length === 0) return "no case was measured\n";
  const places = groupBy(cases, ({ place }) => JSON.stringify(place));
  return [...places.values()].map(section).join("\n");
}

function section(cases: readonly GpuCase[]): string {
  const { backend, adapter, software, runtime } = cases[0]!.place;
  const rows = cases.flatMap(({ figures, limits, ...one }) =>
    figures && limits ? [[nameOf(one), ...cellsOf(figures, limits), one.commit, day(one)]] : [],
  );
  const failed = cases.filter(({ figures }) => !figures);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    `### ${backend === "chromium" ? "Chromium" : "Node"}: ${adapter}${software ? ", a software adapter" : ""} (${runtime})`,
    "",
    ...(rows.length > 0 ? [HEAD, HEAD.map(() => "---"), ...rows].map(line) : []),
    ...failed.map(
      (one) => `- ${nameOf(one)} was not measured (${one.commit}, ${day(one)}): ${oneLine(one.failed ?? "")}`,
    ),
    "",
  ].join("\n");
}

const nameOf = ({ shape, precision }: CaseName): string => `${shape} ${precision}`;
const day = ({ date }: Pick<GpuCase, "date">): string => date.slice(0, 10);

const HEAD = [
  "model",
  "weights",
  "load s",
  "prefill tok/s",
  "decode tok/s",
  "encode step ms",
  "recall 1 ms",
  "recall 24 ms",
  "GB/s",
  "TFLOP/s, float32",
  "GB/s to the device",
  "commit",
  "date",
];

const cellsOf = (figures: CaseFigures, limits: Limits): string[] => [
  `${digits(figures.weights / 1e9)} GB`,
  ...[figures.load, figures.prefill, figures.decode, figures.encodeStep].map(withShare),
  ...[figures.recallOne, figures.recallMany].map(withShare),
  digits(limits.bytesPerSecond / 1e9),
  digits(limits.flopsPerSecond / 1e12),
  digits(limits.uploadBytesPerSecond / 1e9),
];

const digits = (value: number): string => String(Number(value.toPrecision(3)));
const withShare = ({ value, ratio }: Figure): string =>
  `${digits(value)} (${digits(Number((100 * ratio).toPrecision(2)))} %)`;

/** Text that fits in a cell. */
const oneLine = (text: string): string => text.replaceAll("\n", " ").replaceAll("|", "/").slice(0, 240);
