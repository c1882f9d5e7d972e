/**
 * @file The layer plan of a model: every candidate layer probed, the best K chosen, with reasons, and the longest part
 * that values are best stored in. What was found before is not looked for again: by this run, by the cache, or when the
 * model was made.
 */

import type { Engine } from "../engine/engine.ts";
import { assert } from "../lib/assert.ts";
import { candidateLayers, probeLayers, probeLength } from "../memory/probe.ts";
import { chooseLayers } from "../plan/layers.ts";
import { chooseLength } from "../plan/parts.ts";
import type { CostModel } from "../records/cost.ts";
import type { LayerIndex } from "../records/ids.ts";
import { precisionOf, type Memory } from "../records/memory.ts";
import { PROBE } from "../records/parameterKinds.ts";
import { keyOf, SHARP, type MethodParams } from "../records/params.ts";
import {
  probedOf,
  type LayerPlan,
  type LayerProbe,
  type PartPlan,
  type RecordedProbe,
} from "../records/plan.ts";
import { layerProbe, partPlan } from "../records/probeShapes.ts";
import type { FlowContext } from "./context.ts";
import { keep, lookUp, type Wanted } from "./remembered.ts";

/**
 * Runs the held-out recall probe over all candidate layers, or over `only`, and chooses `params.layers` of them; then,
 * where the longest part is to be probed too, tries lengths. What `context.probed` and the cache know is not
 * probed again.
 * @throws when a layer of `only` cannot store facts
 */
export async function planLayers(context: FlowContext, only?: readonly LayerIndex[]): Promise<LayerPlan> {
  const { engine, params, now, onProgress, signal } = context;
  const probed = await knownProbes(context);
  const layers = only ? checkedLayers(engine, only) : candidateLayers(engine.model.layers);
  const results = probed.filter(({ layer }) => layers.includes(layer));
  const left = layers.filter((layer) => !results.some((known) => known.layer === layer));
  let note = left.length === 0 ? "probed before" : `probing layer ${left[0]}`;
  const report = () => onProgress?.({ stage: "layers", done: results.length, total: layers.length, note });
  if (left.length === 0) report();
  for await (const result of probeLayers(engine, left, params, now, { signal, onStep: report })) {
    results.push(result);
    await keep(context, KIND, [{ ...wantedProbe(context, result.layer), value: result }]);
    note = `layer ${result.layer}: exact ${Math.round(result.exactRate * probedOf(result))} of ${probedOf(result)}, fidelity ${result.fidelity.toFixed(2)}`;
    report();
  }
  const plan = chooseLayers(results, Math.min(params.layers, layers.length), params.layerShare);
  // A model that says no fact at all has no best length.
  const says = plan.choices.some(({ exactRate }) => exactRate > 0);
  if (params.partTokens !== PROBE || !says) return plan;
  return { ...plan, parts: await planParts(context, plan.layers) };
}

/**
 * The longest part that values are best stored in at `layers`; as it is known, where it is. It is the model's own: probed
 * with the encoding parameters of `sharp`, so that what a run asks for besides does not change it.
 */
async function planParts(context: FlowContext, layers: readonly LayerIndex[]): Promise<PartPlan> {
  const { engine, onProgress, signal } = context;
  const known = await knownParts(context);
  if (known) return known;
  const found = await chooseLength(async (longest) => {
    const note = `trying parts of at most ${longest} tokens`;
    const report = () => onProgress?.({ stage: "layers", done: layers.length, total: layers.length, note });
    report();
    return probeLength(engine, layers, longest, SHARP, { signal, onStep: report });
  });
  await keep(context, PARTS, [{ ...WANTED_PARTS, value: found }]);
  return found;
}

type Knowing = Pick<FlowContext, "engine" | "cache" | "params" | "parts">;

async function knownParts(context: Knowing): Promise<PartPlan | undefined> {
  const found = context.parts ?? recordedOf(context.engine)?.parts;
  if (found) return found;
  const [kept] = await lookUp(context, PARTS, [WANTED_PARTS], partPlan);
  return kept?.value;
}

const PARTS = "part length";
const WANTED_PARTS: Wanted = { content: [keyOf(SHARP, "encode")], traces: [] };

/**
 * The longest part as far as it is known without a probe: as the parameters say, as the memory has it, or as it was found
 * before; undefined where it is still to be found.
 */
export async function knownPartTokens(
  context: Knowing,
  stored: Pick<Memory, "params"> | null,
): Promise<number | null | undefined> {
  const { partTokens } = context.params;
  if (partTokens !== PROBE) return partTokens;
  const before = stored?.params.partTokens;
  return typeof before === "number" ? before : (await knownParts(context))?.longest;
}

/** What was probed of the engine's very model when it was made. */
function recordedOf({ model, recorded }: Pick<Engine, "model" | "recorded">): RecordedProbe | null {
  // Rounded weights may say fewer tokens with a vector.
  return recorded?.sha256 === model.sha256 && precisionOf(model) === "f32" ? recorded : null;
}

/** `context` that knows the layers as they were probed when the model was made, where that was with these parameters. */
export function knowing<C extends Pick<FlowContext, "engine" | "params" | "probed">>(context: C): C {
  const { engine, params, probed = [] } = context;
  const recorded = recordedOf(engine);
  if (recorded?.encode !== keyOf(params, "encode")) return context;
  const others = recorded.layers.filter(
    ({ layer }) => layer < engine.model.layers && !probed.some((known) => known.layer === layer),
  );
  const marked = others.map((probe) => ({ ...probe, recorded: true as const }));
  return { ...context, probed: [...probed, ...marked] };
}

/** What a run with these parameters took when the model was made, on the machine that made it. */
export function costElsewhere(engine: Engine, params: MethodParams): CostModel | undefined {
  const recorded = recordedOf(engine);
  return recorded?.encode === keyOf(params, "encode") ? recorded.cost : undefined;
}

const KIND = "probe";
/** What is known of the layers: from before this run, and by the cache. */
export async function knownProbes(
  context: Pick<FlowContext, "engine" | "cache" | "params" | "probed">,
): Promise<readonly LayerProbe[]> {
  const { engine, probed = [] } = context;
  const others = candidateLayers(engine.model.layers).filter(
    (layer) => !probed.some((known) => known.layer === layer),
  );
  const wanted = others.map((layer) => wantedProbe(context, layer));
  return [...probed, ...(await lookUp(context, KIND, wanted, layerProbe)).map(({ value }) => value)];
}

const wantedProbe = ({ params }: Pick<FlowContext, "params">, layer: LayerIndex): Wanted => ({
  content: [keyOf(params, "encode"), layer],
  traces: [],
});

/** `layers` in ascending order. @throws when there is none, one is given twice, or one cannot store facts */
export function checkedLayers(
  { model }: Pick<FlowContext["engine"], "model">,
  layers: readonly LayerIndex[],
): LayerIndex[] {
  const candidates = candidateLayers(model.layers);
  const wrong = layers.find((layer, i) => !candidates.includes(layer) || layers.indexOf(layer) < i);
  assert(
    layers.length > 0 && wrong === undefined,
    () =>
      `flow: storage layers ${layers.join(" ") || "(none)"}: ${wrong ?? "nothing"} given; ${model.name} stores facts at ` +
      `layers ${candidates[0]} to ${candidates.at(-1)}, each named once`,
  );
  return layers.toSorted((a, b) => a - b);
}
