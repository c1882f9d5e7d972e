/** @file What a row of the table of parameters is made of: who reads it, what it can be, what is said of it. */

/** The stages of the method that read parameters, in running order. */
export type Stage =
  "candidates" | "anchors" | "budget" | "layers" | "encode" | "store" | "read" | "route" | "index" | "answer";

/** "paper": exactly what the paper states, also where it is weak. "sharp": the default, each improvement a field of its own. */
export type Preset = "paper" | "sharp";

/** What a value can be; "limit" is a number or none at all, or what a probe of the model finds. */
export type ValueKind =
  | { readonly type: "whole"; readonly min: number; readonly max: number }
  | { readonly type: "number"; readonly min: number; readonly max: number; readonly step?: number }
  | LimitKind
  | { readonly type: "switch" }
  | ChoiceKind<string>;

export interface LimitKind {
  readonly type: "limit";
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  /** What stands there instead of a number; "none" where it is not said. */
  readonly none?: string;
  /** Whether {@link PROBE} is a value too. */
  readonly probed?: true;
}

/** In place of a number: the one that is found by probing the model. */
export const PROBE = "probe";

export interface ChoiceKind<Value extends string> {
  readonly type: "choice";
  readonly options: readonly Option<Value>[];
}

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** One line that helps to choose. */
  readonly note?: string;
}

export type ParameterValue = string | number | boolean | null;

export interface Parameter {
  /** Who reads it; the first one says under which heading it stands. */
  readonly stages: readonly [Stage, ...Stage[]];
  readonly label: string;
  readonly symbol?: string;
  readonly unit?: string;
  /** What it does, in a sentence or two. */
  readonly about: string;
  /** An equation or paragraph of the paper, or that it is ours. */
  readonly source: string;
  readonly kind: ValueKind;
  readonly paper: ParameterValue;
  /** Where it differs from the paper's. */
  readonly sharp?: ParameterValue;
  /**
   * What builds did that did not know it yet: the value of an older file that lacks it. Every row that comes after
   * version 0.1 has one; what 0.1 knew is as in the preset where a file lacks it.
   */
  readonly before?: ParameterValue;
  /** Stands in the line that sums up its heading. */
  readonly brief?: true;
  /** It is a most, which a run may stay below: told with ≤. */
  readonly most?: true;
}

export const whole = (min: number, max: number) => ({ type: "whole", min, max }) as const;
export const number = (min: number, max: number, step?: number) =>
  ({ type: "number", min, max, ...(step === undefined ? {} : { step }) }) as const;
export const limit = (min: number, max: number, step: number, none?: string) =>
  ({ type: "limit", min, max, step, ...(none === undefined ? {} : { none }) }) as const;
export const probedLimit = (min: number, max: number, step: number) =>
  ({ ...limit(min, max, step), probed: true }) as const;
export const ON_OFF = { type: "switch" } as const;
export const choice = <const Value extends string>(
  ...options: readonly Option<Value>[]
): ChoiceKind<Value> => ({
  type: "choice",
  options,
});
