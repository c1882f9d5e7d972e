/** @file What waits to be encoded, by what may share a batch. */

import type { RecallPrompt } from "../engine/engine.ts";
import { groupBy } from "../lib/group.ts";

interface Waiting {
  readonly layer: number;
  readonly prompt: RecallPrompt;
  readonly targets: readonly number[];
}

/** Jobs that may share a batch have one layer, and the same number of tokens behind the key. */
const batchKey = ({ layer, prompt }: Waiting): string => `${layer} ${prompt.ids.length - prompt.keyPosition}`;

/** Jobs by what may share a batch, longest values first: who joins a batch later must fit it. */
export const batchable = <J extends Waiting>(jobs: readonly J[]): J[][] =>
  [...groupBy(jobs, batchKey).values()].map((group) =>
    group.toSorted((a, b) => b.targets.length - a.targets.length),
  );

/** A group that has jobs; undefined when nothing waits. */
export const nextOf = <J extends Waiting>(queue: readonly J[][]): J[] | undefined =>
  queue.find((group) => group.length > 0);

/** Adds a job where it belongs. A group that ran empty keeps no job to tell what it was for, so it is not used again. */
export function enqueue<J extends Waiting>(queue: J[][], job: J): void {
  const group = queue.find(([first]) => first && batchKey(first) === batchKey(job));
  if (!group) {
    queue.push([job]);
    return;
  }
  const at = group.findIndex(({ targets }) => targets.length < job.targets.length);
  group.splice(at < 0 ? group.length : at, 0, job);
}
