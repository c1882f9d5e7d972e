/** @file What follows from the table of parameters: the record of all choices, the presets, what each stage reads. */

import {
  PROBE,
  type ChoiceKind,
  type Parameter,
  type ParameterValue,
  type Preset,
  type Stage,
  type ValueKind,
} from "./parameterKinds.ts";
import { PARAMETERS } from "./parameters.ts";

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

/** All choices of the method; serialised beside every stored memory. */
export type MethodParams = { readonly preset: Preset } & {
  readonly [Name in ParameterName]: ValueOf<Table[Name]["kind"]>;
};

/** Where the stored vectors are read. */
export type ReadMode = MethodParams["read"];

type StagesOf<Name extends ParameterName> = Table[Name]["stages"][number];
type ReadBy<S extends Stage> = {
  [Name in ParameterName]: Extract<StagesOf<Name>, S> extends never ? never : Name;
}[ParameterName];

/** The parameters that a stage reads, by its own account in the table. */
export type ParamsOf<S extends Stage> = Pick<MethodParams, ReadBy<S>>;

/** Stages that a question runs through. */
const ASKED_STAGES = ["read", "route", "answer"] as const satisfies readonly Stage[];
type AskedStage = (typeof ASKED_STAGES)[number];
export type QuestionName = {
  [Name in ParameterName]: Exclude<StagesOf<Name>, AskedStage> extends never ? Name : never;
}[ParameterName];

/** How a question is routed, read and answered: what a question may set for itself, since no other stage depends on it. */
export type QuestionParams = Pick<MethodParams, QuestionName>;

const ROWS: Readonly<Record<ParameterName, Parameter>> = PARAMETERS;
export const PARAMETER_NAMES = Object.keys(ROWS) as readonly ParameterName[];
export const QUESTION_NAMES = PARAMETER_NAMES.filter((name): name is QuestionName =>
  ROWS[name].stages.every((stage) => (ASKED_STAGES as readonly Stage[]).includes(stage)),
);

/** The row of a parameter, with the fields that not every row has. */
export const rowOf = (name: ParameterName): Parameter => ROWS[name];

/** A value for each of `names`, as the table types them. */
function values<Name extends ParameterName>(
  names: readonly Name[],
  value: (name: Name) => ParameterValue,
): Pick<MethodParams, Name> {
  // The one place where a value of the table becomes a typed field.
  return Object.fromEntries(names.map((name) => [name, value(name)])) as unknown as Pick<MethodParams, Name>;
}

const presetValue = (name: ParameterName, preset: Preset): ParameterValue => {
  const { paper, sharp } = rowOf(name);
  return preset === "sharp" && sharp !== undefined ? sharp : paper;
};

const ofPreset = (preset: Preset): MethodParams => ({
  preset,
  ...values(PARAMETER_NAMES, (name) => presetValue(name, preset)),
});

export const PAPER: MethodParams = ofPreset("paper");
export const SHARP: MethodParams = ofPreset("sharp");

/** What leaves no sentence out, by the filter or by Eq. 1, of any text that a browser can hold. */
export const EVERY_SENTENCE = {
  candidateFilter: "all",
  depth: 100_000,
  capacity: 100_000_000,
} as const satisfies Partial<MethodParams>;
export const PRESETS: Readonly<Record<Preset, MethodParams>> = { paper: PAPER, sharp: SHARP };

/** What the given stages read of `params`. */
export function paramsOf<S extends Stage>(params: MethodParams, ...stages: readonly S[]): ParamsOf<S> {
  const names = PARAMETER_NAMES.filter((name) =>
    rowOf(name).stages.some((stage) => (stages as readonly Stage[]).includes(stage)),
  );
  return values(names as ReadBy<S>[], (name) => params[name]);
}

/** What a question is asked with. */
export const questionParams = (params: QuestionParams): QuestionParams =>
  values(QUESTION_NAMES, (name) => params[name]);

/**
 * A saved record as the parameters of this build. What an older file lacks is as builds did that did not know it.
 * Ranges are not looked at: a form may save what it refuses to run with.
 * @param place where the record stands, the area first, e.g. "notebook: cells[2].input.params"
 * @throws when a field is there and no value of its parameter
 */
export function savedParams(value: unknown, place: string): MethodParams {
  const fields = fieldsOf(value, place);
  const { preset } = fields;
  if (preset !== "paper" && preset !== "sharp")
    throw wrong(`${place}.preset`, "one of: paper, sharp", preset);
  // null is a value: a limit that there is none.
  const lacked = (name: ParameterName): ParameterValue => {
    const { before } = rowOf(name);
    return before === undefined ? presetValue(name, preset) : before;
  };
  const saved = values(PARAMETER_NAMES, (name) =>
    Object.hasOwn(fields, name) ? checked(name, fields[name], place) : lacked(name),
  );
  return { preset, ...saved };
}

/** The settings of a saved answer; no preset is named there, so that what is lacking is as in the default one. */
export const savedQuestionParams = (value: unknown, place: string): QuestionParams =>
  questionParams(savedParams({ ...fieldsOf(value, place), preset: "sharp" }, place));

/** The settings that a question changes: what is lacking is not changed. */
export function savedQuestionChanges(value: unknown, place: string): Partial<QuestionParams> {
  const fields = fieldsOf(value, place);
  const names = QUESTION_NAMES.filter((name) => Object.hasOwn(fields, name));
  return values(names, (name) => checked(name, fields[name], place));
}

function checked(name: ParameterName, value: unknown, place: string): ParameterValue {
  const { kind } = rowOf(name);
  if (!isOfKind(kind, value)) throw wrong(`${place}.${name}`, kindText(kind), value);
  return value;
}

/** Whether a value is of the right kind, whatever its size. */
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
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(place, "an object with the parameters of the method", value);
  return value as Readonly<Record<string, unknown>>;
}

function wrong(place: string, expected: string, value: unknown): Error {
  const found = (JSON.stringify(value) as string | undefined) ?? "nothing";
  return new Error(`${place} must be ${expected}; found ${found.slice(0, 80)}`);
}

/**
 * The parameters without those that came after version 0.1 and stand as before: what 0.1 would have written, so that
 * a text made of them (a cache key, a fingerprint) stays what it was when a row is added.
 */
export function changedSince(params: MethodParams): Partial<MethodParams> {
  const names = PARAMETER_NAMES.filter((name) => {
    const { before } = rowOf(name);
    return before === undefined || params[name] !== before;
  });
  return { preset: params.preset, ...values(names, (name) => params[name]) };
}

/** One text for equal values of all that the given stages read. */
export const keyOf = (params: MethodParams, ...stages: readonly Stage[]): string =>
  JSON.stringify(paramsOf(params, ...stages));
