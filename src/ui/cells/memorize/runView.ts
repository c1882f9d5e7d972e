/**
 * @file Progress of a run as the page shows it: one line per stage, the rate of the running one, and the loss of the
 * current batch. A pure fold over the reports of the engine worker.
 */

import type { Progress, Stage } from "../../../flow/context.ts";
import { count, counted, duration } from "../../format.ts";

export interface StageLine {
  readonly stage: Stage;
  readonly done: number;
  readonly total: number | null;
  readonly note: string | null;
  /** Milliseconds on the clock of the reports: when it began, and when it was last heard of. */
  readonly begun: number;
  readonly latest: number;
}

export interface RunView {
  readonly began: number;
  /** In the order in which they began. */
  readonly lines: readonly StageLine[];
  /** Mean loss of the batch that is being encoded, one value per report; starts anew with each layer. */
  readonly losses: readonly number[];
  readonly layer: number | null;
}

export const newRun = (now: number): RunView => ({ began: now, lines: [], losses: [], layer: null });

/** The view after one more report at time `now` (milliseconds). */
export function advance(view: RunView, progress: Progress, now: number): RunView {
  const { stage, done, total, note } = progress;
  const line: StageLine = { stage, done, total, note: note ?? null, begun: now, latest: now };
  const known = view.lines.find((old) => old.stage === stage);
  const lines = known
    ? view.lines.map((old) => (old === known ? { ...line, begun: old.begun } : old))
    : [...view.lines, { ...line, begun: view.lines.at(-1)?.latest ?? view.began }];
  const loss = stage === "encode" && note ? lossOf(note) : null;
  if (!loss) return { ...view, lines };
  const losses = loss.layer === view.layer ? view.losses : [];
  return { ...view, lines, layer: loss.layer, losses: [...losses, loss.loss].slice(-LONGEST_CURVE) };
}

/** "layer 2, loss 1.23" as flow/memorize reports it; null for any other note. */
export function lossOf(note: string): { layer: number; loss: number } | null {
  const match = /layer (\d+), loss ([\d.]+(?:e[+-]?\d+)?)/.exec(note);
  return match ? { layer: Number(match[1]), loss: Number(match[2]) } : null;
}

/** Items per second of a stage; null before there is anything to divide. */
export function rateOf({ done, begun, latest }: StageLine): number | null {
  const seconds = (latest - begun) / 1000;
  return done > 0 && seconds >= 0.5 ? done / seconds : null;
}

/** Milliseconds left at the rate so far; null while that is a guess. */
export function timeLeft(line: StageLine): number | null {
  const rate = rateOf(line);
  if (rate === null || line.total === null || line.latest - line.begun < 2000) return null;
  return (Math.max(0, line.total - line.done) / rate) * 1000;
}

export const STAGE_NAMES: Readonly<Record<Stage, string>> = {
  read: "Reading sentences",
  anchors: "Finding anchors",
  layers: "Probing layers",
  budget: "Planning",
  questions: "Writing questions",
  routing: "Building the routing index",
  encode: "Encoding facts",
};

/** All stages in running order. */
export const STAGES = Object.keys(STAGE_NAMES) as readonly Stage[];

const ITEMS: Readonly<Record<Stage, string>> = {
  read: "sentence",
  anchors: "candidate",
  layers: "layer",
  budget: "fact",
  questions: "fact",
  routing: "anchor",
  encode: "fact",
};

/** "12 of 43 facts"; the budget and the reading count what stays of what was found. */
export function countText({ stage, done, total }: StageLine): string {
  if (total === null) return counted(done, ITEMS[stage]);
  return `${count(done)} of ${counted(total, ITEMS[stage])}`;
}

/** "3.2 facts/s, about 12 s left", as far as it is known. */
export function paceText(line: StageLine): string {
  const rate = rateOf(line);
  const left = timeLeft(line);
  const pace = rate === null ? [] : [`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)} ${ITEMS[line.stage]}s/s`];
  return [...pace, ...(left === null ? [] : [`about ${duration(left)} left`])].join(", ");
}

/** What is said aloud: a sentence that changes at every tenth of a stage, not at every report. */
export function announcement(view: RunView): string {
  const line = view.lines.at(-1);
  if (!line) return "Starting.";
  const { stage, done, total } = line;
  if (!total) return `${STAGE_NAMES[stage]}.`;
  const tenths = Math.floor((done / total) * 10) * 10;
  return `${STAGE_NAMES[stage]}: ${tenths} percent.`;
}

/** Losses as the points of an SVG polyline in a box of `width` × `height`; from 0 to the largest loss. */
export function curvePoints(losses: readonly number[], width: number, height: number): string {
  if (losses.length < 2) return "";
  const top = Math.max(...losses, Number.MIN_VALUE);
  return losses
    .map((loss, i) => `${fixed((i / (losses.length - 1)) * width)},${fixed(height - (loss / top) * height)}`)
    .join(" ");
}

const fixed = (value: number): string => value.toFixed(1);
const LONGEST_CURVE = 240;
