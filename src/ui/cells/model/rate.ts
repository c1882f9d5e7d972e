/** @file How fast something comes in, over the last seconds. */

/** Older points say nothing about now. */
const WINDOW = 8000;
/** Fewer milliseconds than this between the points give a number that jumps. */
const SHORTEST = 800;

/** A function of (amount so far, milliseconds) that gives the amount per second; null until it can be told. */
export function createRate(): (done: number, at: number) => number | null {
  let points: { readonly done: number; readonly at: number }[] = [];
  return (done, at) => {
    points = [...points.filter((point) => at - point.at <= WINDOW), { done, at }];
    const first = points[0]!;
    const milliseconds = at - first.at;
    return milliseconds < SHORTEST || done <= first.done ? null : ((done - first.done) / milliseconds) * 1000;
  };
}
