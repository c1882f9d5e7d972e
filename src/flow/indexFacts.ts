/** @file MemoryPlan -> the memory before its first new entry: questions and the routing index, while v is at hand. */

import * as v from "valibot";
import type { Fact } from "../records/fact.ts";
import { randomHex } from "../lib/hash.ts";
import { keyToken, recallPrompt } from "../memory/parts.ts";
import { haveVectors, type EntryMeta, type Memory } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { MemoryPlan } from "../records/plan.ts";
import { joining } from "../records/parameterSets.ts";
import { buildRouting, noVectors, type Embed } from "../router/documents.ts";
import { keepsVectors } from "../router/route.ts";
import { inStage, type FlowContext } from "./context.ts";
import { mergeRouting, withoutEvicted } from "./extend.ts";
import { remembered } from "./cacheLookup.ts";
import { withQuestions } from "./readTexts.ts";

/** The memory after the plan, with nothing encoded yet; `before` itself if the plan adds nothing. */
export async function indexFacts(
  context: FlowContext,
  before: Memory<EntryMeta> | null,
  { sources, layers, retained, evicted }: Pick<MemoryPlan, "sources" | "layers" | "retained" | "evicted">,
): Promise<Memory<EntryMeta>> {
  if (before && sources.length === 0 && retained.length === 0) return before;
  const stored = before && withoutEvicted(before, evicted);
  const { engine, params, signal } = context;
  const salts = stored?.salts ?? [randomHex(SALT_BYTES)];
  const questioned = await inStage(context, "questions", () => withQuestions(context, retained));
  const routing = await inStage(context, "routing", async () => {
    const earlier = stored?.routing ?? [];
    const near = earlier.length > 0 ? haveVectors(earlier) : keepsVectors(params);
    const embed = near ? counting(context, routingVectors(retained, params)) : noVectors;
    const added = await buildRouting(questioned, salts[0]!, params, embed, signal);
    return mergeRouting(earlier, added, params);
  });
  return {
    model: engine.model,
    params,
    embedder: engine.embedder,
    salts,
    layers,
    ...(stored?.keyToken && { keyToken: stored.keyToken }),
    ...(retained[0] && { keyToken: keyToken(engine, recallPrompt(engine, retained[0])) }),
    ...(stored?.centres && { centres: stored.centres }),
    ...(stored?.deletions && { deletions: stored.deletions }),
    sources: [...(stored?.sources ?? []), ...sources],
    ...(stored ? joining({ params, earlier: stored.earlier }, stored, stored.entries) : { entries: [] }),
    routing,
    waiting: [...(stored?.waiting ?? []), ...retained.map(({ id, value }) => ({ id, value }))],
  };
}

const SALT_BYTES = 16;

/** Vectors of anchors, and of facts if these have some. */
export const routingVectors = (
  facts: readonly Pick<Fact, "anchorOrder">[],
  { factVectors }: Pick<MethodParams, "factVectors">,
): number => new Set(facts.map(({ anchorOrder }) => anchorOrder)).size + (factVectors ? facts.length : 0);

/** The engine's embedder; it reports how many of `total` vectors are made. */
function counting(context: FlowContext, total: number): Embed {
  const { engine, onProgress } = context;
  let done = 0;
  return async (texts) => {
    const by = engine.embedderIdentity;
    const wanted = texts.map((text) => ({ content: [by, text], traces: [text] }));
    const make = (missing: readonly number[]) => engine.embed(missing.map((at) => texts[at]!));
    // Without a hash of its files, an embedder is known by its name alone, so its vectors are not cached.
    const vectors =
      by === null
        ? await make([...texts.keys()])
        : await remembered(context, "vector", wanted, v.instance(Float32Array), make);
    done += texts.length;
    onProgress?.({ stage: "routing", done, total });
    return vectors;
  };
}
