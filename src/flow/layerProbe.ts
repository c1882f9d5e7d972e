/** @file The held-out recall probe: which layers can store facts that no source contains, and how long a part is best. */

import type { Engine } from "../engine/engine.ts";
import { assert } from "../lib/assert.ts";
import { mean } from "../lib/stats.ts";
import { encodeFacts, type EncodeProgress } from "../memory/encode.ts";
import { partsOf, stopsWhenExact } from "../memory/parts.ts";
import { chooseLayers } from "../plan/layers.ts";
import { chooseLength } from "../plan/parts.ts";
import type { Fact } from "../records/fact.ts";
import { charOffset, documentId, factId, layerIndex, type LayerIndex } from "../records/ids.ts";
import { byFact, precisionOf, type Memory, type MemoryEntry } from "../records/memory.ts";
import { PROBE } from "../records/parameterKinds.ts";
import { keyOf, SHARP, type MethodParams } from "../records/params.ts";
import {
  layerProbe,
  partPlan,
  probedOf,
  type LayerPlan,
  type LayerProbe,
  type LengthProbe,
  type PartPlan,
  type RecordedProbe,
} from "../records/plan.ts";
import { keep, lookUp, type Wanted } from "./cacheLookup.ts";
import type { FlowContext } from "./context.ts";
import { factOf } from "./facts.ts";
// Invented short facts of several forms, and sentences as long as those of books (35 to 70 tokens of the bundled model).
import texts from "./probeFacts.json" with { type: "json" };

/** Chooses `params.layers` of `only` or all layers, and the longest part if it is not given. @throws if `only` has a wrong layer */
export async function planLayers(context: FlowContext, only?: readonly LayerIndex[]): Promise<LayerPlan> {
  const { engine, params, onProgress } = context;
  const layers = only ? checkedLayers(engine, only) : candidateLayers(engine.model.layers);
  const results = (await knownProbes(context)).filter(({ layer }) => layers.includes(layer));
  const left = layers.filter((layer) => !results.some((known) => known.layer === layer));
  const report = (note: string) =>
    onProgress?.({ stage: "layers", done: results.length, total: layers.length, note });
  let note = `probing layer ${left[0]}`;
  if (left.length === 0) report("probed before");
  for (const layer of left) {
    const result = await probeLayer(context, layer, () => report(note));
    results.push(result);
    await keep(context, KIND, [{ ...wantedProbe(params, layer), value: result }]);
    note = `layer ${layer}: exact ${Math.round(result.exactRate * probedOf(result))} of ${probedOf(result)}, fidelity ${result.fidelity.toFixed(2)}`;
    report(note);
  }
  const plan = chooseLayers(results, Math.min(params.layers, layers.length), params.layerShare);
  // A model that recalls no fact has no best length.
  const recalls = plan.choices.some(({ exactRate }) => exactRate > 0);
  if (params.partTokens !== PROBE || !recalls) return plan;
  const known = await knownParts(context);
  if (known) return { ...plan, parts: known };
  const parts = await chooseLength((longest) =>
    probeLength(context, plan.layers, longest, () => report(`trying parts of at most ${longest} tokens`)),
  );
  await keep(context, PARTS, [{ ...WANTED_PARTS, value: parts }]);
  return { ...plan, parts };
}

type Knowing = Pick<FlowContext, "engine" | "cache" | "params" | "parts">;

async function knownParts(context: Knowing): Promise<PartPlan | undefined> {
  const found = context.parts ?? recordedOf(context.engine)?.parts;
  const { writer } = context.engine;
  const most = context.params.start === "writer" && writer ? writer.part : Infinity;
  if (found) return { ...found, longest: Math.min(found.longest, most) };
  const [kept] = await lookUp(context, PARTS, [WANTED_PARTS], partPlan);
  return kept?.value;
}

const PARTS = "part length";
const WANTED_PARTS: Wanted = { content: [keyOf(SHARP, "encode")], traces: [] };

/** The longest part if it is known without a probe: from the parameters, the memory, or an earlier probe. */
export async function knownPartTokens(
  context: Knowing,
  stored: Pick<Memory, "params"> | null,
): Promise<number | null | undefined> {
  const { partTokens } = context.params;
  if (partTokens !== PROBE) return partTokens;
  const before = stored?.params.partTokens;
  return typeof before === "number" ? before : (await knownParts(context))?.longest;
}

/** The probe that was recorded with the engine's model; null for rounded weights, which may store fewer tokens per vector. */
export const recordedOf = ({ model, recorded }: Pick<Engine, "model" | "recorded">): RecordedProbe | null =>
  recorded?.sha256 === model.sha256 && precisionOf(model) === "f32" ? recorded : null;

