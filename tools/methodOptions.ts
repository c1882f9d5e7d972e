/** @file The parameters of the method on a command line: --preset, --set for every one, and shorthands for a few. */

import type { ValueKind } from "../src/records/parameterKinds.ts";
import { messageOf } from "../src/lib/assert.ts";
import {
  noneText,
  parameterOf,
  rangeText,
  withParameter,
  withSettings,
} from "../src/records/parameterText.ts";
import {
  PARAMETER_NAMES,
  PRESETS,
  rowOf,
  type MethodParams,
  type ParameterName,
} from "../src/records/params.ts";
import { choiceOption, UsageError } from "./cli.ts";

/** For parseArgs; used with shorthands. */
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
 * `base` or the named preset, with the changes of the command line; --set wins over a shorthand.
 * @throws UsageError with the allowed values
 */
export function methodParams<Short extends Shorthands>(
  given: Given & { readonly [Option in keyof Short]?: string | undefined },
  shorthands: Short,
  base: MethodParams,
): MethodParams {
  const preset = given.preset === undefined ? null : choiceOption("preset", given.preset, PRESET_NAMES);
  const start = preset ? PRESETS[preset] : base;
  const short = Object.entries(shorthands).filter(([option]) => given[option] !== undefined);
  if (short.length + (given.set ?? []).length === 0) return start;
  const shortened = short.reduce((params, [option, name]) => {
    const value = usage("", () => parameterOf(name, given[option]!, `--${option}`));
    return withParameter(params, name, value);
  }, start);
  return usage("--set ", () => withSettings(shortened, given.set ?? []));
}

const PRESET_NAMES = Object.keys(PRESETS) as (keyof typeof PRESETS)[];

/** The result of `read`. @throws UsageError with its message after `option` */
function usage<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${option}${messageOf(error)}`);
  }
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
