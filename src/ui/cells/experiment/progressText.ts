/** @file How far a study is, in words: the same for the eye and for a screen reader. */

import type { StudyProgress } from "../../../records/run.ts";
import { duration } from "../../format.ts";

/** Below this many milliseconds a number of seconds would jump about. */
const SOON = 5000;

/** "3 of 8 cases, about 2 min 10 s left". */
export function studyDetail({ done, total, left }: StudyProgress): string {
  const time =
    left === null || done === total ? "" : left < SOON ? ", nearly done" : `, about ${roughly(left)} left`;
  return `${done} of ${total} cases${time}`;
}

/** An estimate to five seconds, or to ten above a minute. */
function roughly(left: number): string {
  return left < 60_000
    ? `${Math.max(5, Math.round(left / 5000) * 5)} s`
    : duration(Math.round(left / 10_000) * 10_000);
}
