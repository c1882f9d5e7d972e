/** @file Every graph that the engine uses, with a sentence about each: for exports and checks. */

import { forward, type ForwardOptions } from "../../src/graph/programs/forward.ts";
import type { EncoderOptions } from "../../src/engine/engine.ts";
import {
  CACHE_COLUMNS,
  EMBED_ROWS,
  FRESH_ROWS,
  GENERATE_ROWS,
  LENS,
  QUERY_ROWS,
  PART_ROWS,
  STATES,
  activations,
  decode,
  decodeFixed,
  decodeLogits,
  check,
  embed,
  emptyFixed,
  encode,
  inject,
  keys,
  lower,
  prefill,
  prefix,
  replacement,
  rounds,
  similarity,
  soft,
  type Program,
} from "../../src/engine/roles.ts";
import { naiveStep } from "./naiveStep.ts";

/** One Adam step by the plain recipe, which encoding is measured against. */
export function naive(batch: number, { layer, beta1, beta2 }: EncoderOptions): Program {
  const name = `naive.${layer}.${batch}.${beta1}.${beta2}`;
  return { name, build: (model) => naiveStep(model, { name, batch, layer, beta1, beta2 }) };
}

/** A program with a sentence on what it is. */
export interface CatalogEntry extends Program {
  readonly what: string;
}

export interface CatalogOptions extends Omit<EncoderOptions, "layer"> {
  /** Storage layers to make the per-layer graphs for. */
  readonly layers: readonly number[];
  /** Rows of the encoding graphs (the engine makes one for each of ENCODE_BATCHES it meets). */
  readonly encodeBatch: number;
  /** Prompt tokens from the key token on (depends on the tokenizer). */
  readonly suffix: number;
}

/** Every graph the engine uses with these options, and the naive step of the benchmark. */
export function catalog(options: CatalogOptions): CatalogEntry[] {
  const { layers, encodeBatch: batch, suffix } = options;
  return [
    ...[1, GENERATE_ROWS].map((n) => run(prefill(n), `reads ${rows(n)}, gives the next token and a cache`)),
    ...[1, GENERATE_ROWS].map((n) => run(decode(n), `one more token for ${rows(n)}`)),
    ...[1, GENERATE_ROWS].map((n) => ({ ...rounds(n), what: `token after token for ${rows(n)}` })),
    { ...emptyFixed(1, CACHE_COLUMNS[0]), what: "a cache of fixed length, still empty" },
    { ...decodeFixed(1, CACHE_COLUMNS[0]), what: "one more token behind a cache of fixed length" },
    run(decodeLogits(1), "the logits that this is held against"),
    run(STATES, "inspection: the residual stream after every layer"),
    { ...LENS, what: "inspection: the residual stream through final norm and head" },
    run(embed(EMBED_ROWS), `mean-pooled text vectors of ${rows(EMBED_ROWS)}`),
    ...Object.values(PART_ROWS).flatMap((n) => [
      run(prefix(n), `recall prompts up to the key token, ${n} at once: their cache`),
      run(prefix(n, Math.max(...layers)), "the same, no further than the address activations need"),
      run(keys(n, layers), `address activations at the key token of ${rows(n)}`),
      run(inject(n), `recall of ${rows(n)}: residuals added at the key token, first value token`),
      run(check(n), `check of ${rows(n)}: the margin of a part, and its address`),
    ]),
    ...[PART_ROWS.few, QUERY_ROWS].map((n) => ({
      ...similarity(n),
      what: `cosine of ${n} activations to a layer's keys`,
    })),
    ...layers.map((layer) =>
      run(activations(layer), `inspection: activations at layer ${layer}, everywhere`),
    ),
    ...layers.flatMap((layer) => [
      run(soft(layer, false), `soft gated read at layer ${layer}, over the prompt`),
      run(soft(layer, true), `soft gated read at layer ${layer}, while decoding`),
    ]),
    ...[batch, FRESH_ROWS].map((n) => run(prefix(n), "encoding: cache of the prompt prefixes")),
    { ...replacement(batch), what: "encoding: rows of a batch give their place to others" },
    ...layers.flatMap((layer) => [
      ...[batch, FRESH_ROWS].map((n) =>
        run(lower(n, layer), `encoding: layers up to ${layer}, once for ${rows(n)}`),
      ),
      { ...encode(batch, suffix, { ...options, layer }), what: `encoding: one Adam step at layer ${layer}` },
    ]),
    ...layers.map((layer) => ({
      ...naive(1, { ...options, layer }),
      what: `the plain recipe's step at layer ${layer} (benchmark)`,
    })),
  ].filter((entry, i, all) => all.findIndex(({ name }) => name === entry.name) === i);
}

const rows = (count: number): string => (count === 1 ? "one prompt" : `${count} prompts`);

const run = (options: ForwardOptions, what: string): CatalogEntry => ({
  name: options.name,
  what,
  build: (model) => forward(model, options),
});
