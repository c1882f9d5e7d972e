/** @file The progress of a running cell: announced at intervals, and drawn as one line. */

import { useEffect, useState } from "react";
import type { LoadProgress } from "../../../records/model.ts";
import type { Cell, CellKind } from "../../../records/notebook.ts";
import { isBegun } from "../../../state/runs.ts";
import type { CellRun, RunProgress } from "../../../state/core.ts";
import { cellTitle } from "../../../notebook/kinds.ts";
import { Progress, useStable } from "../../controls/useAsync.tsx";
import { bytes, count, SOON_SECONDS, counted, duration, roughly } from "../../format.ts";
import { Text } from "../../controls/basics.tsx";
import type { EncodeState, MemorizeStage, Progress as StageProgress } from "../../../records/progress.ts";
import { logScale, logShare, positiveEnds } from "../../charts/kit/scale.ts";
import type { RecordsProgress } from "../../../records/run.ts";

const EVERY = 5000;

export function RunLive({ cell, run }: { readonly cell: Cell; readonly run: CellRun | null }) {
  const [said, setSaid] = useState("");
  const message = run ? `${cellTitle(cell)}: ${spoken(run)}` : "";
  const stage = run ? `${run.status} ${stageOf(run.progress)}` : "";
  const say = useStable(() => setSaid(message));
  // A new stage at once, the counters of one stage now and then.
  useEffect(() => say(), [stage, say]);
  const speaks = message !== "";
  useEffect(() => {
    if (!speaks) return;
    const timer = setInterval(say, EVERY);
    return () => clearInterval(timer);
  }, [speaks, say]);
  const line = isBegun(run) && run.progress && lineOf(run.progress, cell.kind);
  return (
    <>
      <div className="visually-hidden" aria-live="polite">
        {said}
      </div>
      {line && (
        <Text as="div" below={3}>
          {line}
        </Text>
      )}
    </>
  );
}

function lineOf(progress: RunProgress, kind: CellKind) {
  if (progress.kind === "load" && kind !== "model") return <LoadLine load={progress.load} />;
  if (progress.kind === "note") return <Progress label={progress.note} />;
  if (progress.kind === "count") {
    const { note, done, total } = progress;
    return <Progress label={note} detail={`${count(done)} of ${count(total)}`} {...{ done, total }} />;
  }
  if (progress.kind !== "study") return null;
  const { note, done, total } = progress.progress;
  const detail = studyDetail(progress.progress, kind === "benchmark" ? "samples" : "cases");
  return <Progress label={note} detail={detail} {...{ done, total }} tone="rubric" />;
}

export function LoadLine({ load, left = "" }: { readonly load: LoadProgress; readonly left?: string }) {
  const { stage, done, total } = load;
  const counted = (stage === "download" || stage === "weights") && total > 0;
  return (
    <Progress
      label={LOAD_STAGES[stage]}
      detail={counted ? `${bytes(done)} of ${bytes(total)}${left}` : undefined}
      done={done}
      total={total > 0 ? total : null}
    />
  );
}

type BatchCurve = Pick<EncodeState, "batch" | "layer" | "losses">;

export interface StageLine extends StageProgress {
  /** The batches so far, the running one last; while facts are encoded. */
  readonly curves: readonly BatchCurve[];
  /** Milliseconds on the page's clock: when it began, and when it last changed. */
  readonly begun: number;
  readonly latest: number;
}

export type RunView = readonly StageLine[];

export const NEW_RUN: RunView = [];

/** The view at `now` (milliseconds), given the latest report of every stage so far. */
export function advance(view: RunView, stages: readonly StageProgress[], now: number): RunView {
  const lines: StageLine[] = [];
  for (const report of stages) {
    const known = view.find(({ stage }) => stage === report.stage);
    const begun = known?.begun ?? lines.at(-1)?.latest ?? now;
    const same = known?.done === report.done && known.total === report.total && known.note === report.note;
    const curves = withBatch(known?.curves ?? [], report.encode);
    lines.push({ ...report, curves, begun, latest: same ? known.latest : now });
  }
  return lines;
}

const MOST_CURVES = 40;

function withBatch(curves: readonly BatchCurve[], encode: StageProgress["encode"]): readonly BatchCurve[] {
  if (!encode || encode.losses.length === 0) return curves;
  const { batch, layer, losses } = encode;
  return [...curves.filter((curve) => curve.batch !== batch), { batch, layer, losses }].slice(-MOST_CURVES);
}

function rateOf({ done, begun, latest }: StageLine): number | null {
  const seconds = (latest - begun) / 1000;
  return done > 0 && seconds >= 0.5 ? done / seconds : null;
}

const STAGES: Readonly<Record<MemorizeStage, readonly [name: string, item: string]>> = {
  read: ["Reading sentences", "sentence"],
  anchors: ["Finding anchors", "candidate"],
  layers: ["Probing layers", "layer"],
  budget: ["Planning", "fact"],
  questions: ["Writing questions", "fact"],
  routing: ["Building the routing index", "vector"],
  encode: ["Encoding facts", "fact"],
  readBack: ["Reading facts back", "fact"],
};

