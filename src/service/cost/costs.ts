/**
 * @file What this machine was measured to need for a model with its parameters: layer probes that need not be made
 * again, as long as the worker lives, and the model of cost (plan/cost.ts), kept from one visit to the next.
 */

import type { Engine } from "../../engine/engine.ts";
import { learned, NOTHING_KNOWN } from "../../plan/cost.ts";
import { OWN_STATES } from "../../records/embedderName.ts";
import type { CostModel } from "../../records/cost.ts";
import { precisionOf } from "../../records/memory.ts";
import { keyOf, type MethodParams } from "../../records/params.ts";
import type { LayerProbe } from "../../records/plan.ts";
import type { EngineHost } from "../types.ts";

export interface Costs {
  /** What is known of the layers of this model with these parameters. */
  probed(engine: Engine, params: MethodParams): readonly LayerProbe[];
  keepProbes(engine: Engine, params: MethodParams, probes: readonly LayerProbe[]): void;
  known(engine: Engine, params: MethodParams): Promise<CostModel>;
  /** Learns from a run. */
  learn(engine: Engine, params: MethodParams, run: CostModel): Promise<void>;
}

export function createCosts({ readCost, writeCost }: Pick<EngineHost, "readCost" | "writeCost">): Costs {
  const probes = new Map<string, readonly LayerProbe[]>();
  const known = async (engine: Engine, params: MethodParams): Promise<CostModel> =>
    // What cannot be read is as good as unknown: an estimate is no reason for a run to fail.
    (await readCost(stageKey(engine, params)).catch(() => null)) ?? NOTHING_KNOWN;
  return {
    probed: (engine, params) => probes.get(encodeKey(engine, params)) ?? [],
    keepProbes(engine, params, found) {
      const key = encodeKey(engine, params);
      const fresh = new Set(found.map(({ layer }) => layer));
      const kept = (probes.get(key) ?? []).filter(({ layer }) => !fresh.has(layer));
      probes.set(key, [...kept, ...found]);
    },
    known,
    async learn(engine, params, run) {
      // The run is over and stored: it does not fail for want of room for what it teaches.
      await writeCost(stageKey(engine, params), learned(await known(engine, params), run)).catch(
        () => undefined,
      );
    },
  };
}

/** All that the cost and the success of encoding a fact depend on. */
function encodeKey({ model, capabilities }: Engine, params: MethodParams): string {
  const precision = precisionOf(model);
  // What f32 took is kept under the name it had before there were others.
  const own = precision === "f32" ? "" : `${precision} `;
  return `${model.sha256} ${own}${capabilities.backend} ${keyOf(params, "encode")}`;
}

/** Another text embedder takes another time; the model's own goes without a name, as before there were others. */
const stageKey = (engine: Engine, params: MethodParams): string =>
  `${encodeKey(engine, params)} ${keyOf(params, "anchors", "index")}${engine.embedder === OWN_STATES ? "" : ` ${engine.embedder}`}`;
