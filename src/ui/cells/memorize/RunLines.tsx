/** @file A run while it runs: one bar for all of it, a line per stage, and the losses of the batches, step by step. */

import { useRef } from "react";
import type { RunProgress } from "../../../state/types.ts";
import { Progress } from "../../controls/Progress.tsx";
import { logShare } from "../../charts/kit/scale.ts";
import { cx, Stack } from "../../controls/layout.tsx";
import { counted } from "../../format.ts";
import { layerColor } from "../../charts/kit/colors.ts";
import type { EncodeState } from "../../../records/progress.ts";
import {
  advance,
  countText,
  curvePoints,
  lossAxes,
  isDone,
  NEW_RUN,
  leftText,
  paceText,
  stageName,
  type BatchCurve,
  type RunView,
  type StageLine,
} from "../frame/runView.ts";
import s from "./Run.module.css";

/** `since` identifies the run; another run resets the view. */
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
    <Stack gap={3}>
      {now && <RunBar line={now} />}
      <Stack as="ul" gap={1} size="s" plainList className={s.stages} aria-label="Stages">
        {view.map((line) => (
          <li key={line.stage} className={isDone(line) ? s.done : undefined}>
            <span>{stageName(line.stage)}</span>{" "}
            <span className="num">{[countText(line), paceText(line)].filter(Boolean).join(", ")}</span>
          </li>
        ))}
      </Stack>
      {encode && encode.losses.length > 0 && <LossCurves encode={encode} curves={now?.curves ?? []} />}
    </Stack>
  );
}

function RunBar({ line }: { readonly line: StageLine }) {
  const { stage, done, total, run } = line;
  const known = run !== undefined && (run.secondsLeft !== null || run.share > 0);
  return (
    <Progress
      label={stageName(stage)}
      detail={leftText(line)}
      done={known ? run.share : done}
      total={known ? 1 : total}
      tone="rubric"
    />
  );
}

/** Folds each report once, even if the component renders again. */
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
const HEIGHT = 72;

/** The mean loss of Eq. 3 before each step: the running batch over those before it, on one pair of axes. */
function LossCurves({
  encode: { layer, batch, facts, losses },
  curves,
}: {
  readonly encode: EncodeState;
  readonly curves: readonly BatchCurve[];
}) {
  const now = losses.at(-1);
  const axes = lossAxes(curves);
  const summary = `Batch ${batch}: ${counted(facts, "part")} at layer ${layer}, ${counted(losses.length, "step")}`;
  return (
    <Stack as="figure" gap={1} className={s.curve}>
      <div className={s.plot}>
        {axes.ticks.map((tick) => (
          <span key={tick} className={s.tick} style={{ top: `${100 * (1 - logShare(tick, axes.domain))}%` }}>
            {tick}
          </span>
        ))}
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Loss of the current batch, ${losses[0]?.toFixed(2) ?? ""} at first and ${now?.toFixed(2) ?? ""} now`}
        >
          {axes.ticks.map((tick) => (
            <path
              key={tick}
              d={`M0 ${HEIGHT * (1 - logShare(tick, axes.domain))}H${WIDTH}`}
              className={s.axis}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {curves.map((curve) => (
            <polyline
              key={curve.batch}
              points={curvePoints(curve.losses, axes, WIDTH, HEIGHT)}
              className={cx(s.loss, curve.batch !== batch && s.past)}
              style={{ "--layer": layerColor(curve.layer) } as object}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      </div>
      <p className={s.steps}>
        <span>1</span>
        <span>step of the batch, loss in nats, logarithmic</span>
        <span>{axes.steps}</span>
      </p>
      <figcaption>
        <span>{summary}</span>
        <span className="num">loss {now === undefined ? "…" : now.toFixed(2)}</span>
      </figcaption>
    </Stack>
  );
}
