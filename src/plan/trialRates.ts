/** @file The rates of a trial, as those of a run: it is short, and begins before everything is ready. */

import type { CostModel, Rate } from "../records/cost.ts";

type Rates = CostModel["rates"];

/**
 * What facts took that were encoded `cold`, when the device had still to make things ready, and others after them. Parts
 * take what they took `warm`; steps, whose first in a batch does not count, what they took where there were more of them;
 * what does not go by time is of both.
 */
export function warmed(cold: Rates, warm: Rates): Rates {
  const [tries, slots] = [both(cold.tries, warm.tries), both(cold.slots, warm.slots)];
  const more = (cold.step?.units ?? 0) > (warm.step?.units ?? 0) ? cold : warm;
  if (!tries || !slots || !more.step || !more.slots) return warm;
  const computed = ratio(slots) / ratio(more.slots);
  return { ...warm, tries, slots, step: { ...more.step, total: computed * more.step.total } };
}

const both = (a: Rate | undefined, b: Rate | undefined): Rate | undefined =>
  a && b && { total: a.total + b.total, units: a.units + b.units };
const ratio = ({ total, units }: Rate): number => total / units;

/**
 * What the batches of a run compute for a token's step, over what those of a trial do, which are less full: 0.76, 0.80,
 * 0.83 and 1.00 in the first runs of the four kinds of settings in `npm run bench -- forecast`, on the bundled model. It
 * counts where nothing is known of runs on the device: those tell it themselves.
 */
const FULLER = 0.85;

/** `rates` of a trial as they would be in batches as full as a run's. */
export function asInRun({ step, slots, ...rates }: Rates): Rates {
  if (!step || !slots) return { ...rates, ...(step && { step }) };
  const fuller = (rate: Rate): Rate => ({ ...rate, total: FULLER * rate.total });
  return { ...rates, step: fuller(step), slots: fuller(slots) };
}
