/** @file What the GPU benchmark writes of a case, under which name, and which cases are to be measured when it goes on. */

import type { Precision } from "../../lib/precision.ts";
import type { CaseFigures } from "./cases.ts";
import type { Limits } from "./limits.ts";

/** Where cases are measured. */
export interface Place {
  readonly backend: "webgpu" | "cpu" | "chromium";
  /** The card, or the processor, as far as anybody says which. */
  readonly adapter: string;
  /** The adapter is played by the processor: its times say nothing of a card. */
  readonly software: boolean;
  readonly runtime: string;
}

export interface CaseName {
  readonly shape: string;
  readonly precision: Precision;
}

/** A case that was measured, or why it was not. */
export interface GpuCase extends CaseName {
  readonly format: typeof FORMAT;
  readonly place: Place;
  readonly commit: string;
  readonly date: string;
  /** As measured beside it, or given. */
  readonly limits: Limits | null;
  readonly figures: CaseFigures | null;
  readonly failed: string | null;
}

export const FORMAT = "palimpsest bench:gpu 2";

/** What is written before a case begins: a process that dies, as one without memory may, leaves this. */
export const UNFINISHED = "it did not end: the process died or was ended in the midst of it";

/** The file of a case: one for each backend, adapter, shape and precision. */
export const fileOf = ({ backend, adapter }: Place, { shape, precision }: CaseName): string =>
  `${slug(`${backend} ${adapter}`)}.${shape}.${precision}.json`;

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 80);

/** A case that is wanted, with what is known of it. */
export interface WantedCase {
  readonly name: CaseName;
  readonly record: GpuCase | undefined;
}

/** Those that have no figures yet: first what was never tried, then what failed, which may have been for a moment. */
export const toMeasure = <C extends WantedCase>(cases: readonly C[]): C[] => [
  ...cases.filter(({ record }) => !record),
  ...cases.filter(({ record }) => record && !record.figures),
];

/** Cases whose figures are of another commit: they stay, and the table says of which. */
export const ofOtherCommits = <C extends WantedCase>(cases: readonly C[], commit: string): C[] =>
  cases.filter(({ record }) => record?.figures && record.commit !== commit);
