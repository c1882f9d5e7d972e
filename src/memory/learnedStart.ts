/**
 * @file A learned start of Adam in Eq. 3: a kernel ridge regression (features, layer) -> δ over stored parts, with the model's
 * states at a part's tokens as features. It is not stored: deleted facts are not remembered.
 *
 *   k((x, ℓ), (x', ℓ')) = (c + Σ_t x_t · x'_t) (ℓ = ℓ' ? 1 : s),    δ₀ = σ_ℓ kᵀ (K + ρI)⁻¹ (δ / σ)
 */

import type { Engine } from "../engine/engine.ts";
import { KernelRidge } from "../lib/kernelRidge.ts";
import { seeded } from "../lib/rng.ts";
import { mean } from "../lib/stats.ts";
import { norm } from "../lib/vector.ts";
import { chunks } from "../lib/group.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { AdamStart } from "../records/memory.ts";

interface StartPart {
  readonly layer: LayerIndex;
  readonly targets: readonly number[];
}

export interface WrittenPart extends StartPart {
  readonly residual: Float32Array; // [dModel]
}

/** Unit states of a part's first places, [places * width]. */
export type StartFeatures = Float32Array;

// Explained variance of δ for 250 unseen parts of The Moonstone: 0.27, 0.32 and 0.37 after 250, 500 and 950 parts.
/** c: what all parts have in common. */
const COMMON = 5;
/** s: transfer between layers. */
const SHARED = 0.8;
/** ρ. */
const RIDGE = 5;
/** Most parts to learn from: each costs a row of the factor, and is compared with every later part. */
export const LEARNT_PARTS = 1024;
const LEAST_PARTS = 32;
const SCALE_PARTS = 4;
const CONTROL_EVERY = 16;
/** Parts of the control group after which the start is dropped if it saves nothing. */
const CONTROL_LEAST = 12;
const PLACES = 32;
/** Wider states are projected to so many numbers, which keeps their products in expectation. */
const WIDTH = 256;
const READ_PARTS = 64;
const STATE_LAYER = 2;

interface Sample {
  readonly layer: LayerIndex;
  readonly features: StartFeatures;
}

export class LearnedStart {
  readonly #regression: KernelRidge;
  readonly #samples: Sample[] = [];
  readonly #waiting = new Map<LayerIndex, (Sample & { readonly residual: Float32Array })[]>();
  readonly #scales = new Map<LayerIndex, number>();
  readonly #control = new WeakSet<StartFeatures>();
  readonly #compared = new WeakMap<StartFeatures, number[]>();
  readonly #projection: Float32Array | undefined;
  readonly #steps = { zero: { sum: 0, parts: 0 }, learned: { sum: 0, parts: 0 } };
  #parts = 0;

  constructor(private readonly engine: Engine) {
    const { dModel } = engine.model;
    this.#regression = new KernelRidge(dModel, RIDGE);
    this.#projection = dModel > WIDTH ? signs(dModel * WIDTH) : undefined;
  }

  get samples(): number {
    return this.#samples.length;
  }

  async learnAll(written: readonly WrittenPart[], signal?: AbortSignal): Promise<void> {
    for (const group of chunks(written.slice(-LEARNT_PARTS), READ_PARTS)) {
      const features = await this.read(group, signal);
      for (const [i, { layer, residual }] of group.entries()) this.learn(layer, features[i]!, residual);
    }
  }

