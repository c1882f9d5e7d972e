/**
 * @file Every graph the engine runs, by role: what it is called, what it is for, how it is made. The engine and
 * `npm run tool -- export` both take their graphs from here. A name says everything its graph depends on beside the model.
 */

import type { Graph } from "../graph/ir.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import { emptyCache, fixedDecode } from "../graph/programs/fixedDecode.ts";
import { forward, lens as lensProgram, type ForwardOptions } from "../graph/programs/forward.ts";
import { similarityProgram } from "../graph/programs/gatedRead.ts";
import { replaceRows } from "../graph/programs/replaceRows.ts";
import { decodeRounds } from "../graph/programs/rounds.ts";
import { encodeStep, naiveStep, type EncodeStepOptions } from "../graph/programs/train.ts";
import type { EncoderOptions } from "./engine.ts";
import type { SessionUse } from "./programs.ts";

/** A forward program with how its session is used. */
export type ForwardRole = ForwardOptions & SessionUse;

/** A graph by its name, made when it is first needed. */
export interface Program extends SessionUse {
  readonly name: string;
  build(model: Decoder): Graph;
}

/**
 * Rows of every recall run, whoever asks and for how many facts: a fact must decode to the same tokens alone and
 * in company, and kernels may sum in another order when the number of rows changes.
 */
export const RECALL_ROWS = 8;
/**
 * Queries against a large layer's keys in one run: the keys are read once for all of them, and on wasm copied. By the
 * size of the layer and never by the number of queries, as above. 64 queries against 20,000 keys of the bundled model
 * took 606 ms by 8, 170 ms by 32 on a CPU, the same to the bit.
 */
const QUERY_ROWS = 32;
const LARGE_LAYER = 4096;
export const queryRows = (entries: number): number => (entries < LARGE_LAYER ? RECALL_ROWS : QUERY_ROWS);
/** Rows of batched free generation (anchor proposals, questions). */
export const GENERATE_ROWS = 8;
/** Rows of an embedding run. */
export const EMBED_ROWS = 8;
/**
 * Batch sizes that encoding graphs are made for; a batch takes the smallest that holds it. Few, because each costs
 * two sessions a layer (about 50 ms each on the CPU with the bundled model, more than encoding a fact) and the arena
 * that each keeps; a quarter of one is the next, as a batch is opened anew when a quarter of its facts are left.
 */
export const ENCODE_BATCHES = [2, 8, 32, 64] as const;

// ----- Forward programs -----

/** A prompt from its first token: the greedy next token, and the cache. */
export const prefill = (batch: number): ForwardOptions => ({
  name: `prefill.${batch}`,
  batch,
  head: "next",
  cache: true,
});

/** One token per row behind a cache. */
export const decode = (batch: number): ForwardRole => ({
  perToken: true,
  name: `decode.${batch}`,
  batch,
  past: true,
  head: "next",
  cache: true,
});

/** The same with all logits: what recorded decoding is held against. */
export const decodeLogits = (batch: number): ForwardOptions => ({
  name: `decodeLogits.${batch}`,
  batch,
  past: true,
  head: "last",
  cache: true,
});

/** Lengths of caches that recorded decoding is made for; a prompt with its reply takes the shortest that holds them. */
export const CACHE_COLUMNS = [64, 128, 256, 512, 1024, 2048] as const;

/** {@link decode} for one length of cache alone, to be recorded. */
export function decodeFixed(batch: number, columns: number): Program {
  const name = `fixed.${batch}.${columns}`;
  return { name, build: (model) => fixedDecode(model, { name, batch, columns }) };
}

/** A half of a cache of that length without anything in it. */
export function emptyFixed(batch: number, columns: number): Program {
  const name = `empty.${batch}.${columns}`;
  return { name, build: (model) => emptyCache(model, { name, batch, columns }) };
}

/** Tokens round after round behind a cache: what {@link decode} gives one of, where the device can. */
export const rounds = (batch: number): Program => ({
  perToken: true,
  name: `rounds.${batch}`,
  build: (model) => decodeRounds(model, { name: `rounds.${batch}`, batch }),
});

/** The cache of the tokens in front of a key token, of all layers or up to `until`; no head. */
export const prefix = (batch: number, until?: number): ForwardOptions =>
  until === undefined
    ? { name: `prefix.${batch}`, batch, cache: true }
    : { name: `prefix.${batch}.${until}`, batch, cache: true, until };

/** The key token alone behind its prefix: a(ℓ) and the norm of the down projection at `layers`. */
export const keys = (batch: number, layers: readonly number[]): ForwardOptions => ({
  name: `keys.${batch}.${layers.join("-")}`,
  batch,
  past: true,
  taps: { layers, positions: "first" },
});

