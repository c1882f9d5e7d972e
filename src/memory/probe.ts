/**
 * @file The held-out recall probe: which layers can store facts at all, and how long a part one vector says best. Facts
 * that no source contains are encoded and recalled: short ones at every candidate layer, which plan/layers.ts ranks by
 * what came back, and sentences as books have them in parts of several lengths (plan/parts.ts).
 */

import type { Engine } from "../engine/engine.ts";
import { mean } from "../lib/stats.ts";
import type { Fact } from "../records/fact.ts";
import { charOffset, documentId, factId, layerIndex, type LayerIndex } from "../records/ids.ts";
import { byFact, type EncodingReport, type MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { LayerProbe, LengthProbe } from "../records/plan.ts";
import { encodeFacts, type EncodeProgress } from "./encode.ts";
import { partsOf } from "./parts.ts";
import { stopsWhenExact } from "./schedule.ts";

/** Invented, of several forms, and short enough for small models. */
const PROBE_FACTS: readonly (readonly [anchor: string, value: string])[] = [
  ["Ondine", "Ondine went back to the cellar."],
  ["Tobias", "Tobias picked up the lantern there."],
  ["Marisol", "Marisol gave the compass to Edwin."],
  ["Hollis", "Hollis works as a tailor in Ghent."],
  ["Project Larch", "The code of Project Larch is QX-417."],
  ["Coastal Guild", "The Coastal Guild was founded in 1873."],
  ["Ravi Stone", "Ravi Stone cannot eat mushrooms."],
  ["pantry", "The pantry is east of the library."],
];

/** Sentences of 35 to 70 tokens of the bundled model, as long as those of books. */
const PROBE_PROSE: readonly (readonly [anchor: string, value: string])[] = [
  [
    "Mr. Penhale",
    "Mr. Penhale came down to breakfast in the worst of tempers, and having looked twice at the clock, and once, with great severity, at the toast, he declared that no letter worth the reading had ever arrived before ten.",
  ],
  [
    "Lydia Crane",
    "“You may tell him,” said Lydia Crane, without turning from the window, “that I have waited eleven years for the boat, and that I can very well wait until Thursday.”",
  ],
  [
    "the ferryman",
    "The ferryman, who had lost two fingers of his left hand in the winter of the great frost, counted the coins again under the lantern and pushed all but three of them back across the bench.",
  ],
  [
    "Dr. Halloran",
    "When Dr. Halloran unlocked the cabinet he found neither the ledger nor the blue bottles, but a child’s shoe, a bundle of receipts from Trieste, and a key that fitted nothing in the house.",
  ],
  [
    "Widow Barrow",
    "Nobody in the village of Upper Sallow spoke to the Widow Barrow after the fire, though every Sunday somebody left a basket of eggs upon her wall.",
  ],
  [
    "Captain Osgood",
    "Captain Osgood had been told at Valparaiso that the southern passage was clear; he learned otherwise on the fourth of June, at a quarter past two in the morning, when the ice took the rudder.",
  ],
  [
    "Miss Treadwell",
    "It was generally agreed that Miss Treadwell sang better than she played, played better than she drew, and drew rather worse than her younger brother, who had never had a lesson in his life.",
  ],
  [
    "Ned Farrow",
    "“I never took the horse,” cried Ned Farrow; “it followed me, sir, over the bridge and down the Norwich road, and would not be turned back for stick or stone!”",
  ],
];

/**
 * Stores sentences in parts of at most `longest` tokens at `layers` in turns, those that stay inexact halved, and says
 * what that took. @throws Cancelled when the signal fires
 */
export async function probeLength(
  engine: Engine,
  layers: readonly LayerIndex[],
  longest: number,
  params: MethodParams,
  { signal, onStep }: ProbeOptions = {},
): Promise<LengthProbe> {
  const facts = asFacts(PROBE_PROSE);
  const whole = { ...params, partTokens: null };
  const tokens = facts.reduce((sum, fact) => sum + partsOf(engine, fact, whole)[0]!.targets.length, 0);
  const planned = facts.map((fact, i) => ({ fact, layer: layers[i % layers.length]! }));
  const entries: MemoryEntry[] = [];
  let spent = 0;
  const options = {
    layers,
    onProgress(progress: EncodeProgress) {
      spent += progress.tokens;
      onStep?.();
    },
    ...(signal ? { signal } : {}),
  };
  for await (const group of encodeFacts(engine, planned, { ...params, partTokens: longest }, options))
    entries.push(...group);
  const exact = byFact(entries).filter((those) => those.every(({ report }) => report.exact));
  return {
    longest,
    exactRate: exact.length / facts.length,
    vectors: entries.length / facts.length,
    steps: spent / tokens,
    n: facts.length,
  };
}

interface ProbeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: () => void;
}

/** Probes `layers` one after another and reports each as it is done. */
export async function* probeLayers(
  engine: Engine,
  layers: readonly LayerIndex[],
  params: MethodParams,
  now: () => number,
  { signal, onStep }: ProbeOptions = {},
): AsyncGenerator<LayerProbe> {
  for (const layer of layers) {
    const started = now();
    const reports: EncodingReport[] = [];
    const planned = probeFacts().map((fact) => ({ fact, layer }));
    const options = { ...(signal ? { signal } : {}), ...(onStep ? { onProgress: onStep } : {}) };
    for await (const entries of encodeFacts(engine, planned, probing(params), options))
      reports.push(...entries.map((entry) => entry.report));
    yield {
      layer,
      exactRate: mean(reports.map(({ exact }) => Number(exact))),
      fidelity: mean(reports.map(({ fidelity }) => fidelity)),
      cost: (now() - started) / 1000 / reports.length,
      work: mean(reports.map(({ steps }) => steps)) * (engine.model.layers - layer),
      n: reports.length,
    };
  }
}

/**
 * Steps a layer has for the probe where facts stop as they become exact: a layer that can store a fact is done in a
 * few, and one that cannot would use up all of them only to say so. A fact that needs more counts as not exact.
 */
const PROBE_STEPS = 20;

/** The parameters with all probe facts in one batch, and a bound on what a layer without success may cost. */
function probing(params: MethodParams): MethodParams {
  const batched = { ...params, encodeBatch: Math.max(params.encodeBatch, PROBE_FACTS.length) };
  return stopsWhenExact(params)
    ? { ...batched, steps: Math.min(params.steps + params.refine, PROBE_STEPS), refine: 0 }
    : batched;
}

/** All layers a model offers. δ added at the last layer reaches the head at the key token only, and cannot steer. */
export function candidateLayers(layers: number): LayerIndex[] {
  return Array.from({ length: Math.max(layers - 1, 1) }, (_, i) => layerIndex(i));
}

/** Eight facts that no source contains, in nobody's memory. */
export const probeFacts = (): Fact[] => asFacts(PROBE_FACTS);

function asFacts(pairs: readonly (readonly [anchor: string, value: string])[]): Fact[] {
  const document = documentId("probe");
  return pairs.map(([anchor, value], i) => ({
    id: factId(document, charOffset(i)),
    documentId: document,
    anchor,
    anchorOrder: i,
    index: 1,
    value,
    offset: charOffset(i),
  }));
}
