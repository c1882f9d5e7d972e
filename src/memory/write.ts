/** @file What the model's writer does for parts that have not begun: δ in one pass, and one test of the stored numbers. */

import { throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import type { Encoding, Job } from "./job.ts";
import { verify, type Verified } from "./optimise.ts";

/** Parts whose keys are read together. The test after it finds what was read of their prompts. */
const TOGETHER = 64;

/** Gives `jobs` of one layer the writer's δ, and tests it. A job that the writer cannot write is left as it is. */
export async function* write(run: Encoding, jobs: readonly Job[]): AsyncGenerator<Verified[]> {
  const { engine, signal, observer } = run;
  const alike = jobs.toSorted((a, b) => a.targets.length - b.targets.length);
  for (const group of chunks(alike, TOGETHER)) {
    throwIfCancelled(signal, "memory: encoding");
    const deltas = await engine.write(group, signal);
    const written = group.filter((_, i) => deltas[i]);
    if (written.length === 0) continue;
    const prompts = written.map(({ prompt, targets }) => ({ ...prompt, tokens: targets.length }));
    const readings = await engine.readKeys(prompts, [written[0]!.layer], signal);
    for (const [i, job] of written.entries()) job.reading = readings[i]![0]!;
    for (const [i, job] of group.entries()) if (deltas[i]) job.startAt(deltas[i], "written");
    const verified = await verify(run, written);
    observer.wrote(written);
    yield verified;
  }
}
