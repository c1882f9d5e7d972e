/** @file Studies: their cases are known before they start. They give numbers only; figures/studies.ts draws the curves. */

import type { FlowContext } from "../../flow/context.ts";
import { assert } from "../../lib/assert.ts";
import { mean } from "../../lib/stats.ts";
import type { Fact } from "../../records/fact.ts";
import { PRESETS, type MethodParams } from "../../records/params.ts";
import type { CaseRecord, RecordsProgress } from "../../records/run.ts";
import type { Document } from "../../records/source.ts";
import {
  settingsWithDefaults,
  STUDY_INFO,
  type StudyName,
  type StudySettings,
} from "../../records/studies.ts";
import type { Cost } from "../runs/pace.ts";

/** The context of a study; `store` must be empty and used by the study only. */
export type StudyContext = Omit<FlowContext, "onProgress"> & {
  readonly seed: number;
  /** Facts of a memory, for studies over kind "memory". */
  readonly facts?: readonly Fact[];
  /** The text that facts are taken from, for studies that need one. */
  readonly document?: Document;
  readonly others?: readonly Document[];
  readonly onProgress?: (progress: RecordsProgress) => void;
};

/** The inputs that tell a case from the others: one value of each axis. */
export type Point = readonly (string | number)[];

export interface Work {
  readonly context: StudyContext;
  readonly settings: Reader;
  readonly wanted: (...point: Point) => boolean;
  /** Reports the current step, and the share of encoded facts among those that the next cases need. */
  readonly note: (text: string, encoded?: number) => void;
  readonly made: (point: Point, found: Omit<CaseRecord, "kind" | "id">) => CaseRecord;
}

export interface Study {
  /** The values that are swept, the outermost first; every combination is a case. @throws on an invalid setting */
  axes(settings: Reader): readonly Point[];
  /** The cost of its cases, for the estimate of the time left. */
  cost(settings: Reader): Cost;
  cases(work: Work): AsyncGenerator<CaseRecord>;
}

/** "code": a short key and a numeric code, as in the paper's template sweep. */
export const MADE = ["template", "code", "sentences"] as const;
export type FactKind = (typeof MADE)[number] | "memory";

/** Typed views of settings; every message names the study and the setting. */
export class Reader {
  readonly #study: StudyName;
  /** All settings, those that were not given with their defaults. */
  readonly all: StudySettings;

  /** @throws when a setting is not one of the study's, or of another type */
  constructor(study: StudyName, given: StudySettings) {
    const { settings } = STUDY_INFO[study];
    for (const [name, value] of Object.entries(given)) {
      const known = settings[name];
      assert(
        known,
        () => `bench: study ${study} has no setting "${name}"; it has ${Object.keys(settings).join(", ")}`,
      );
      assert(
        typeof value === typeof known.value,
        () => `bench: ${study}: ${name} is ${JSON.stringify(value)}, expected a ${typeof known.value}`,
      );
    }
    this.#study = study;
    this.all = settingsWithDefaults({ study, settings: given });
  }

  count(name: string, least = 1): number {
    const value = Number(this.all[name]);
    this.#expect(Number.isInteger(value) && value >= least, name, `a whole number from ${least}`);
    return value;
  }

  /** A list of numbers in the order given, without repeats. */
  numbers(name: string, least: number, whole = false): number[] {
    const values = this.words(name).map(Number);
    const fits = (value: number) => Number.isFinite(value) && value >= least && (!whole || value % 1 === 0);
    this.#expect(values.every(fits), name, `${whole ? "whole " : ""}numbers from ${least}, with commas`);
    return values;
  }

  choices<T extends string>(name: string, all: readonly T[]): T[] {
    const words = this.words(name) as T[];
    this.#expect(
      words.every((word) => all.includes(word)),
      name,
      `any of ${all.join(", ")}`,
    );
    return words;
  }

  kinds(): FactKind[] {
    return this.choices("kinds", [...MADE, "memory"]);
  }

  presets(): ("paper" | "sharp")[] {
    return this.choices("presets", ["paper", "sharp"]);
  }

  /** The items of a list, without repeats. */
  words(name: string): string[] {
    const words = String(this.all[name]).split(/[\s,]+/);
    const found = [...new Set(words.filter((word) => word !== ""))];
    this.#expect(found.length > 0, name, "a list with at least one item");
    return found;
  }

  #expect(holds: boolean, name: string, expected: string): void {
    assert(
      holds,
      () => `bench: ${this.#study}: ${name} is ${JSON.stringify(this.all[name])}, expected ${expected}`,
    );
  }
}

/** Cases whose ids differ in the last part alone share what is encoded for them. */
export const byStem = (id: string): string => id.slice(0, id.lastIndexOf("/"));

/** Facts encoded together in a study, also under the paper preset: rows do not see each other, only the time changes. */
const STUDY_BATCH = 32;

/** The parameters of a preset; those of the context if they have that preset, so that manual changes count. */
export function presetParams({ params }: StudyContext, preset: MethodParams["preset"]): MethodParams {
  const chosen = params.preset === preset ? params : PRESETS[preset];
  // A study asks what single vectors hold: values are not cut.
  return { ...chosen, partTokens: null, encodeBatch: Math.max(chosen.encodeBatch, STUDY_BATCH) };
}

/** The mean; null of an empty list. */
export const measured = (values: readonly number[]): number | null =>
  values.length === 0 ? null : mean(values);

export const share = <T>(items: readonly T[], holds: (item: T) => boolean): number | null =>
  measured(items.map((item) => Number(holds(item))));
