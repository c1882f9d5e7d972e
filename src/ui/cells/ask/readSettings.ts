/** @file Read settings of a cell beside those of the memory: only what differs is kept and said. */

import type { ReadParams } from "../../../records/answer.ts";
import type { ReadSettings } from "../../../records/notebook.ts";
import { counted } from "../../format.ts";

/** The parts of `settings` that differ from the memory's own; null when none does. */
export function changed(settings: ReadSettings, defaults: ReadParams): ReadSettings | null {
  const parts = Object.entries(settings).filter(
    ([name, value]) => defaults[name as keyof ReadParams] !== value,
  );
  return parts.length === 0 ? null : Object.fromEntries(parts);
}

/** Settings in words; empty where there are none. */
export function settingsLine(settings: ReadSettings | null): string {
  const { theta, beta, read, maxFacts, maxAnchors, routeShare } = settings ?? {};
  return [
    theta === undefined ? "" : `θ ${theta}`,
    beta === undefined ? "" : `β ${beta}`,
    read === undefined ? "" : read === "top1" ? "top-1 read" : "soft read",
    maxAnchors === undefined ? "" : `at most ${counted(maxAnchors, "anchor")}`,
    maxFacts === undefined ? "" : `at most ${counted(maxFacts, "fact")}`,
    routeShare === undefined ? "" : `route share ${routeShare}`,
  ]
    .filter(Boolean)
    .join(", ");
}
