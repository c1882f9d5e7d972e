/** @file The parameters of the method on a command line: --preset, --set for every one, and shorthands for a few. */

import type { ValueKind } from "../src/records/parameterKinds.ts";
import { noneText, rangeText, readValue, problemsOf, withParameter } from "../src/records/parameterText.ts";
import {
  PARAMETER_NAMES,
  PRESETS,
  rowOf,
  type MethodParams,
  type ParameterName,
} from "../src/records/params.ts";
import { choiceOption, UsageError } from "./cli.ts";

/** For parseArgs; shorthands stand beside them. */
export const METHOD_OPTIONS = {
  preset: { type: "string" },
  set: { type: "string", multiple: true },
} as const;

/** Options that are short for a --set. */
export type Shorthands = Readonly<Record<string, ParameterName>>;

interface Given {
  readonly preset?: string | undefined;
  readonly set?: readonly string[] | undefined;
}

/**
 * `base`, or the preset where one is named, with every change of the command line; --set wins over a shorthand.
 * @throws UsageError with what the parameter may be
 */
export function methodParams<Short extends Shorthands>(
  given: Given & { readonly [Option in keyof Short]?: string | undefined },
  shorthands: Short,
  base: MethodParams,
): MethodParams {
  const preset = given.preset === undefined ? null : choiceOption("preset", given.preset, PRESET_NAMES);
  const short = Object.entries(shorthands).flatMap(([option, name]): Change[] => {
    const text = given[option];
    return text === undefined ? [] : [{ option: `--${option}`, name, text }];
  });
  const changes = [...short, ...(given.set ?? []).map(changeOf)];
  const params = changes.reduce(applied, preset ? PRESETS[preset] : base);
  const [problem] = changes.length > 0 ? problemsOf(params) : [];
  if (problem !== undefined) throw new UsageError(`--set: ${problem}`);
  return params;
}

const PRESET_NAMES = Object.keys(PRESETS) as (keyof typeof PRESETS)[];

interface Change {
  readonly option: string;
  readonly name: ParameterName;
  readonly text: string;
}

function changeOf(text: string): Change {
  const [, given = text, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const name = PARAMETER_NAMES.find((one) => one === given.trim());
  if (name === undefined)
    throw new UsageError(
      `--set ${text}: there is no parameter "${given}", expected one of: ${PARAMETER_NAMES.join(", ")}`,
    );
  if (value === undefined)
    throw new UsageError(`--set ${text} has no value, expected e.g. --set ${name}=${PRESETS.sharp[name]}`);
  return { option: `--set ${name}`, name, text: value };
}

function applied(params: MethodParams, { option, name, text }: Change): MethodParams {
  const { kind } = rowOf(name);
  const value = readValue(kind, text);
  if (value === undefined) throw new UsageError(`${option} is "${text}", expected ${rangeText(kind)}`);
  return withParameter(params, name, value);
}

/** One line a parameter: its range, its values in the presets, what it does. */
export function methodHelp(): string {
  const width = Math.max(...PARAMETER_NAMES.map(({ length }) => length));
  const lines = PARAMETER_NAMES.map((name) => {
    const { kind, about } = rowOf(name);
    const [sharp, paper] = [PRESETS.sharp[name], PRESETS.paper[name]];
    const shown = (value: MethodParams[ParameterName]) => shownAs(kind, value);
    const values = sharp === paper ? shown(sharp) : `${shown(sharp)}; paper ${shown(paper)}`;
    return `    ${name.padEnd(width)}  ${rangeText(kind)} (${values})\n    ${" ".repeat(width)}  ${about}`;
  });
  return ["  --set NAME=VALUE   any parameter of the method, as often as needed:", ...lines].join("\n");
}

function shownAs(kind: ValueKind, value: MethodParams[ParameterName]): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return value === null ? noneText(kind) : String(value);
}
