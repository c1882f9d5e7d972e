/** @file The test of parts after their guided steps: free-running decoding, and refinement of parts that fail it. */

import { throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { sameTokens, tokenF1 } from "./fidelity.ts";
import type { Encoding, Job } from "./job.ts";
import { collect, openBatch, step } from "./optimise.ts";
import { stopsWhenExact } from "./schedule.ts";

/** A part with the result of its free-running decoding. */
export interface Verified {
  readonly job: Job;
  readonly exact: boolean;
  readonly fidelity: number;
  readonly decoded: readonly number[];
}

/** Tests parts in their stored form, and refines those that fail under the paper's schedule. */
export async function verify(run: Encoding, jobs: readonly Job[]): Promise<Verified[]> {
  const { params } = run;
  for (const job of jobs) job.round(params);
  const verified = await decode(run, jobs);
  const failed = verified.flatMap(({ job, exact }) => (exact ? [] : [job]));
  if (failed.length === 0 || params.refine === 0 || stopsWhenExact(params)) return verified;
  for (const some of chunks(failed, params.encodeBatch)) await refine(run, some);
  for (const job of failed) job.round(params);
  const refined = new Map((await decode(run, failed)).map((one) => [one.job, one]));
  return verified.map((one) => refined.get(one.job) ?? one);
}

async function decode({ engine }: Encoding, jobs: readonly Job[]): Promise<Verified[]> {
  const decoded = await engine.recall(
    jobs.map(({ prompt, layer, delta, targets }) => ({
      ...{ prompt, injection: { layer, residual: delta } },
      ...{ tokens: targets.length, draft: targets },
    })),
  );
  return decoded.map((tokens, i) => {
    const job = jobs[i]!;
    const { targets } = job;
    return {
      ...{ job, exact: sameTokens(tokens, targets) },
      ...{ fidelity: tokenF1(tokens, targets), decoded: tokens },
    };
  });
}

/** Refinement steps: the targets are what the model itself decodes with the current δ. */
async function refine(run: Encoding, jobs: readonly Job[]): Promise<void> {
  const encoder = await openBatch(run, jobs);
  run.observer.batchBegan();
  try {
    for (let i = 0; i < run.params.refine; i++) {
      throwIfCancelled(run.signal, "memory: refinement");
      await collect(encoder, jobs);
      await encoder.feed((await decode(run, jobs)).map(({ decoded }) => decoded));
      await step(run, encoder, jobs, () => false);
    }
    await collect(encoder, jobs);
  } finally {
    encoder.dispose();
  }
}
