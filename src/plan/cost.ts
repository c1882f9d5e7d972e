/**
 * @file The model of cost: what a run will take, from what it has to do and from what doing so took before. Encoding
 * goes by the lengths of the very parts, the steps that parts of such lengths took, and how much of the model lies
 * above their layers. All coefficients come from runs and trials on this device; nothing here measures.
 */

import type { CostModel, PartCount, Rate, RateName, StageSeconds, Workload } from "../records/cost.ts";
import type { ModelIdentity } from "../records/memory.ts";
import { joined, near, scaled, stepsBy, tokenSteps } from "./steps.ts";

/** What a model costs by its size. */
export type ModelSize = Pick<ModelIdentity, "layers" | "dModel" | "dFf" | "vocabulary">;

export const NOTHING_KNOWN: CostModel = { rates: {}, lengths: [] };
export const isKnown = ({ rates, lengths }: CostModel): boolean =>
  lengths.length > 0 || Object.keys(rates).length > 0;
export const NO_WORK: Workload = {
  characters: 0,
  proposals: 0,
  probes: [],
  questions: 0,
  embedded: 0,
  readBack: 0,
  parts: [],
};

/**
 * Share of the model that a step at `layer` runs: the layers above it and the head, by their parameters, attention
 * taken as 4 d².
 */
export function reach({ layers, dModel, dFf, vocabulary }: ModelSize, layer: number): number {
  const block = 4 * dModel * dModel + 3 * dModel * dFf;
  const head = dModel * vocabulary;
  return ((layers - 1 - layer) * block + head) / (layers * block + head);
}

/** Seconds by stage; undefined where something that `work` has to do was never done before. */
export function secondsOf(cost: CostModel, work: Workload, model: ModelSize): StageSeconds | undefined {
  const units = unitsOf(work, model);
  const stages = Object.entries(units).filter(([, n]) => n > 0) as [keyof typeof units, number][];
  const seconds: [string, number | undefined][] = stages.map(([stage, n]) => {
    const rate = rateOf(cost, stage);
    return [stage, rate === undefined ? undefined : rate * n];
  });
  if (work.parts.length > 0) seconds.push(["encode", encodingSeconds(cost, work.parts, model)]);
  return seconds.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(seconds);
}

/** All stages together. */
export const totalOf = (seconds: StageSeconds): number =>
  Object.values(seconds).reduce((sum, stage) => sum + stage, 0);

/** What the stages beside encoding have to do. */
const unitsOf = (work: Workload, model: ModelSize) => ({
  read: work.characters,
  anchors: work.proposals,
  layers: work.probes.reduce((sum, layer) => sum + reach(model, layer), 0),
  questions: work.questions,
  routing: work.embedded,
  readBack: work.readBack,
});

/** Seconds that `parts` take; undefined where no part was ever encoded. */
export function encodingSeconds(
  cost: CostModel,
  parts: readonly PartCount[],
  model: ModelSize,
): number | undefined {
  const [step, part] = [rateOf(cost, "step"), rateOf(cost, "part")];
  if (step === undefined || part === undefined) return undefined;
  const vectors = parts.reduce((sum, { count }) => sum + count, 0);
  return expectedWork(cost, parts, model) * step + vectors * (rateOf(cost, "tries") ?? 1) * part;
}

/** Token-steps of `parts`, each times its reach; with nothing known, their tokens alone. */
export function expectedWork(
  cost: CostModel | undefined,
  parts: readonly PartCount[],
  model: ModelSize,
): number {
  const steps = cost && cost.lengths.length > 0 ? stepsBy(cost.lengths) : () => 1;
  const tries = (cost && rateOf(cost, "tries")) ?? 1;
  return parts.reduce((sum, { layer, tokens, count, learned = 0 }) => {
    const all = (count - learned) * steps(tokens, "zero") + learned * steps(tokens, "learned");
    return sum + tries * all * tokens * reach(model, layer);
  }, 0);
}

/** How many of `parts` are expected to stay inexact; 0 where no part was ever encoded. */
export const inexactParts = ({ lengths }: CostModel, parts: readonly PartCount[]): number =>
  lengths.length === 0
    ? 0
    : parts.reduce(
        (sum, { tokens, count }) => sum + count * (1 - near(lengths, tokens, ({ exact }) => exact)),
        0,
      );

