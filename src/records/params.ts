/** @file The parameters of the method: types, presets, stages and checks, which all follow from the rows of the table. */

import { isObject, readBy } from "../lib/check.ts";
import { MEMORIZE_PARAMETERS } from "./memorizeParameters.ts";
import {
  PROBE,
  type ChoiceKind,
  type Parameter,
  type ParameterValue,
  type Preset,
  type Stage,
  type ValueKind,
} from "./parameterKinds.ts";
import { QUESTION_PARAMETERS } from "./questionParameters.ts";

export const PARAMETERS = { ...MEMORIZE_PARAMETERS, ...QUESTION_PARAMETERS };
type Table = typeof PARAMETERS;
export type ParameterName = keyof Table;

type ValueOf<K extends ValueKind> =
  K extends ChoiceKind<infer Value>
    ? Value
    : K extends { readonly type: "switch" }
      ? boolean
      : K extends { readonly type: "limit"; readonly probed: true }
        ? number | null | typeof PROBE
        : K extends { readonly type: "limit" }
          ? number | null
          : number;

export type MethodParams = { readonly preset: Preset } & {
  readonly [Name in ParameterName]: ValueOf<Table[Name]["kind"]>;
};

export type ReadMode = MethodParams["read"];

type StagesOf<Name extends ParameterName> = Table[Name]["stages"][number];
type ReadBy<S extends Stage> = {
  [Name in ParameterName]: Extract<StagesOf<Name>, S> extends never ? never : Name;
}[ParameterName];

export type ParamsOf<S extends Stage> = Pick<MethodParams, ReadBy<S>>;

const ASKED_STAGES = ["read", "route", "answer"] as const satisfies readonly Stage[];
type AskedStage = (typeof ASKED_STAGES)[number];
export type QuestionName = {
  [Name in ParameterName]: Exclude<StagesOf<Name>, AskedStage> extends never ? Name : never;
}[ParameterName];

export type QuestionParams = Pick<MethodParams, QuestionName>;

const ROWS: Readonly<Record<ParameterName, Parameter>> = PARAMETERS;
export const PARAMETER_NAMES = Object.keys(ROWS) as readonly ParameterName[];
export const QUESTION_NAMES = PARAMETER_NAMES.filter((name): name is QuestionName =>
  ROWS[name].stages.every((stage) => (ASKED_STAGES as readonly Stage[]).includes(stage)),
);

export const rowOf = (name: ParameterName): Parameter => ROWS[name];

const values = <Name extends ParameterName>(names: readonly Name[], value: (name: Name) => ParameterValue) =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as unknown as Pick<MethodParams, Name>;

const everyParameter = (preset: Preset, value: (name: ParameterName) => ParameterValue): MethodParams => ({
  preset,
  ...values(PARAMETER_NAMES, value),
});

export const PAPER = everyParameter("paper", (name) => rowOf(name).paper);
export const SHARP = everyParameter("sharp", (name) => {
  const { paper, sharp = paper } = rowOf(name);
  return sharp;
});

/** Settings under which neither the filter nor Eq. 1 drops a sentence of any text that a browser can hold. */
export const EVERY_SENTENCE = {
  candidateFilter: SHARP.candidateFilter,
  depth: SHARP.depth,
  capacity: 100_000_000,
} as const satisfies Partial<MethodParams>;
export const PRESETS: Readonly<Record<Preset, MethodParams>> = { paper: PAPER, sharp: SHARP };

export function paramsOf<S extends Stage>(params: MethodParams, ...stages: readonly S[]): ParamsOf<S> {
  const names = PARAMETER_NAMES.filter((name) =>
    rowOf(name).stages.some((stage) => (stages as readonly Stage[]).includes(stage)),
  );
  return values(names as ReadBy<S>[], (name) => params[name]);
}

export const questionParams = (params: QuestionParams): QuestionParams =>
  values(QUESTION_NAMES, (name) => params[name]);

/** Missing parameters get the preset's value. @throws on an unknown preset or a wrong kind */
export function savedParams(value: unknown, place: string): MethodParams {
  const fields = fieldsOf(value, place);
  const { preset } = fields;
  if (preset !== "paper" && preset !== "sharp")
    throw wrong(`${place}.preset`, "one of: paper, sharp", preset);
  return { ...PRESETS[preset], ...savedFields(PARAMETER_NAMES, fields, place) };
}

export const methodParams = readBy(savedParams);

export const savedQuestionParams = (value: unknown, place: string): QuestionParams => ({
  ...questionParams(SHARP),
  ...savedQuestionChanges(value, place),
});

export const savedQuestionChanges = (value: unknown, place: string): Partial<QuestionParams> =>
  savedFields(QUESTION_NAMES, fieldsOf(value, place), place);

const savedFields = <Name extends ParameterName>(
  names: readonly Name[],
  fields: Readonly<Record<string, unknown>>,
  place: string,
): Partial<Pick<MethodParams, Name>> =>
  values(
    names.filter((name) => Object.hasOwn(fields, name)),
    (name) => checked(name, fields[name], place),
  );

function checked(name: ParameterName, value: unknown, place: string): ParameterValue {
  const { kind } = rowOf(name);
  if (!isOfKind(kind, value)) throw wrong(`${place}.${name}`, kindText(kind), value);
  return value;
}

export function isOfKind(kind: ValueKind, value: unknown): value is ParameterValue {
  if (kind.type === "switch") return typeof value === "boolean";
  if (kind.type === "choice") return kind.options.some((option) => option.value === value);
  if (kind.type === "limit" && (value === null || (kind.probed === true && value === PROBE))) return true;
  return typeof value === "number" && !Number.isNaN(value);
}

function kindText(kind: ValueKind): string {
  if (kind.type === "switch") return "true or false";
  if (kind.type === "choice") return `one of: ${kind.options.map(({ value }) => value).join(", ")}`;
  if (kind.type !== "limit") return "a number";
  return kind.probed ? `a number, null or "${PROBE}"` : "a number or null";
}

function fieldsOf(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw wrong(place, "an object with the parameters of the method", value);
  return value;
}

function wrong(place: string, expected: string, value: unknown): Error {
  const found = (JSON.stringify(value) as string | undefined) ?? "nothing";
  return new Error(`${place} must be ${expected}; found ${found.slice(0, 80)}`);
}

/** `params` with its fields in the order of the table, so that equal parameters give equal JSON. */
export const ordered = (params: MethodParams): MethodParams =>
  everyParameter(params.preset, (name) => params[name]);

export const keyOf = (params: MethodParams, ...stages: readonly Stage[]): string =>
  JSON.stringify(paramsOf(params, ...stages));