export const stageName = (stage: MemorizeStage): string => STAGES[stage][0];

export const isDone = ({ stage, done, total }: StageProgress): boolean =>
  stage === "budget" || (total !== null && done >= total);

export function countText({ stage, done, total, note }: StageProgress): string {
  if (total === null) return counted(done, STAGES[stage][1]);
  if (stage === "read" && done >= total)
    return [counted(done, STAGES.read[1]), note].filter(Boolean).join(", ");
  return `${count(done)} of ${counted(total, STAGES[stage][1])}`;
}

export function paceText(line: StageLine): string {
  const rate = isDone(line) ? null : rateOf(line);
  return rate === null ? "" : rateText(rate, STAGES[line.stage][1]);
}

/** "about 2 min 10 s left", or "1 min to 3 min left" at first; after the estimate the number of facts left, because the last ones are the hardest. */
export function leftText({ stage, done, total, run }: StageProgress): string {
  const left = run?.secondsLeft ?? null;
  if (left === null) return "";
  const [least, most] = run?.between ?? [left, left];
  const reason = run?.reason ? `: ${run.reason}` : "";
  if (most >= SOON_SECONDS) return `${betweenText(least, most)} left${reason}`;
  const waiting = stage === "encode" ? (total ?? 0) - done : 0;
  if (waiting <= 0) return "nearly done";
  const last = waiting * LAST_SHARE <= total! || waiting === 1;
  const facts = waiting === 1 ? "fact" : counted(waiting, STAGES.encode[1]);
  return last ? `the last ${facts}` : `${facts} left`;
}

function betweenText(least: number, most: number): string {
  const [low, high] = [roughly(1000 * least), roughly(1000 * most)];
  if (least < SOON_SECONDS && least < most) return `up to ${high}`;
  return low === high ? `about ${high}` : `${low} to ${high}`;
}

const LAST_SHARE = 5;

function rateText(rate: number, item: string): string {
  if (rate < 0.1) return `${duration(1000 / rate)} ${/^[aeiou]/.test(item) ? "an" : "a"} ${item}`;
  return `${rate >= 10 ? count(Math.round(rate)) : rate.toFixed(1)} ${item}s/s`;
}

export const lossAxes = (curves: readonly BatchCurve[]) => ({
  steps: Math.max(2, ...curves.map(({ losses }) => losses.length)),
  ...logScale(...positiveEnds(curves.flatMap(({ losses }) => losses))),
});

export const curvePoints = (
  losses: readonly number[],
  { steps, domain }: ReturnType<typeof lossAxes>,
  width: number,
  height: number,
): string =>
  losses
    .map((loss, i) => `${fixed((i / (steps - 1)) * width)},${fixed((1 - logShare(loss, domain)) * height)}`)
    .join(" ");

const fixed = (value: number): string => value.toFixed(1);

const LOAD_STAGES = {
  download: "Fetching the model",
  "self-test": "Testing the arithmetic of this machine",
  weights: "Loading the weights",
  "warm-up": "Warming up",
  pairs: "Trying the text embedder on made pairs",
} as const;

function stageOf(progress: RunProgress | null): string {
  if (progress?.kind === "load") return progress.load.stage;
  if (progress?.kind === "flow") return progress.stages.at(-1)?.stage ?? "";
  return progress?.kind ?? "";
}

export function spoken({ status, progress }: CellRun): string {
  if (status !== "running") return status;
  if (progress?.kind === "load") return LOAD_STAGES[progress.load.stage];
  if (progress?.kind === "note") return progress.note;
  if (progress?.kind === "count")
    return `${progress.note}: ${count(progress.done)} of ${count(progress.total)}`;
  if (progress?.kind === "flow") {
    const line = progress.stages.at(-1);
    if (line)
      return [`${stageName(line.stage)}: ${countText(line)}`, leftText(line)].filter(Boolean).join(", ");
  }
  if (progress?.kind === "study") return `${progress.progress.note}: ${studyDetail(progress.progress)}`;
  return "running";
}

/** Share of the run that is done, otherwise of its latest stage, from 0 to 1; null if the end is unknown. */
export function shareDone(progress: RunProgress | null): number | null {
  if (progress?.kind === "load" && progress.load.total > 0) return progress.load.done / progress.load.total;
  if (progress?.kind === "count") return progress.done / progress.total;
  const line = progress?.kind === "flow" ? progress.stages.at(-1) : undefined;
  if (line?.run && line.run.share > 0) return line.run.share;
  if (!line?.total || isDone(line)) return null;
  return line.done / line.total;
}

export function studyDetail({ done, total, left }: RecordsProgress, what = "cases"): string {
  const counts = `${done} of ${total} ${what}`;
  if (left === null || done === total) return counts;
  return `${counts}, ${left < 1000 * SOON_SECONDS ? "nearly done" : `about ${roughly(left)} left`}`;
}
