/** @file Schema of the parameter table: which stages read a parameter, its allowed values, and its help text. */

export type Stage =
  | "candidates"
  | "anchors"
  | "budget"
  | "layers"
  | "encode"
  | "read"
  | "route"
  | "index"
  | "answer";

/** "paper": exactly as in the paper, even if that is weak. "sharp": the default, with our improvements. */
export type Preset = "paper" | "sharp";

export type ValueKind =
  | { readonly type: "whole"; readonly min: number; readonly max: number }
  | { readonly type: "number"; readonly min: number; readonly max: number; readonly step?: number }
  | LimitKind
  | { readonly type: "switch" }
  | ChoiceKind<string>;

interface LimitKind {
  readonly type: "limit";
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly none?: string;
  readonly probed?: true;
}

export const PROBE = "probe";

export interface ChoiceKind<Value extends string> {
  readonly type: "choice";
  readonly options: readonly Option<Value>[];
}

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly note?: string;
}

export type ParameterValue = string | number | boolean | null;

export interface Parameter {
  /** The stages that read it; the first one decides its heading. */
  readonly stages: readonly [Stage, ...Stage[]];
  readonly label: string;
  readonly symbol?: string;
  readonly unit?: string;
  readonly about: string;
  readonly source: string;
  readonly kind: ValueKind;
  readonly paper: ParameterValue;
  readonly sharp?: ParameterValue;
  /** Shown in the summary of its heading. */
  readonly brief?: true;
  /** An upper bound that a run may stay below; shown with ≤. */
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
export const choice = <const Options extends Readonly<Record<string, string | readonly [string, string]>>>(
  options: Options,
): ChoiceKind<keyof Options & string> => ({
  type: "choice",
  options: Object.entries(options).map(([value, given]) => {
    const [label, note] = [given].flat();
    return { value, label: label!, ...(note !== undefined && { note }) };
  }),
});
export const paperOrOurs = (paper: string, ours: string) =>
  choice({ paper: ["As in the paper", paper], ours: ["Ours", ours] });