/** `context` with the layer probes that were recorded with the model, if they were made with these parameters. */
export function withRecordedLayers<C extends Pick<FlowContext, "engine" | "params" | "probed">>(
  context: C,
): C {
  const { engine, params, probed = [] } = context;
  const recorded = recordedOf(engine);
  if (recorded?.encode !== keyOf(params, "encode")) return context;
  const others = recorded.layers.filter(
    ({ layer }) => layer < engine.model.layers && !probed.some((known) => known.layer === layer),
  );
  const marked = others.map((probe) => ({ ...probe, recorded: true as const }));
  return { ...context, probed: [...probed, ...marked] };
}

const KIND = "probe";
/** Known layer probes: given ones, and those in the cache. */
export async function knownProbes(
  context: Pick<FlowContext, "engine" | "cache" | "params" | "probed">,
): Promise<readonly LayerProbe[]> {
  const { engine, params, probed = [] } = context;
  const others = candidateLayers(engine.model.layers).filter(
    (layer) => !probed.some((known) => known.layer === layer),
  );
  const wanted = others.map((layer) => wantedProbe(params, layer));
  return [...probed, ...(await lookUp(context, KIND, wanted, layerProbe)).map(({ value }) => value)];
}

const wantedProbe = (params: MethodParams, layer: LayerIndex): Wanted => ({
  content: [keyOf(params, "encode"), layer],
  traces: [],
});

/** `layers` in ascending order. @throws if the list is empty, a layer is given twice, or one cannot store facts */
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

export async function encodeAll(...given: Parameters<typeof encodeFacts>): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  for await (const group of encodeFacts(...given)) entries.push(...group);
  return entries;
}

/** Encodes sentences in parts of at most `longest` tokens, with the preset sharp: the length belongs to the model. */
async function probeLength(
  context: FlowContext,
  layers: readonly LayerIndex[],
  longest: number,
  onStep: () => void,
): Promise<LengthProbe> {
  const facts = asFacts(texts.prose);
  const whole = { ...SHARP, partTokens: null };
  const tokens = facts.reduce((n, fact) => n + partsOf(context.engine, fact, whole)[0]!.targets.length, 0);
  const planned = facts.map((fact, i) => ({ fact, layer: layers[i % layers.length]! }));
  let spent = 0;
  onStep();
  const onProgress = ({ tokens: more }: EncodeProgress): void => {
    spent += more;
    onStep();
  };
  const { engine, signal } = context;
  const params = { ...SHARP, partTokens: longest };
  const entries = await encodeAll(engine, planned, params, { signal, onProgress });
  const exact = byFact(entries).filter((parts) => parts.every(({ report }) => report.exact));
  return {
    longest,
    exactRate: exact.length / facts.length,
    vectors: entries.length / facts.length,
    steps: spent / tokens,
    n: facts.length,
  };
}

async function probeLayer(context: FlowContext, layer: LayerIndex, onStep: () => void): Promise<LayerProbe> {
  const { engine, params, now, signal } = context;
  const started = now();
  const planned = probeFacts().map((fact) => ({ fact, layer }));
  const entries = await encodeAll(engine, planned, probing(params), { signal, onProgress: onStep });
  const reports = entries.map(({ report }) => report);
  return {
    layer,
    exactRate: mean(reports.map(({ exact }) => Number(exact))),
    fidelity: mean(reports.map(({ fidelity }) => fidelity)),
    cost: (now() - started) / 1000 / reports.length,
    work: mean(reports.map(({ steps }) => steps)) * (engine.model.layers - layer),
    n: reports.length,
  };
}

/** Steps of the probe if facts stop when exact: a good layer needs a few, and a bad one would use up all. */
const PROBE_STEPS = 20;

/** The parameters with all probe facts in one batch, and a bound on the steps. */
function probing(params: MethodParams): MethodParams {
  const batched = { ...params, encodeBatch: Math.max(params.encodeBatch, texts.facts.length) };
  return stopsWhenExact(params)
    ? { ...batched, steps: Math.min(params.steps + params.refine, PROBE_STEPS), refine: 0 }
    : batched;
}

/** All layers but the last: δ added there reaches the head at the key token only. */
export const candidateLayers = (layers: number): LayerIndex[] =>
  Array.from({ length: Math.max(layers - 1, 1) }, (_, i) => layerIndex(i));

export const probeFacts = (): Fact[] => asFacts(texts.facts);

function asFacts(pairs: readonly (readonly string[])[]): Fact[] {
  const document = documentId("probe");
  return pairs.map(([anchor = "", value = ""], order) =>
    factOf({ anchor, order }, { id: factId(document, charOffset(order)), index: 1, value }),
  );
}
