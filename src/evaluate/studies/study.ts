/**
 * @file Studies: their cases are known before they start, each with an id that follows from its inputs. They give numbers
 * only; figures/studies.ts draws the curves.
 */

import type { FlowContext } from "../../flow/context.ts";
import { assert } from "../../lib/assert.ts";
import type { Fact } from "../../records/fact.ts";
import type { StudyName } from "../../records/notebook.ts";
import { PRESETS, type MethodParams } from "../../records/params.ts";
import type { CaseRecord, Setting, RecordsProgress, StudySettings } from "../../records/run.ts";
import type { Document } from "../../records/source.ts";
import { STUDY_INFO } from "../../records/studies.ts";
import type { Cost } from "../runs/pace.ts";

/** The context of a study; `store` must be empty and used by the study only. */
export type StudyContext = Omit<FlowContext, "onProgress"> & {
  readonly seed: number;
  /** Facts of a memory, for studies over kind "memory". */
  readonly facts?: readonly Fact[];
  /** The text that facts are taken from, for studies that need one. */
  readonly document?: Document;
  readonly onProgress?: (progress: RecordsProgress) => void;
};

/** The settings of a study, and the cases to make. */
export interface Work {
  readonly context: StudyContext;
  readonly settings: Reader;
  readonly wanted: (id: string) => boolean;
  /** Reports the current step, and the share of encoded facts among those that the next cases need. */
  readonly note: (text: string, encoded?: number) => void;
}

export interface Study {
  /** Ids of all cases in running order. @throws on an invalid setting */
  plan(settings: Reader): string[];
  /** The cost of its cases, for the estimate of the time left. */
  cost(settings: Reader): Cost;
  /** Yields the wanted cases in that order. */
  cases(work: Work): AsyncGenerator<CaseRecord>;
}

/** Typed views of settings; every message names the study and the setting. */
export class Reader {
  readonly #study: StudyName;
  readonly #values: StudySettings;

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
    const defaults = Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));
    this.#study = study;
    this.#values = { ...defaults, ...given };
  }

  /** All settings, those that were not given with their defaults. */
  get all(): StudySettings {
    return this.#values;
  }

  count(name: string, least = 1): number {
    const value = this.#value(name);
    assert(Number.isInteger(value) && (value as number) >= least, () =>
      this.#wrong(name, `a whole number from ${least}`),
    );
    return value as number;
  }

  /** A list of numbers in the order given, without repeats. */
  numbers(name: string, { least = -Infinity, whole = false } = {}): number[] {
    const values = this.words(name).map(Number);
    const fits = (x: number) => Number.isFinite(x) && x >= least && (!whole || Number.isInteger(x));
    assert(values.every(fits), () =>
      this.#wrong(
        name,
        `${whole ? "whole " : ""}numbers${least > -Infinity ? ` from ${least}` : ""}, with commas`,
      ),
    );
    return values;
  }

  words(name: string): string[] {
    const words = String(this.#value(name))
      .split(/[\s,]+/)
      .filter((word) => word !== "");
    assert(words.length > 0, () => this.#wrong(name, "a list with at least one item"));
    return [...new Set(words)];
  }

  choices<T extends string>(name: string, all: readonly T[]): T[] {
    const words = this.words(name);
    assert(
      words.every((word) => (all as readonly string[]).includes(word)),
      () => this.#wrong(name, `any of ${all.join(", ")}`),
    );
    return words as T[];
  }

  presets(): ("paper" | "sharp")[] {
    return this.choices("presets", ["paper", "sharp"]);
  }

  #value(name: string): Setting {
    return this.#values[name]!;
  }

  #wrong(name: string, expected: string): string {
    return `bench: ${this.#study}: ${name} is ${JSON.stringify(this.#value(name))}, expected ${expected}`;
  }
}

/** Cases whose ids differ in the last part alone share what is encoded for them. */
export const byStem = (id: string): string => id.slice(0, id.lastIndexOf("/"));

/** Facts encoded together in a study, also under the paper preset: rows do not see each other, only the time changes. */
const STUDY_BATCH = 32;

/** The parameters of a preset; those of the context if they have that preset, so that manual changes count. */
export function presetParams({ params }: StudyContext, preset: "paper" | "sharp"): MethodParams {
  const chosen = params.preset === preset ? params : PRESETS[preset];
  // A study asks what single vectors hold: values are not cut.
  return { ...chosen, partTokens: null, encodeBatch: Math.max(chosen.encodeBatch, STUDY_BATCH) };
}

/** The context for an arrow of src/flow; its progress becomes words of the study. */
export function flowContext(
  { engine, store, params, now, date, signal }: StudyContext,
  note: Work["note"],
): FlowContext {
  return {
    engine,
    store,
    params,
    now,
    date,
    ...(signal ? { signal } : {}),
    onProgress: ({ stage, done, total }) => {
      const share = stage === "encode" && total ? done / total : undefined;
      note(`${stage} ${done}${total === null ? "" : ` of ${total}`}`, share);
    },
  };
}
