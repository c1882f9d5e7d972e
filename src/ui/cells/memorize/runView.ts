/**
 * @file Progress of a run as the page shows it: one line per stage with its pace, and the loss curve of the batch that
 * is being encoded. A pure fold over what the state keeps of a run.
 */

import type { Progress, MemorizeStage } from "../../../records/progress.ts";
import { count, counted, duration } from "../../format.ts";

export interface StageLine extends Progress {
  /** Milliseconds on the page's clock: when it began, and when it last changed. */
  readonly begun: number;
  readonly latest: number;
}

/** In the order in which they began. */
export type RunView = readonly StageLine[];

/** Before the first report. */
export const NEW_RUN: RunView = [];

/** The view at `now` (milliseconds), given the latest report of every stage so far. */
export function advance(view: RunView, stages: readonly Progress[], now: number): RunView {
  const lines: StageLine[] = [];
  for (const report of stages) {
    const known = view.find(({ stage }) => stage === report.stage);
    const begun = known?.begun ?? lines.at(-1)?.latest ?? now;
    const same = known?.done === report.done && known.total === report.total && known.note === report.note;
    lines.push({ ...report, begun, latest: same ? known.latest : now });
  }
  return lines;
}

/** Items per second of a stage; null before there is anything to divide. */
export function rateOf({ done, begun, latest, encode }: StageLine): number | null {
  if (encode) return encode.factsPerSecond;
  const seconds = (latest - begun) / 1000;
  return done > 0 && seconds >= 0.5 ? done / seconds : null;
}

/** Milliseconds left at the rate so far; null while that would be a guess. */
export function timeLeft(line: StageLine): number | null {
  if (line.encode) return line.encode.secondsLeft === null ? null : line.encode.secondsLeft * 1000;
  const rate = rateOf(line);
  if (rate === null || line.total === null || line.latest - line.begun < 2000) return null;
  return (Math.max(0, line.total - line.done) / rate) * 1000;
}

export const STAGE_NAMES: Readonly<Record<MemorizeStage, string>> = {
  read: "Reading sentences",
  anchors: "Finding anchors",
  layers: "Probing layers",
  budget: "Planning",
  questions: "Writing questions",
  routing: "Building the routing index",
  encode: "Encoding facts",
};

/** All stages in running order. */
export const STAGES = Object.keys(STAGE_NAMES) as readonly MemorizeStage[];

const ITEMS: Readonly<Record<MemorizeStage, string>> = {
  read: "sentence",
  anchors: "candidate",
  layers: "layer",
  budget: "fact",
  questions: "fact",
  routing: "anchor",
  encode: "fact",
};

/** Whether a stage has nothing more to do; planning says what stays of what was found, once. */
export const isDone = ({ stage, done, total }: Progress): boolean =>
  stage === "budget" || (total !== null && done >= total);

/** "12 of 43 facts"; what was read, when all of it is: "104 sentences, 43 candidates". */
export function countText({ stage, done, total, note }: Progress): string {
  if (total === null) return counted(done, ITEMS[stage]);
  if (stage === "read" && done >= total) return [counted(done, ITEMS.read), note].filter(Boolean).join(", ");
  return `${count(done)} of ${counted(total, ITEMS[stage])}`;
}

/** "3.2 facts/s, about 12 s left", as far as it is known; nothing for a stage that is done. */
export function paceText(line: StageLine): string {
  if (isDone(line)) return "";
  const rate = rateOf(line);
  const left = timeLeft(line);
  const pace = rate === null ? [] : [rateText(rate, ITEMS[line.stage])];
  return [...pace, ...(left === null ? [] : [`about ${duration(left)} left`])].join(", ");
}

/** "3.2 facts/s"; what is slower than one in ten seconds by its time: "22 s a fact". */
function rateText(rate: number, item: string): string {
  if (rate < 0.1) return `${duration(1000 / rate)} ${/^[aeiou]/.test(item) ? "an" : "a"} ${item}`;
  return `${rate >= 10 ? count(Math.round(rate)) : rate.toFixed(1)} ${item}s/s`;
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
