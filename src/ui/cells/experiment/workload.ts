/** @file How much a study is, from its settings: facts to encode, and how long that takes at a known pace. */

import type { Notebook, StudyName } from "../../../records/notebook.ts";
import type { StudySettings } from "../../../records/run.ts";

const words = (value: unknown): string[] =>
  String(value ?? "")
    .split(/[\s,]+/)
    .filter(Boolean);
const several = (settings: StudySettings, name: string): number =>
  name in settings ? words(settings[name]).length : 1;

/** Facts that a study encodes with these settings; recalls come on top. */
export function factsToEncode(study: StudyName, settings: StudySettings): number {
  const sets = several(settings, "kinds") * several(settings, "presets");
  const number = (name: string): number => Number(settings[name]) || 0;
  switch (study) {
    case "capacity":
      return sets * Math.max(0, ...words(settings["sizes"]).map(Number).filter(Number.isFinite));
    case "deletion":
    case "gates":
      return sets * number("facts");
    case "steps":
      return sets * several(settings, "schedules") * number("facts");
    case "layers":
      return sets * several(settings, "counts") * number("facts");
    case "parts":
      return several(settings, "lengths") * number("facts");
    case "depth":
      return several(settings, "depths") * number("needles");
    default:
      return study satisfies never;
  }
}

/** Milliseconds that one fact took to encode in this notebook's last memorise run; null before there was one. */
export function paceOf({ cells }: Notebook): number | null {
  const outputs = cells.flatMap((cell) => (cell.kind === "memorize" && cell.output ? [cell.output] : []));
  const last = outputs.findLast(({ encoded }) => encoded > 0);
  return last ? (last.milliseconds["encode"] ?? 0) / last.encoded || null : null;
}
