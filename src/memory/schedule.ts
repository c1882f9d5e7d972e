/** @file The two schedules of Adam's steps on δ (parameter `schedule`): the paper's and ours. */

import type { Engine } from "../engine/engine.ts";
import type { MethodParams } from "../records/params.ts";

export const MOMENTS = {
  paper: { beta1: 0.9, beta2: 0.999 },
  ours: { beta1: 0.8, beta2: 0.95 },
} as const satisfies Record<MethodParams["schedule"], { readonly beta1: number; readonly beta2: number }>;

/** Whether a fact stops as soon as it is exact; refinement then continues the guided steps on the value itself. */
export const stopsWhenExact = ({ schedule }: Pick<MethodParams, "schedule">): boolean => schedule === "ours";

/** Where δ starts with this model: one without a writer has the learned start in its place. */
export const startOf = (
  { writer }: Pick<Engine, "writer">,
  { start }: Pick<MethodParams, "start">,
): MethodParams["start"] => (start === "writer" && !writer ? "learned" : start);

/** Steps of a part that stops when it is exact; the bundled model takes 8 to 9 on novels. */
const TYPICAL_STEPS = 9;

export const expectedSteps = ({
  steps,
  refine,
  schedule,
}: Pick<MethodParams, "steps" | "refine" | "schedule">): number =>
  stopsWhenExact({ schedule }) ? Math.min(steps + refine, TYPICAL_STEPS) : steps + refine;
