/** @file The estimate before a run; a text is read again only when the text or what is taken from it changed. */

import { forecast, ruleFacts, type RuleFacts } from "../../flow/estimate.ts";
import { candidateLayers } from "../../memory/probe.ts";
import { keyOf, type MethodParams } from "../../records/params.ts";
import type { MemorizeArgument, MemorizeEstimate } from "../../rpc/protocol.ts";
import { runSize, type Costs } from "./costs.ts";
import type { EngineHost } from "../engineHost.ts";
import type { OpenedModel } from "../model/slot.ts";
import { measurePace, timeAtPace, type Pace } from "./pace.ts";

export type Estimator = (model: OpenedModel, argument: MemorizeArgument) => Promise<MemorizeEstimate>;

export function createEstimator(host: EngineHost, costs: Costs): Estimator {
  let last: { readonly key: string; readonly facts: Promise<RuleFacts> } | undefined;
  const paces = new WeakMap<OpenedModel, Promise<Pace>>();

  /** Measured once a model: batches of other settings cost about the same. */
  function paceOf(opened: OpenedModel, params: MethodParams): Promise<Pace> {
    const known = paces.get(opened);
    if (known) return known;
    const pace = measurePace(opened.engine, params, () => host.now());
    paces.set(opened, pace);
    pace.catch(() => paces.delete(opened));
    return pace;
  }

  function factsOf({ params }: MemorizeArgument, ids: MemorizeArgument["documents"]): Promise<RuleFacts> {
    const key = `${JSON.stringify(ids)} ${keyOf(params, "candidates", "anchors")}`;
    if (last?.key === key) return last.facts;
    const facts = Promise.all(ids.map((id) => host.readDocument(id))).then((texts) =>
      ruleFacts(texts, params),
    );
    last = { key, facts };
    facts.catch(() => (last = undefined));
    return facts;
  }

  return async (opened, argument) => {
    const { engine } = opened;
    const { memory, documents, params, layers: given } = argument;
    const stored = await host.memoryHead(memory);
    const known = new Set(stored?.sources.map(({ id }) => id));
    const found = await factsOf(
      argument,
      documents.filter((id) => !known.has(id)),
    );
    const possible = candidateLayers(engine.model.layers).length;
    const layers = given?.length ?? Math.min(params.layers, possible);
    const { candidates, budget, facts, bytes } = forecast(found, {
      stored,
      model: engine.model,
      params,
      layers,
      tokensOf: (value) => engine.encode(value).length,
    });
    const probe = stored || given ? 0 : possible - costs.probed(engine, params).length;
    const size = runSize(engine, candidates, facts, probe);
    const seconds = costs.seconds(engine, params, size);
    const [from, to] =
      seconds === null ? timeAtPace(await paceOf(opened, params), params, size) : [seconds, seconds];
    return {
      candidates,
      anchors: budget.anchors,
      facts: facts.length,
      layers: budget.layers,
      capacity: budget.capacity,
      depth: budget.depth,
      bound: budget.bound,
      bytes,
      time: { from, to, measured: seconds !== null },
    };
  };
}
