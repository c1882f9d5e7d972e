/**
 * @file An engine that outlives its device. When the device is lost, a call waits for the next engine and is made
 * again there; a batch under way is put back where its last known state was and its later steps are taken again, and
 * stored layers are uploaded anew. So a run over a loss ends with the very result it would have had.
 */

import type {
  AdamState,
  Encoder,
  EncoderOptions,
  EncodeRow,
  Engine,
  LayerStore,
  StepResult,
  StepRow,
} from "../engine/engine.ts";

/** Where the engine of the moment comes from. */
export interface Supply {
  /** Waits while a lost one is replaced; rejects when that failed, or the model was closed. */
  current(): Promise<Engine>;
  /** The one of the moment, lost or not: for what needs no device. */
  readonly latest: Engine;
  /** Asked after a failure: whether it came from the loss of the device of `engine`. */
  wasLost(engine: Engine, error: unknown): Promise<boolean>;
}

/** The engines of `supply` as one. They must all be engines of the same model. */
export function steadyEngine(supply: Supply): Engine {
  const { model } = supply.latest;
  const run = <T>(work: (engine: Engine) => Promise<T>) => overLosses(supply, work);
  return {
    model,
    get capabilities() {
      return supply.latest.capabilities;
    },
    embedder: supply.latest.embedder,
    denseFloor: supply.latest.denseFloor,
    get encodeTokens() {
      return supply.latest.encodeTokens;
    },
    encode: (text) => supply.latest.encode(text),
    decode: (ids) => supply.latest.decode(ids),
    chat: (user) => supply.latest.chat(user),
    generate: (turns, options) => run((engine) => engine.generate(turns, options)),
    embed: (texts) => run((engine) => engine.embed(texts)),
    readKeys: (prompts, layers) => run((engine) => engine.readKeys(prompts, layers)),
    readActivations: (ids, layer) => run((engine) => engine.readActivations(ids, layer)),
    lens: (request) => run((engine) => engine.lens(request)),
    recall: (rows, signal) => run((engine) => engine.recall(rows, signal)),
    openLayer: (layer, keys, residuals) =>
      steadyLayer(supply, { layer, entries: keys.length / model.dFf }, keys, residuals),
    async openEncoder(rows, options) {
      const encoder = new SteadyEncoder(supply, rows, options);
      await encoder.open();
      return encoder;
    },
    // The engines belong to the supply.
    dispose: () => Promise.resolve(),
  };
}

/** Does `work` on the engine of the moment, and again on the next one each time a device was lost under it. */
async function overLosses<T>(supply: Supply, work: (engine: Engine) => Promise<T>): Promise<T> {
  for (;;) {
    const engine = await supply.current();
    try {
      return await work(engine);
    } catch (error) {
      if (!(await supply.wasLost(engine, error))) throw error;
    }
  }
}

/** Vectors of one layer, uploaded to whichever engine is asked. */
function steadyLayer(
  supply: Supply,
  { layer, entries }: Pick<LayerStore, "layer" | "entries">,
  keys: Float32Array,
  residuals: Float32Array,
): LayerStore {
  let open: { readonly engine: Engine; readonly store: LayerStore } | undefined;
  const run = <T>(work: (store: LayerStore) => Promise<T>): Promise<T> =>
    overLosses(supply, (engine) => {
      if (open?.engine !== engine) open = { engine, store: engine.openLayer(layer, keys, residuals) };
      return work(open.store);
    });
  return {
    layer,
    entries,
    similarity: (queries) => run((store) => store.similarity(queries)),
    softRecall: (prompt, tokens, beta, theta) =>
      run((store) => store.softRecall(prompt, tokens, beta, theta)),
    dispose: () => open?.store.dispose(),
  };
}

/** A batch with what it takes to be where it is: the rows at the last known state, and the steps since. */
class SteadyEncoder implements Encoder {
  readonly #supply: Supply;
  readonly #options: EncoderOptions;
  #rows: readonly EncodeRow[];
  #since: ((encoder: Encoder) => Promise<unknown>)[] = [];
  #fed: readonly (readonly number[])[] | undefined;
  #open: { readonly engine: Engine; readonly encoder: Encoder } | undefined;

  constructor(supply: Supply, rows: readonly EncodeRow[], options: EncoderOptions) {
    this.#supply = supply;
    this.#rows = rows;
    this.#options = options;
  }

  async open(): Promise<void> {
    await this.#run(() => Promise.resolve());
  }

  async step(rows: readonly StepRow[]): Promise<StepResult> {
    const result = await this.#run((encoder) => encoder.step(rows));
    this.#since.push((encoder) => encoder.step(rows));
    return result;
  }

  async feed(prefixes: readonly (readonly number[])[]): Promise<void> {
    await this.#run((encoder) => encoder.feed(prefixes));
    this.#since.push((encoder) => encoder.feed(prefixes));
    this.#fed = prefixes;
  }

  async state(): Promise<AdamState[]> {
    const states = await this.#run((encoder) => encoder.state());
    const fed = this.#fed;
    this.#rows = this.#rows.map((row, i) => ({
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

  #run<T>(work: (encoder: Encoder) => Promise<T>): Promise<T> {
    return overLosses(this.#supply, async (engine) => {
      if (this.#open?.engine !== engine) {
        const encoder = await engine.openEncoder(this.#rows, this.#options);
        this.#open = { engine, encoder };
        for (const again of this.#since) await again(encoder);
      }
      return work(this.#open.encoder);
    });
  }
}
