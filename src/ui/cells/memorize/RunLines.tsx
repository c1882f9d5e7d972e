/** @file A run while it runs: one bar for all of it, a line per stage, and the loss of the batch that is being encoded, step by step. */

import { useRef } from "react";
import type { RunProgress } from "../../../state/types.ts";
import { Progress } from "../../controls/Progress.tsx";
import { counted } from "../../format.ts";
import { layerColor } from "../../layerColor.ts";
import type { EncodeState } from "../../../records/progress.ts";
import {
  advance,
  countText,
  curvePoints,
  isDone,
  NEW_RUN,
  leftText,
  paceText,
  STAGE_NAMES,
  type RunView,
  type StageLine,
} from "./runView.ts";
import s from "./Run.module.css";

/** `since` names the run: another one starts anew. */
export function RunLines({
  progress,
  since,
}: {
  readonly progress: Extract<RunProgress, { kind: "flow" }>;
  readonly since: number | null;
}) {
  const view = useRunView(progress.stages, since);
  const encode = view.at(-1)?.encode;
  const now = view.at(-1);
  return (
    <div className={s.run}>
      {now && <RunBar line={now} />}
      <ul className={s.stages} aria-label="Stages">
        {view.map((line) => (
          <li key={line.stage} className={isDone(line) ? s.done : undefined}>
            <span>{STAGE_NAMES[line.stage]}</span>{" "}
            <span className="num">{[countText(line), paceText(line)].filter(Boolean).join(", ")}</span>
          </li>
        ))}
      </ul>
      {encode && <LossCurve encode={encode} />}
    </div>
  );
}

/** How far the run is as a whole; while that is not known, how far its stage is. */
function RunBar({ line }: { readonly line: StageLine }) {
  const { stage, done, total, run } = line;
  const known = run !== undefined && run.secondsLeft !== null;
  return (
    <Progress
      label={STAGE_NAMES[stage]}
      detail={leftText(run)}
      done={known ? run.share : done}
      total={known ? 1 : total}
      tone="rubric"
    />
  );
}

/** Folds each new report once, whatever else draws the component again. */
function useRunView(stages: Parameters<typeof advance>[1], since: number | null): RunView {
  const last = useRef<{ stages: unknown; since: number | null; view: RunView }>({
    stages: null,
    since,
    view: NEW_RUN,
  });
  if (last.current.stages !== stages) {
    const before = last.current.since === since ? last.current.view : NEW_RUN;
    last.current = { stages, since, view: advance(before, stages, performance.now()) };
  }
  return last.current.view;
}

const WIDTH = 320;
const HEIGHT = 56;

/** The mean loss of Eq. 3 before each step of the running batch. */
function LossCurve({ encode: { layer, batch, facts, losses } }: { readonly encode: EncodeState }) {
  const now = losses.at(-1);
  const summary = `Batch ${batch}: ${counted(facts, "fact")} at layer ${layer}, ${counted(losses.length, "step")}`;
  return (
    <figure className={s.curve} style={{ "--layer": layerColor(layer) } as object}>
      <svg
        viewBox={`0 -3 ${WIDTH} ${HEIGHT + 6}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Loss of the current batch, ${losses[0]?.toFixed(2) ?? ""} at first and ${now?.toFixed(2) ?? ""} now`}
      >
        <line
          x1="0"
          x2={WIDTH}
          y1={HEIGHT}
          y2={HEIGHT}
          className={s.axis}
          vectorEffect="non-scaling-stroke"
        />
        <polyline
          points={curvePoints(losses, WIDTH, HEIGHT)}
          className={s.loss}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption>
        <span>{summary}</span>
        <span className="num">loss {now === undefined ? "…" : now.toFixed(2)}</span>
      </figcaption>
    </figure>
  );
}
