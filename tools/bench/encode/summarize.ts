/** @file A record as text for a terminal. Reads records only. */

import type { BenchRecord, MethodFigures } from "./record.ts";

/** The bars: times naive's facts per second, times the peer's parts per second, and the cost of 24 recalls in single ones. */
export const BARS = { encode: 25, peer: 15, recall: 3 } as const;

/** The summary of a run. */
export function summary(record: BenchRecord): string {
  const { naive, ours, recall, byLayer } = record;
  return [
    ...head(record),
    "",
    "            facts/s   ms/fact     exact   fidelity   steps   before the clock",
    methodLine("naive", naive, record.facts.length),
    methodLine("sharp", ours, record.facts.length),
    `ratio      ${cell(record.ratio.toFixed(2), 8)}   ${verdict(record)}`,
    peerLine(record),
    "",
    "layer   facts   naive facts/s   sharp steps   exact naive / sharp",
    ...byLayer.map(
      ({ layer, facts, naive: n, ours: o }) =>
        `${cell(layer, 5)}${cell(facts, 8)}${cell(n.factsPerSecond.toFixed(2), 16)}` +
        `${cell(o.steps.toFixed(1), 14)}${cell(`${n.exact} / ${o.exact}`, 22)}`,
    ),
    "",
    `recall   1 fact ${recall.one.toFixed(0)} ms, ${recall.facts} facts of ${recall.layers} layers ${recall.many.toFixed(0)} ms: ` +
      `${recall.ratio.toFixed(2)} times (bar: at most ${BARS.recall}, ${met(recall.ratio <= BARS.recall)}); ` +
      `${recall.exact} of ${recall.facts} exact, medians of ${recall.repeats}`,
  ].join("\n");
}

function head({
  model,
  capabilities: c,
  circumstances,
  source,
  layers,
  params,
  naive,
  ours,
  facts,
  repeatable,
}: BenchRecord): string[] {
  return [
    `${model.name} (${model.architecture}, ${model.layers} layers, d ${model.dModel}) on ${c.backend}: ${c.description}, ${c.runtime}`,
    `${facts.length} facts (${source.babi} bAbI sentences, ${source.made} made, ${source.prose ?? 0} of a novel), layers ${layers.join(" ")}; ` +
      `naive: ${params.steps} guided steps, no stop; sharp: at most ${params.steps} + ${params.refine}, batches of ${params.encodeBatch}`,
    `medians of ${naive.passes.length} naive and ${ours.passes.length} sharp turns, taken alternately; ` +
      `sharp ${repeatable ? "gave the same residuals every time" : "DID NOT give the same residuals every time"}; commit ${circumstances.commit}`,
  ];
}

function methodLine(name: string, figures: MethodFigures, facts: number): string {
  const { factsPerSecond, exact, fidelity, steps, warmUp } = figures;
  return (
    `${name.padEnd(10)} ${cell(factsPerSecond.toFixed(2), 8)}${cell((1000 / factsPerSecond).toFixed(0), 10)}` +
    `${cell(`${exact}/${facts}`, 10)}${cell(fidelity.toFixed(3), 11)}${cell(steps.toFixed(1), 8)}` +
    `   ${warmUp.sessions} sessions ${seconds(warmUp.creation)}, first run ${seconds(warmUp.milliseconds - warmUp.creation)}`
  );
}

function verdict({ ratio, naive, ours }: BenchRecord): string {
  const exactness = ours.exact >= naive.exact ? "equal or better exactness" : "WORSE exactness";
  return `(bar: at least ${BARS.encode} at equal or better exactness: ${met(ratio >= BARS.encode && ours.exact >= naive.exact)}, ${exactness})`;
}

function peerLine({ peer }: BenchRecord): string {
  if (!peer) return "PyTorch is not installed here (Debian: python3-torch), so the batched loop was not run";
  const { torch, parts, exact, partsPerSecond, oursPerSecond, ratio } = peer;
  return (
    `batched loop in PyTorch ${torch}, the same ${parts} parts: ${partsPerSecond.toFixed(1)} a second, ${exact} exact; ` +
    `sharp ${oursPerSecond.toFixed(1)} a second, ${ratio.toFixed(1)} times (bar: at least ${BARS.peer}, ${met(ratio >= BARS.peer)})`
  );
}

const cell = (value: number | string, width: number): string => String(value).padStart(width);
const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
const met = (ok: boolean): string => (ok ? "met" : "MISSED");
