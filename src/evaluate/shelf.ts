/**
 * @file Memories of the current text, shared by our method, its oracles and retrieval over our anchors. They are discarded
 * with the next text.
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

/** A memory, open for questions, with the time of making it. */
export interface Shelved {
  readonly open: OpenMemory;
  readonly milliseconds: number;
}

/** The context of memories; each gets a separate store. */
export type ShelfContext = Omit<FlowContext, "store" | "params"> & { readonly newStore: () => Store };

export class Shelf {
  readonly #made = new Map<string, Promise<Shelved | null>>();
  readonly #layers = new Map<string, Promise<LayerPlan>>();

  constructor(private readonly context: ShelfContext) {}

  /** The memory of `text` with `params`; null if the text has no fact to store. */
  of(text: string, params: MethodParams): Promise<Shelved | null> {
    return once(this.#made, JSON.stringify([text, params]), () => this.#make(text, params));
  }

  /** Discards all memories; the layers that a probe chose are kept. */
  async clear(): Promise<void> {
    const made = await Promise.allSettled(this.#made.values());
    this.#made.clear();
    for (const one of made) if (one.status === "fulfilled") one.value?.open.dispose();
  }

  async #make(text: string, params: MethodParams): Promise<Shelved | null> {
    if (!hasCandidate(text, params)) return null;
    const { newStore, ...rest } = this.context;
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
   * Storage layers and part length depend on the model and the encoding parameters: one probe serves all texts.
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
