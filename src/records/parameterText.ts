/** @file Parameters as text: headings, values in words, and values that a person types. */

import { assert } from "../lib/assert.ts";
import { grouped } from "../lib/format.ts";
import { PROBE, type ValueKind, type ParameterValue, type Stage } from "./parameterKinds.ts";
import {
  isOfKind,
  PARAMETER_NAMES,
  PRESETS,
  rowOf,
  type MethodParams,
  type ParameterName,
} from "./params.ts";

const HEADINGS = {
  candidates: "Candidates",
  anchors: "Anchors",
  budget: "Budget",
  layers: "Layers",
  encode: "Encoding",
  read: "Read",
  route: "Routing",
  index: "Routing",
  answer: "Routing",
} as const satisfies Record<Stage, string>;
export type Heading = (typeof HEADINGS)[Stage];
export const ALL_HEADINGS: readonly Heading[] = [...new Set(Object.values(HEADINGS))];

export const namesUnder = (heading: Heading): readonly ParameterName[] =>
  PARAMETER_NAMES.filter((name) => HEADINGS[rowOf(name).stages[0]] === heading);

export const headingSummary = (heading: Heading, params: MethodParams): string =>
  namesUnder(heading)
    .filter((name) => rowOf(name).brief)
    .map((name) =>
      rowOf(name).kind.type === "choice" ? valueText(name, params[name]) : settingText(name, params[name]),
    )
    .join(", ");

export function settingText(name: ParameterName, value: ParameterValue): string {
  const { symbol, label, most } = rowOf(name);
  const text = valueText(name, value);
  return `${label.toLowerCase()} ${most ? "at most " : ""}${text}${symbol ? ` (${symbol})` : ""}`;
}

export const paramsText = (params: MethodParams): string =>
  ALL_HEADINGS.map((heading) => {
    const settings = namesUnder(heading).map((name) => settingText(name, params[name]));
    return `${heading}: ${settings.join(", ")}.`;
  }).join(" ");

export function valueText(name: ParameterName, value: ParameterValue): string {
  const { kind } = rowOf(name);
  if (kind.type === "choice")
    return kind.options.find((option) => option.value === value)?.label.toLowerCase() ?? String(value);
  if (typeof value === "boolean") return value ? "on" : "off";
  if (value === PROBE) return "by probe";
  if (value === null) return noneText(kind);
  return typeof value === "number" && Number.isInteger(value) ? grouped(value) : String(value);
}

export const noneText = (kind: ValueKind): string => (kind.type === "limit" && kind.none) || "none";

export const differences = (params: MethodParams): readonly ParameterName[] =>
  PARAMETER_NAMES.filter((name) => params[name] !== PRESETS[params.preset][name]);

export const withParameter = (
  params: MethodParams,
  name: ParameterName,
  value: ParameterValue,
): MethodParams => ({ ...params, [name]: value }) as MethodParams;

export function rangeText(kind: ValueKind): string {
  switch (kind.type) {
    case "switch":
      return "on or off";
    case "choice":
      return `one of: ${kind.options.map(({ value }) => value).join(", ")}`;
    case "whole":
      return `a whole number from ${kind.min} to ${kind.max}`;
    case "number":
      return `a number from ${kind.min} to ${kind.max}`;
    case "limit":
      return `a ${isWhole(kind) ? "whole " : ""}number from ${kind.min} to ${kind.max}, ${kind.probed ? `${PROBE}, ` : ""}or ${noneText(kind)}`;
    default:
      return kind satisfies never;
  }
}

export function fits(kind: ValueKind, value: unknown): value is ParameterValue {
  if (!isOfKind(kind, value)) return false;
  if (!("min" in kind) || value === null || value === PROBE) return true;
  const number = Number(value);
  return number >= kind.min && number <= kind.max && (!isWhole(kind) || Number.isInteger(number));
}

export const isWhole = (kind: ValueKind): boolean =>
  kind.type === "whole" || (kind.type === "limit" && kind.step === 1);

export function problemWith(name: ParameterName, value: unknown): string | null {
  const { kind, label } = rowOf(name);
  return fits(kind, value) ? null : `${label} must be ${rangeText(kind)}.`;
}

export const problemsOf = (params: MethodParams): readonly string[] =>
  PARAMETER_NAMES.flatMap((name) => problemWith(name, params[name]) ?? []);

export function readValue(kind: ValueKind, text: string): ParameterValue | undefined {
  const value = typed(kind, text.trim());
  return fits(kind, value) ? value : undefined;
}

function typed(kind: ValueKind, text: string): ParameterValue {
  if (kind.type === "choice") return text;
  if (kind.type === "switch") return text === "on" || (text === "off" ? false : text);
  if (kind.type === "limit" && (text === "none" || text === noneText(kind))) return null;
  if (kind.type === "limit" && kind.probed && text === PROBE) return PROBE;
  return text === "" ? Number.NaN : Number(text);
}

/** Reads a typed value. @param called the name in the error @throws with the allowed values */
export function parameterOf(name: ParameterName, text: string, called: string = name): ParameterValue {
  const { kind } = rowOf(name);
  const value = readValue(kind, text);
  assert(value !== undefined, () => `${called} is "${text}", expected ${rangeText(kind)}`);
  return value;
}

/** @throws on an unknown parameter or a value that it cannot have */
export function withSettings(base: MethodParams, settings: readonly string[]): MethodParams {
  const params = settings.reduce((before, text) => {
    const [, given = text, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const name = PARAMETER_NAMES.find((one) => one === given.trim());
    assert(
      name,
      () => `${text}: unknown parameter "${given}", expected one of: ${PARAMETER_NAMES.join(", ")}`,
    );
    if (value === undefined)
      throw new Error(`${text} has no value, expected e.g. ${name}=${String(PRESETS.sharp[name])}`);
    return withParameter(before, name, parameterOf(name, value));
  }, base);
  const [problem] = problemsOf(params);
  assert(problem === undefined, () => `${settings.join(", ") || "these values"}: ${problem}`);
  return params;
}
