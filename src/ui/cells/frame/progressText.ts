/** @file How far a study is, in words: the same for the eye and for a screen reader. */

import type { StudyProgress } from "../../../records/run.ts";
import { roughly, SOON_SECONDS } from "../../format.ts";

/** "3 of 8 cases, about 2 min 10 s left"; `what` in place of cases. */
export function studyDetail({ done, total, left }: StudyProgress, what = "cases"): string {
  const time =
    left === null || done === total
      ? ""
      : left < 1000 * SOON_SECONDS
        ? ", nearly done"
        : `, about ${roughly(left)} left`;
  return `${done} of ${total} ${what}${time}`;
}