function rateOf({ rates }: CostModel, name: RateName): number | undefined {
  const rate = rates[name];
  return rate && rate.units > 0 ? rate.total / rate.units : undefined;
}

/** The rates of the stages beside encoding, from a run that did `work` in `seconds`. */
export function stageRates(work: Workload, seconds: StageSeconds, model: ModelSize): CostModel["rates"] {
  const units = Object.entries(unitsOf(work, model)) as [keyof StageSeconds, number][];
  return Object.fromEntries(
    units
      .filter(([stage, n]) => n > 0 && seconds[stage] !== undefined)
      .map(([stage, n]): [string, Rate] => [stage, { total: seconds[stage]!, units: n }]),
  );
}

/** What an older run says counts half as much after each later one: texts, settings and the machine's load change. */
const FADES = 0.5;

/** `known` with what another run took. */
export function learned(known: CostModel, run: CostModel): CostModel {
  const names = [...new Set([...Object.keys(known.rates), ...Object.keys(run.rates)])] as RateName[];
  const rates = names.map((name): [string, Rate] => {
    const [before, now] = [known.rates[name], run.rates[name]];
    if (!before || !now) return [name, (now ?? before)!];
    return [name, { total: FADES * before.total + now.total, units: FADES * before.units + now.units }];
  });
  return { rates: Object.fromEntries(rates), lengths: joined(known.lengths, run.lengths, FADES) };
}

/**
 * What `known` runs and a `trial` on some facts of a text say of the whole text. The trial knows how fast the device
 * is now, runs how fast it was with full batches: the speed is taken between the two. How many steps a part takes is
 * the text's own, so the steps of known runs are raised or lowered to what the trial took, beside parts of the same
 * start: of a trial nearly all begin at zero, of a long run nearly none.
 */
export function fitted(known: CostModel, trial: CostModel): CostModel {
  const tried = trial.lengths.reduce((sum, { parts }) => sum + parts, 0);
  const trusted = Math.min(1, tried / TRUSTED_PARTS);
  const slower = slowness(known, trial) ** (trusted / 2);
  const before = Object.entries(known.rates).map(([name, { total, units }]): [string, Rate] => [
    name,
    { total: TIMELESS.has(name) ? total : slower * total, units },
  ]);
  const rates = { ...trial.rates, ...Object.fromEntries(before) };
  if (known.lengths.length === 0) return { rates, lengths: trial.lengths };
  const [triesBefore, triesHere] = [rateOf(known, "tries") ?? 1, rateOf(trial, "tries") ?? 1];
  const tries = triesBefore * (triesHere / triesBefore) ** trusted;
  const own = trial.lengths.map((row) => scaled(row, 1, triesHere / tries));
  const taken = tokenSteps(own, ({ steps }) => steps);
  const steps = stepsBy(known.lengths);
  const expected = tokenSteps(own, ({ tokens, parts, started }) => parts * steps(tokens, started ?? "zero"));
  const level = expected > 0 ? taken / expected : 1;
  return {
    rates: { ...rates, tries: { total: tries, units: 1 } },
    lengths: joined(
      known.lengths.map((row) => scaled(row, 1, level)),
      own,
      1,
    ),
  };
}

/** Parts of a trial that tell the device's speed, and how often parts are tried, as well as runs do. */
const TRUSTED_PARTS = 16;

/** Rates that no time is in. */
const TIMELESS: ReadonlySet<string> = new Set<RateName>(["tries", "slots"]);

/**
 * How many times longer the trial took for what its steps computed than known runs did: of a trial's batches more stands
 * empty, and what they take beside their steps is shared by fewer, so neither says how fast the device is.
 */
function slowness(known: CostModel, trial: CostModel): number {
  const counted = known.rates.slots && trial.rates.slots;
  const seconds = (cost: CostModel): number =>
    (rateOf(cost, "step") ?? NaN) / (counted ? rateOf(cost, "slots")! : 1);
  const ratio = seconds(trial) / seconds(known);
  return Number.isFinite(ratio) && ratio > 0 ? ratio : 1;
}
