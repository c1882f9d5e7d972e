/** @file Read settings of a cell: only differences from the memory's settings are saved and shown. */

import type { ReadSettings } from "../../records/notebook.ts";
import { settingText } from "../../records/parameterText.ts";
import { QUESTION_NAMES, type QuestionParams } from "../../records/params.ts";

/** The parts of `settings` that differ from the memory's own; null when none does. */
export function changed(settings: ReadSettings, defaults: QuestionParams): ReadSettings | null {
  const parts = Object.entries(settings).filter(
    ([name, value]) => defaults[name as keyof QuestionParams] !== value,
  );
  return parts.length === 0 ? null : Object.fromEntries(parts);
}

export const settingsLine = (settings: ReadSettings | null): string =>
  QUESTION_NAMES.flatMap((name) => {
    const value = settings?.[name];
    return value === undefined ? [] : [settingText(name, value)];
  }).join(", ");
