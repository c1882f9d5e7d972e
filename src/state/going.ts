/** @file Whether something goes on: asked of one run, and of all of them. */

import type { AppState, CellRun } from "./types.ts";

/** A run that waits, goes on or is held: what it was given must not change under it. */
export type Going = CellRun & { readonly status: "queued" | "running" | "paused" };

/** A run that goes on or is held: it has something to show. */
export type Begun = CellRun & { readonly status: "running" | "paused" };

export const isGoing = (run: CellRun | null | undefined): run is Going =>
  run?.status === "queued" || isBegun(run);

export const isBegun = (run: CellRun | null | undefined): run is Begun =>
  run?.status === "running" || run?.status === "paused";

export const somethingGoes = ({ runs }: AppState): boolean => Object.values(runs).some(isGoing);

/** Whether the one device is taken, also by a run that is held. */
export const deviceIsTaken = ({ runs }: AppState): boolean => Object.values(runs).some(isBegun);