/** From the key token to the end of the prompt, each row with its residual at its own layer. */
export const inject = (batch: number): ForwardOptions => ({
  name: `inject.${batch}`,
  batch,
  past: true,
  head: "next",
  cache: true,
  inject: true,
});

/** As {@link inject}, with tokens that are guessed behind the prompt: the greedy next token at every position. */
export const drafted = (batch: number): ForwardOptions => ({
  name: `drafted.${batch}`,
  batch,
  past: true,
  head: "each",
  inject: true,
});

/** Layers up to λ on the window behind the prefix: what encoding at λ cannot change. */
export const lower = (batch: number, layer: number): ForwardOptions => ({
  name: `lower.${layer}.${batch}`,
  batch,
  past: true,
  until: layer,
});

/** One fact's generation pass with the soft read of Eq. 4 at `layer`: the prompt, or one token behind a cache. */
export const soft = (layer: number, past: boolean): ForwardRole => ({
  perToken: past,
  name: `soft.${layer}.${past ? "decode" : "prompt"}`,
  batch: 1,
  head: "next",
  cache: true,
  readAt: layer,
  past,
});

/** Rows of a run that reads value tokens for the learned start. */
export const STATE_ROWS = 16;

/** Mean-pooled final hidden states. */
export const embed = (batch: number): ForwardOptions => ({ name: `embed.${batch}`, batch, pooled: true });

/** The residual stream after `layer` at every position of token rows that nothing precedes. */
export const states = (batch: number, layer: number): ForwardOptions => ({
  name: `states.${layer}.${batch}`,
  batch,
  until: layer,
});

/** a(ℓ) at every position of one sequence. */
export const activations = (layer: number): ForwardOptions => ({
  name: `activations.${layer}`,
  batch: 1,
  until: layer,
  taps: { layers: [layer], positions: "all" },
});

/** The residual stream after every layer of one sequence, a residual injected where asked. */
export const STATES: ForwardOptions = { name: "states", batch: 1, inject: true, states: true };

// ----- Other programs -----

/** Final norm and head on rows of the residual stream. */
export const LENS: Program = { name: "lens", build: (model) => lensProgram(model, "lens") };

/** One Adam step for a batch at one layer, with `suffix` prompt tokens from the key token on; for `columns` alone if given. */
export function encode(
  batch: number,
  suffix: number,
  options: EncoderOptions,
  columns?: EncodeStepOptions["columns"],
): Program {
  const { layer, beta1, beta2 } = options;
  const shape = columns ? `.${columns.time}.${columns.past}` : "";
  const name = `encode.${layer}.${batch}.${suffix}.${beta1}.${beta2}${shape}`;
  const step = { name, batch, suffix, layer, beta1, beta2, ...(columns && { columns }) };
  return { name, build: (model) => encodeStep(model, step) };
}

/** Fresh rows that can take a place in a running batch at a time: as few programs as sizes. */
export const FRESH_ROWS = 8;

/** Rows of a running batch give their place to FRESH_ROWS others. */
export function replacement(batch: number): Program {
  const name = `replace.${batch}.${FRESH_ROWS}`;
  return { name, build: ({ config }) => replaceRows(config, { name, batch, fresh: FRESH_ROWS }) };
}

/** The same step by the plain recipe, for comparison. */
export function naive(batch: number, options: EncoderOptions): Program {
  const { layer, beta1, beta2 } = options;
  const name = `naive.${layer}.${batch}.${beta1}.${beta2}`;
  return { name, build: (model) => naiveStep(model, { name, batch, layer, beta1, beta2 }) };
}

/** Queries against a layer's keys. */
export function similarity(batch: number): Program {
  return { name: `similarity.${batch}`, build: ({ config }) => similarityProgram(config, batch) };
}

// ----- All of them -----

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
    run(prefix(RECALL_ROWS), "recall prompts up to the key token: their cache"),
    run(prefix(RECALL_ROWS, Math.max(...layers)), "the same, no further than the address activations need"),
    run(keys(RECALL_ROWS, layers), "address activations at the key token"),
    ...[RECALL_ROWS, QUERY_ROWS].map((n) => ({
      ...similarity(n),
      what: `cosine of ${n} activations to a layer's keys`,
    })),
    run(inject(RECALL_ROWS), "recall: residuals added at the key token, first value token"),
    run(drafted(RECALL_ROWS), "recall: whether a residual says the tokens that are expected of it"),
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
