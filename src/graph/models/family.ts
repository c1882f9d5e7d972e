/** @file What a decoder family may differ in, and the pieces the families share. */

import type { GraphBuilder } from "../build.ts";
import type { Tensor } from "../ir.ts";
import type { DecoderConfig } from "./config.ts";
import { times } from "./matrix.ts";

/** Query, key and value rows before they are split into heads. */
export interface Projections {
  readonly query: Tensor; // [rows, heads * headDim]
  readonly key: Tensor; // [rows, kvHeads * headDim]
  readonly value: Tensor; // [rows, kvHeads * headDim]
}

/** A family is the differences from one decoder; everything else lives in decoder.ts. */
export interface Family {
  /** architectures[0] of config.json. */
  readonly architecture: string;
  readonly project: (b: GraphBuilder, config: DecoderConfig, layer: string, x: Tensor) => Projections;
  /** Gate and up rows of the feed-forward block, both [rows, dFf]. */
  readonly gateUp: (
    b: GraphBuilder,
    config: DecoderConfig,
    layer: string,
    x: Tensor,
  ) => readonly [Tensor, Tensor];
  /** Whether query and key heads pass a norm before they are rotated. */
  readonly headNorm: boolean;
}

/** x W^T for a weight stored as [outputs, inputs], the Hugging Face layout. x [rows, inputs]. */
export function linear(b: GraphBuilder, x: Tensor, weight: string, outputs: number): Tensor {
  const inputs = Number(x.shape[1]);
  return b.scope(weight.split(".").at(-2)!, () => times(b, x, weight, [outputs, inputs])); // [rows, outputs]
}

/** Separate q, k and v projections. */
export function separateProjections(
  b: GraphBuilder,
  c: DecoderConfig,
  layer: string,
  x: Tensor,
): Projections {
  const rows = (name: string, heads: number) =>
    linear(b, x, `${layer}.self_attn.${name}.weight`, heads * c.headDim);
  return { query: rows("q_proj", c.heads), key: rows("k_proj", c.kvHeads), value: rows("v_proj", c.kvHeads) };
}

/** Separate gate and up projections. */
export function separateGateUp(
  b: GraphBuilder,
  c: DecoderConfig,
  layer: string,
  x: Tensor,
): readonly [Tensor, Tensor] {
  const rows = (name: string) => linear(b, x, `${layer}.mlp.${name}.weight`, c.dFf);
  return [rows("gate_proj"), rows("up_proj")];
}
