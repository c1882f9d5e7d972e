/**
 * @file The engine of the moment under one name. Open layers and batches move to the next engine when they are next
 * called: vectors are uploaded anew, a batch is put back to its last known state and its later steps are taken again.
 */

import { engineOf } from "../../engine/around.ts";
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

/** `latest` as one engine, which does not own the engines that it stands for. */
export function following(latest: () => Engine): Engine {
  return engineOf(latest, {
    generate: (...input) => latest().generate(...input),
    embed: (...input) => latest().embed(...input),
    embedQuestion: (...input) => latest().embedQuestion(...input),
    readKeys: (...input) => latest().readKeys(...input),
    readActivations: (...input) => latest().readActivations(...input),
    readStates: (...input) => latest().readStates(...input),
    lens: (...input) => latest().lens(...input),
    recall: (...input) => latest().recall(...input),
    openLayer: (...vectors) => followingLayer(latest, vectors),
    async openEncoder(rows, options, signal) {
      const encoder = new FollowingEncoder(latest, rows, options);
      await encoder.open(signal);
      return encoder;
    },
    dispose: () => Promise.resolve(),
  });
}

/** Vectors of one layer, uploaded to whichever engine is asked. */
function followingLayer(latest: () => Engine, vectors: Parameters<Engine["openLayer"]>): LayerMemory {
  const [layer, keys] = vectors;
  let open: { readonly engine: Engine; readonly memory: LayerMemory } | undefined;
  const here = (): LayerMemory => {
    const engine = latest();
    if (open?.engine !== engine) open = { engine, memory: engine.openLayer(...vectors) };
    return open.memory;
  };
  return {
    layer,
    entries: keys.length / latest().model.dFf,
    // A failure of the upload is one of the call.
    similarity: async (...input) => here().similarity(...input),
    softRecall: async (...input) => here().softRecall(...input),
    dispose: () => open?.memory.dispose(),
  };
}

/** A batch with what it takes to be where it is: the rows at the last known state, and the steps since. */
class FollowingEncoder implements Encoder {
  readonly #latest: () => Engine;
  readonly #options: EncoderOptions;
  #rows: readonly EncodeRow[];
  #since: ((encoder: Encoder) => Promise<unknown>)[] = [];
  #fed: readonly (readonly number[])[] | undefined;
  #open: { readonly engine: Engine; readonly encoder: Encoder } | undefined;

  constructor(latest: () => Engine, rows: readonly EncodeRow[], options: EncoderOptions) {
    this.#latest = latest;
    this.#rows = rows;
    this.#options = options;
  }

  async open(signal?: AbortSignal): Promise<void> {
    await this.#here(signal);
  }

  get slots(): number {
    return this.#open?.encoder.slots ?? 0;
  }

  async step(rows: readonly StepRow[], signal?: AbortSignal): Promise<StepResult> {
    const result = await (await this.#here(signal)).step(rows, signal);
    this.#since.push((encoder) => encoder.step(rows));
    return result;
  }

  async replace(changes: readonly RowChange[], signal?: AbortSignal): Promise<void> {
    // Where the others stand is asked first: on a new device they are put back there before these join them.
    await this.state();
    await (await this.#here(signal)).replace(changes, signal);
    const facts = new Map(changes.map(({ row, fact }) => [row, fact]));
    this.#rows = this.#rows.map((row, i) => facts.get(i) ?? row);
    this.#fed = undefined;
  }

  async feed(prefixes: readonly (readonly number[])[], signal?: AbortSignal): Promise<void> {
    await (await this.#here(signal)).feed(prefixes, signal);
    this.#since.push((encoder) => encoder.feed(prefixes));
    this.#fed = prefixes;
  }

  async state(): Promise<AdamState[]> {
    const states = await (await this.#here()).state();
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

  /** The batch on the engine of the moment, where it stood on the one before. */
  async #here(signal?: AbortSignal): Promise<Encoder> {
    const engine = this.#latest();
    if (this.#open?.engine === engine) return this.#open.encoder;
    const encoder = await engine.openEncoder(this.#rows, this.#options, signal);
    try {
      for (const again of this.#since) await again(encoder);
    } catch (error) {
      encoder.dispose();
      throw error;
    }
    this.#open = { engine, encoder };
    return encoder;
  }
}
