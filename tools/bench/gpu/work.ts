/**
 * @file Lower bounds of the work of a decoder: operations and bytes of passes through its matrices, and their seconds at
 * given rates. Attention, norms and softmax are left out.
 */

import type { DecoderConfig } from "../../../src/graph/models/config.ts";
import { weightBytes, type Precision } from "../../../src/lib/precision.ts";
import type { Limits } from "./limits.ts";

/** A run through some or all layers. */
export interface Pass {
  /** Tokens that go through the layers. */
  readonly tokens: number;
  /** Tokens whose logits are computed; without any the head is not read. */
  readonly predicted: number;
  /** Default: all layers. */
  readonly layers?: number;
}

/** Operations (a product and a sum are two) and bytes of weights that are read. */
export interface Work {
  readonly flops: number;
  readonly bytes: number;
}

/** The work of a model at the rates of a device. */
export class ModelWork {
  readonly #config: DecoderConfig;
  readonly #precision: Precision;
  readonly #limits: Limits;

  constructor(config: DecoderConfig, precision: Precision, limits: Limits) {
    this.#config = config;
    this.#precision = precision;
    this.#limits = limits;
  }

  work({ tokens, predicted, layers = this.#config.layers }: Pass): Work {
    const { vocabulary, dModel } = this.#config;
    const matrices = layerMatrices(this.#config);
    const elements = matrices.reduce((sum, [n, k]) => sum + n * k, 0);
    const bytes = matrices.reduce((sum, shape) => sum + weightBytes(shape, this.#precision), 0);
    const head = predicted > 0 ? weightBytes([vocabulary, dModel], this.#precision) : 0;
    return {
      flops: 2 * (layers * tokens * elements + predicted * vocabulary * dModel),
      bytes: layers * bytes + head,
    };
  }

  /** Seconds until so many bytes of the host are where a session reads them. */
  upload(bytes: number): number {
    return bytes / this.#limits.uploadBytesPerSecond;
  }

  /** Seconds of passes one after another, each by whichever of operations and bytes takes longer. */
  seconds(...passes: readonly Pass[]): number {
    return passes.reduce((sum, pass) => sum + this.#secondsOf(this.work(pass)), 0);
  }

  /** Seconds of a step of encoding: forwards, and backwards to δ, through the layers above `layer`. */
  step({ layer, tokens, predicted }: Omit<Pass, "layers"> & { readonly layer: number }): number {
    return 2 * this.seconds({ tokens, predicted, layers: this.#config.layers - layer - 1 });
  }

  #secondsOf({ flops, bytes }: Work): number {
    return Math.max(flops / this.#limits.flopsPerSecond, bytes / this.#limits.bytesPerSecond);
  }
}

/** [outputs, inputs] of the products of a layer. */
function layerMatrices({ dModel, dFf, heads, kvHeads, headDim }: DecoderConfig) {
  return [
    [(heads + 2 * kvHeads) * headDim, dModel],
    [dModel, heads * headDim],
    [2 * dFf, dModel],
    [dModel, dFf],
  ] as const;
}

/** A rate or a time with the best that the limits leave room for; `ratio` is how near it came. */
export interface Figure {
  readonly value: number;
  readonly limit: number;
  /** Above 1 the limit was measured too low: something else had the device, or another kernel is faster (limits.ts). */
  readonly ratio: number;
}

/** A measured value, to be compared with its limit once that is known. */
export interface Unjudged {
  readonly value: number;
  against(workload: ModelWork): Figure;
}

/** A rate: `count` per second, where all together take `least` seconds at the limits. */
export const rate = (count: number, seconds: number, least: (workload: ModelWork) => number): Unjudged => ({
  value: count / seconds,
  against(workload) {
    const limit = count / least(workload);
    return { value: count / seconds, limit, ratio: least(workload) / seconds };
  },
});

/** A time, which is `least` seconds at the limits, in units of `unit` seconds. */
export const time = (seconds: number, least: (workload: ModelWork) => number, unit = 1): Unjudged => ({
  value: seconds / unit,
  against(workload) {
    const limit = least(workload) / unit;
    return { value: seconds / unit, limit, ratio: least(workload) / seconds };
  },
});

export const MILLISECONDS = 1e-3;
