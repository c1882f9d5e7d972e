/** @file A batch and those who wait for its rows. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { PAPER, SHARP } from "../records/params.ts";
import { FactInWork, Job } from "./job.ts";
import { optimise } from "./optimise.ts";
import { partsOf, recallPrompt } from "./parts.ts";
import { fact } from "./testing/facts.ts";

let opened: Opened;
beforeAll(async () => {
  opened = await bundled();
}, 120_000);
afterAll(() => leavesNothing(opened));

const HARD = "Mary stood a while beside the broken gate, and said that nobody would come before winter.";

it("one who comes late with a longer prompt, behind those who fit, waits for a batch with room for it", async () => {
  const { engine } = opened;
  const job = (n: number): Job => {
    const made = fact("Mary", n, 2);
    // The first takes longer than all others: it is still being stepped when they give up their rows.
    const planned = n > 0 ? made : { ...made, fact: { ...made.fact, value: HARD } };
    return new Job(new FactInWork(planned, 1), partsOf(engine, planned.fact, PAPER)[0]!, planned.layer);
  };
  const waiting = Array.from({ length: 13 }, (_, n) => job(n));
  const all = [...waiting];
  const late = job(13);
  const [far, begun] = [{ ...late.fact.planned.fact, part: 1234 }, waiting.length];
  const part = { ...late.part, part: far.part, prompt: recallPrompt(engine, far) };
  const longer = new Job(late.fact, part, late.layer);
  expect(longer.prompt.keyPosition).toBeGreaterThan(all[0]!.prompt.keyPosition);
  const finished: Job[] = [];
  const observer = {
    wrote: () => undefined,
    // Once the batch has its room: behind those who fit, as a half is put behind longer ones.
    batchBegan: () => void (all.length === begun && (all.push(longer), waiting.push(longer))),
    stepped: () => undefined,
  };
  const params = { ...SHARP, encodeBatch: 8 };
  const run = { engine, params, observer, learned: undefined, signal: undefined };
  for await (const group of optimise(run, waiting)) finished.push(...group);
  expect(new Set(finished)).toEqual(new Set(all));
  expect(finished.every(({ hit }) => hit)).toBe(true);
});
