/**
 * @file Memories of the text at hand. Our method, its oracles and retrieval over our anchors all need one of the same
 * text: it is made once for them, and gone when the next text comes.
 */

import { openMemory, type OpenMemory } from "../flow/answer.ts";
import type { FlowContext } from "../flow/context.ts";
import { memorize } from "../flow/memorize.ts";
import { withRecordedLayers, planLayers } from "../flow/layerProbe.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { makeDocument } from "../ingest/text.ts";
import { present } from "../lib/assert.ts";
import { once } from "../lib/promises.ts";
import { keyOf, type MethodParams } from "../records/params.ts";
import type { LayerPlan } from "../records/plan.ts";
import type { Store } from "../store/port.ts";

/** A memory, open for questions, with what making it took. */
export interface Shelved {
  readonly open: OpenMemory;
  readonly milliseconds: number;
}

/** What memories are made on; each gets a store of its own. */
export type ShelfContext = Omit<FlowContext, "store" | "params"> & { readonly newStore: () => Store };

export class Shelf {
  readonly #context: ShelfContext;
  readonly #made = new Map<string, Promise<Shelved | null>>();
  readonly #layers = new Map<string, Promise<LayerPlan>>();

  constructor(context: ShelfContext) {
    this.#context = context;
  }

  /** The memory of `text` under `params`; null where the text has no fact to store. */
  of(text: string, params: MethodParams): Promise<Shelved | null> {
    return once(this.#made, JSON.stringify([text, params]), () => this.#make(text, params));
  }

  /** Forgets every memory; the layers that a probe chose stay known. */
  async clear(): Promise<void> {
    const made = await Promise.allSettled(this.#made.values());
    this.#made.clear();
    for (const one of made) if (one.status === "fulfilled") one.value?.open.dispose();
  }

  async #make(text: string, params: MethodParams): Promise<Shelved | null> {
    if (!hasCandidate(text, params)) return null;
    const { newStore, ...rest } = this.#context;
    const context: FlowContext = { ...rest, params, store: newStore() };
    const { layers, parts } = await this.#layersOf(context);
    const started = context.now();
    await memorize({ ...context, layers, ...(parts ? { parts } : {}) }, [makeDocument("source", text)]);
    const milliseconds = context.now() - started;
    const memory = present(
      await context.store.open(),
      () => "evaluate: the memory of the text is not stored",
    );
    return { open: openMemory(context.engine, memory, params), milliseconds };
  }

  /**
   * Storage layers and part length follow from the model and what encoding reads: one probe serves every text, and every
   * way to ask.
   */
  #layersOf(context: FlowContext): Promise<LayerPlan> {
    const probe = (): Promise<LayerPlan> => planLayers(withRecordedLayers(context));
    return once(this.#layers, keyOf(context.params, "layers", "encode"), probe);
  }
}

function hasCandidate(text: string, { candidateFilter }: MethodParams): boolean {
  if (text.trim() === "") return false;
  const first = candidates(sentences(makeDocument("source", text)), candidateFilter).next();
  return first.done !== true;
}