  async read(parts: readonly StartPart[], signal?: AbortSignal): Promise<StartFeatures[]> {
    const rows = parts.map(({ targets }) => targets.slice(0, PLACES));
    const layer = Math.min(STATE_LAYER, this.engine.model.layers - 1);
    const states = await this.engine.readStates(rows, layer, signal);
    return states.map((state) => this.#unitPlaces(state));
  }

  /** δ₀ of the next part, [dModel]; null if too little is known, it does not pay, or the part is in the control group. */
  next(layer: LayerIndex, features: StartFeatures): Float32Array | null {
    if (this.samples < LEAST_PARTS || !this.pays()) return null;
    if (this.#parts++ % CONTROL_EVERY === CONTROL_EVERY - 1) {
      this.#control.add(features);
      return null;
    }
    // An unknown scale of a layer is the mean of the others.
    const scale = this.#scales.get(layer) ?? mean([...this.#scales.values()]);
    const predicted = this.#regression.predict(this.#kernel({ layer, features }));
    return Float32Array.from(predicted, (x) => x * scale);
  }

  learn(layer: LayerIndex, features: StartFeatures, residual: Float32Array): void {
    if (this.samples >= LEARNT_PARTS) return;
    const scale = this.#scales.get(layer);
    if (scale !== undefined) {
      this.#add({ layer, features }, residual, scale);
      return;
    }
    const waiting = this.#waiting.get(layer) ?? [];
    waiting.push({ layer, features, residual });
    this.#waiting.set(layer, waiting);
    if (waiting.length < SCALE_PARTS) return;
    const found = mean(waiting.map((sample) => norm(sample.residual)));
    this.#scales.set(layer, found);
    this.#waiting.delete(layer);
    for (const sample of waiting) this.#add(sample, sample.residual, found);
  }

  /** Counts the steps of a finished part with a learned start, or of one in the control group. */
  finished(features: StartFeatures, start: AdamStart, steps: number): void {
    if (start === "zero" && !this.#control.has(features)) return;
    const group = this.#steps[start === "learned" ? "learned" : "zero"];
    group.sum += steps;
    group.parts++;
  }

  pays(): boolean {
    const { zero, learned } = this.#steps;
    if (zero.parts < CONTROL_LEAST || learned.parts === 0) return true;
    return learned.sum / learned.parts < zero.sum / zero.parts;
  }

  #add(sample: Sample, residual: Float32Array, scale: number): void {
    const self = COMMON + product(sample.features, sample.features);
    this.#regression.add(
      this.#kernel(sample),
      self,
      residual.map((x) => x / scale),
    );
    this.#samples.push(sample);
  }

  #kernel({ layer, features }: Sample): Float64Array {
    const products = this.#products(features);
    return Float64Array.from(
      this.#samples,
      (other, i) => (COMMON + products[i]!) * (other.layer === layer ? 1 : SHARED),
    );
  }

  #products(features: StartFeatures): readonly number[] {
    const products = this.#compared.get(features) ?? [];
    for (let i = products.length; i < this.#samples.length; i++)
      products.push(product(features, this.#samples[i]!.features));
    this.#compared.set(features, products);
    return products;
  }

  /** The state of every place at length 1, projected if it is wide: [places * width]. */
  #unitPlaces(states: Float32Array): StartFeatures {
    const { dModel } = this.engine.model;
    const places = states.length / dModel;
    const width = Math.min(dModel, WIDTH);
    const features = new Float32Array(places * width);
    for (let t = 0; t < places; t++) {
      const state = this.#projected(states.subarray(t * dModel, (t + 1) * dModel));
      const length = norm(state);
      if (length > 0)
        features.set(
          state.map((x) => x / length),
          t * width,
        );
    }
    return features;
  }

  #projected(state: Float32Array): Float32Array {
    const projection = this.#projection;
    if (!projection) return state;
    const out = new Float32Array(WIDTH);
    for (let i = 0; i < state.length; i++)
      for (let j = 0, x = state[i]!; j < WIDTH; j++) out[j]! += x * projection[i * WIDTH + j]!;
    return out;
  }
}

/** Σ_t x_t · y_t over the places that both have. */
function product(x: StartFeatures, y: StartFeatures): number {
  const length = Math.min(x.length, y.length);
  let [a, b, c, d] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += x[i]! * y[i]!;
    b += x[i + 1]! * y[i + 1]!;
    c += x[i + 2]! * y[i + 2]!;
    d += x[i + 3]! * y[i + 3]!;
  }
  for (; i < length; i++) a += x[i]! * y[i]!;
  return a + b + c + d;
}

/** Random signs (Achlioptas 2003), the same on every machine. */
function signs(count: number): Float32Array {
  const random = seeded(1);
  return Float32Array.from({ length: count }, () => (random() < 0.5 ? -1 : 1));
}
