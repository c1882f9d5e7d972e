/** @file An engine that outlives its device: a call whose device is lost is made again on the next engine. */

import { countOf } from "../../lib/vectorForms.ts";
import { callsOf, composeEngine, ENGINE_CALLS, intercept } from "../../engine/intercept.ts";
import type {
  AdamState,
  Encoder,
  EncoderOptions,
  EncodeRow,
  Engine,
  LayerMemory,
  RowChange,
  StepResult,
  StepRow,
} from "../../engine/engine.ts";

export interface EngineSupply {
  /** Waits while a lost engine is replaced; rejects if that failed, or if the model was closed. */
  current(): Promise<Engine>;
  /** The current engine, lost or not. */
  readonly latest: Engine;
  /** Whether `error`, thrown by a call on `engine`, comes from the loss of its device. */
  wasLost(engine: Engine, error: unknown): Promise<boolean>;
}

/** The engines of `supply` as one: open layers and batches move to the next one, a batch from its last known state. */
export function currentEngine(supply: EngineSupply): Engine {
  const latest = (): Engine => supply.latest;
  const following = composeEngine(latest, {
    ...callsOf(latest, ENGINE_CALLS),
    openLayer: (...vectors) => currentLayer(latest, vectors),
    async openEncoder(rows, options, signal) {
      const encoder = new CurrentEncoder(latest, rows, options);
      await encoder.open(signal);
      return encoder;
    },
    // The engines belong to the supply.
    dispose: () => Promise.resolve(),
  });
  return intercept(following, async (_, call) => {
    for (;;) {
      const engine = await supply.current();
      try {
        return await call();
      } catch (error) {
        if (!(await supply.wasLost(engine, error))) throw error;
      }
    }
  });
}

function currentLayer(latest: () => Engine, vectors: Parameters<Engine["openLayer"]>): LayerMemory {
  const [layer, keys] = vectors;
  let open: { readonly engine: Engine; readonly memory: LayerMemory } | undefined;
  const memory = (): LayerMemory => {
    const engine = latest();
    if (open?.engine !== engine) open = { engine, memory: engine.openLayer(...vectors) };
    return open.memory;
  };
  return {
    layer,
    entries: countOf(keys) / latest().model.dFf,
    // Async, so that a failed upload rejects the call.
    similarity: async (...input) => memory().similarity(...input),
    softRecall: async (...input) => memory().softRecall(...input),
    dispose: () => open?.memory.dispose(),
  };
}

/** An encoding batch that can be restored: its rows at the last known state, and the steps since. */
class CurrentEncoder implements Encoder {
  #since: ((encoder: Encoder) => Promise<unknown>)[] = [];
  #fed: readonly (readonly number[])[] | undefined;
  #open: { readonly engine: Engine; readonly encoder: Encoder } | undefined;

  constructor(
    private readonly latest: () => Engine,
    private rows: readonly EncodeRow[],
    private readonly options: EncoderOptions,
  ) {}

  /** The batch on the current engine; restored there if the engine has changed. */
  async open(signal?: AbortSignal): Promise<Encoder> {
    const engine = this.latest();
    if (this.#open?.engine === engine) return this.#open.encoder;
    const encoder = await engine.openEncoder(this.rows, this.options, signal);
    try {
      for (const again of this.#since) await again(encoder);
    } catch (error) {
      encoder.dispose();
      throw error;
    }
    this.#open = { engine, encoder };
    return encoder;
  }

  get slots(): number {
    return this.#open?.encoder.slots ?? 0;
  }

  async step(rows: readonly StepRow[], signal?: AbortSignal): Promise<StepResult> {
    const result = await (await this.open(signal)).step(rows, signal);
    this.#since.push((encoder) => encoder.step(rows));
    return result;
  }

  async replace(changes: readonly RowChange[], signal?: AbortSignal): Promise<void> {
    // Save the other rows' state first: on a new device they are restored before the new rows join.
    await this.state();
    await (await this.open(signal)).replace(changes, signal);
    const facts = new Map(changes.map(({ row, fact }) => [row, fact]));
    this.rows = this.rows.map((row, i) => facts.get(i) ?? row);
    this.#fed = undefined;
  }

  async feed(prefixes: readonly (readonly number[])[], signal?: AbortSignal): Promise<void> {
    await (await this.open(signal)).feed(prefixes, signal);
    this.#since.push((encoder) => encoder.feed(prefixes));
    this.#fed = prefixes;
  }

  async state(): Promise<AdamState[]> {
    const states = await (await this.open()).state();
    const fed = this.#fed;
    this.rows = this.rows.map((row, i) => ({
      ...row,
      state: states[i]!,
      ...(fed ? { prefix: fed[i]! } : {}),
    }));
    this.#since = [];
    return states;
  }

  dispose(): void {
    this.#open?.encoder.dispose();
    this.#open = undefined;
  }
}
