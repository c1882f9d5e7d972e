/** @file Every graph that the engine runs, and the types of its sessions. A name includes everything besides the model that its graph depends on. */

import type { Graph } from "../graph/ir.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import {
  lens as lensProgram,
  type ForwardOptions,
  decodeRounds,
  emptyCache,
  fixedDecode,
  replaceRows,
} from "../graph/programs/forward.ts";
import { similarityProgram } from "../graph/programs/gatedRead.ts";
import { encodeStep, type EncodeStepOptions } from "../graph/programs/train.ts";
import type { EncoderOptions } from "./engine.ts";
import type { Device, FixedSession, FixedSessionOptions, Purpose, Session } from "../runtime/device.ts";

export interface SessionUse {
  /** It runs once per token, so it may get its own baked weights: onnxruntime repacks constants, which halves such a run. */
  readonly perToken?: boolean;
  readonly keptFor?: Purpose;
}

export type ForwardRole = ForwardOptions & SessionUse;

export interface Program extends SessionUse {
  readonly name: string;
  build(model: Decoder): Graph;
}

export interface ModelSessions {
  readonly device: Device;
  readonly decoder: Decoder;
  /** Whether encoding steps may be recorded, if the device records any: the self-test in this precision decides. */
  readonly recordsSteps: boolean;
  /** The session of the graph that `build` makes; `key` must name everything the graph depends on. */
  session(key: string, build: () => Graph, use?: SessionUse): Promise<Session>;
  recorded(graph: Graph, options: Omit<FixedSessionOptions, "name" | "weights">): Promise<FixedSession>;
}

/** Rows of a run of parts: a run costs some milliseconds in addition to its rows. */
export const PART_ROWS = { few: 8, many: 32 } as const;

/** `items` in runs, with their number of rows: many if they fill more than `share` of them and `most` allows it. */
export function* partRuns<T>(
  items: readonly T[],
  most: number,
  share = 3 / 4,
): Generator<{ rows: number; members: T[] }> {
  for (let from = 0; from < items.length;) {
    const many = most >= PART_ROWS.many && items.length - from > share * PART_ROWS.many;
    const rows = many ? PART_ROWS.many : PART_ROWS.few;
    yield { rows, members: items.slice(from, (from += rows)) };
  }
}

export const QUERY_ROWS = 32;
/**
 * Queries in one run: many against the keys of a large layer, or a large block of packed ones. The number depends on the memory only:
 * kernels may add in another order with other rows, and do with more rows than keys.
 */
export const queryRows = (entries: number, packed = false): number =>
  entries < (packed ? 256 : 4096) ? PART_ROWS.few : QUERY_ROWS;
export const GENERATE_ROWS = 8;
export const EMBED_ROWS = 8;
/** Batch sizes of encoding, few because each costs two sessions per layer. A batch is reopened when a quarter of it is left. */
export const ENCODE_BATCHES = [2, 8, 32, 64] as const;

type Options = Omit<ForwardRole, "name" | "batch">;

const role = (kind: string, batch: number, options: Options): ForwardRole => ({
  name: `${kind}.${batch}`,
  batch,
  ...options,
});

const program = (name: string, build: (model: Decoder, name: string) => Graph): Program => ({
  name,
  build: (model) => build(model, name),
});

const NEXT = { head: "next", cache: true } as const;

/** A prompt from its first token: the greedy next token, and the cache. */
export const prefill = (batch: number) => role("prefill", batch, NEXT);

/** One token per row behind a cache. */
export const decode = (batch: number) => role("decode", batch, { perToken: true, past: true, ...NEXT });

/** The same with all logits: the reference for recorded decoding. */
export const decodeLogits = (batch: number) =>
  role("decodeLogits", batch, { past: true, head: "last", cache: true });

/** Lengths of caches that recorded decoding is made for; a prompt with its reply takes the shortest that holds them. */
export const CACHE_COLUMNS = [64, 128, 256, 512, 1024, 2048] as const;

/** {@link decode} for one length of cache alone, to be recorded. */
export const decodeFixed = (batch: number, columns: number) =>
  program(`fixed.${batch}.${columns}`, (model, name) => fixedDecode(name, model, batch, columns));

/** A half of a cache of that length without anything in it. */
export const emptyFixed = (batch: number, columns: number) =>
  program(`empty.${batch}.${columns}`, (model, name) => emptyCache(name, model, batch, columns));

/** As {@link decode}, with several tokens per run, for devices with loops. */
export const rounds = (batch: number): Program => ({
  ...program(`rounds.${batch}`, (model, name) => decodeRounds(name, model, batch)),
  perToken: true,
});

/** The cache of the tokens that begin all prompts. */
export const READ_OPENING = role("opening", 1, { cache: true });

/** As {@link prefix}, behind the cache of the tokens that begin all prompts. */
export const prefixBehind = (batch: number, until?: number) =>
  until === undefined
    ? role("prefix.behind", batch, { cache: true, past: true })
    : role(`prefix.behind.${until}`, batch, { cache: true, past: true, until });

/** The cache of the tokens in front of a key token, of all layers or up to `until`; no head. */
export const prefix = (batch: number, until?: number) =>
  until === undefined
    ? role("prefix", batch, { cache: true })
    : role(`prefix.${until}`, batch, { cache: true, until });

/** The key token alone behind its prefix: a(ℓ) and the norm of the down projection at `layers`. */
export const keys = (batch: number, layers: readonly number[]) =>
  role(`keys.${layers.join("-")}`, batch, { past: true, taps: { layers, positions: "first" } });

/** From the key token to the end of the prompt, each row with its residual at its own layer. */
export const inject = (batch: number) => role("inject", batch, { past: true, ...NEXT, inject: true });

/** As {@link inject}, with the target tokens as input: the greedy next token at every position, and the address. */
export const check = (batch: number) =>
  role("check", batch, { past: true, head: "each", inject: "addressed" });

/** Layers up to λ on the window behind the prefix: what encoding at λ cannot change. */
export const lower = (batch: number, layer: number) =>
  role(`lower.${layer}`, batch, { past: true, until: layer });

/** One fact's generation pass with the soft read of Eq. 4 at `layer`: the prompt, or one token behind a cache. */
export const soft = (layer: number, past: boolean) =>
  role(`soft.${layer}.${past ? "decode" : "prompt"}`, 1, { perToken: past, past, ...NEXT, readAt: layer });

export const STATE_ROWS = 16;

export const embed = (batch: number) => role("embed", batch, { pooled: true });

/** The residual stream after `layer` at every position of token rows that nothing precedes. */
export const states = (batch: number, layer: number) => role(`states.${layer}`, batch, { until: layer });

export const activations = (layer: number) =>
  role(`activations.${layer}`, 1, { until: layer, taps: { layers: [layer], positions: "all" } });

/** The residual stream after every layer of one sequence, a residual injected where asked. */
export const STATES = role("states", 1, { inject: true, states: true });

export const LENS = program("lens", lensProgram);

/** One Adam step for a batch at one layer, with `suffix` prompt tokens from the key token on; for `columns` alone if given. */
export function encode(
  batch: number,
  suffix: number,
  options: EncoderOptions,
  columns?: EncodeStepOptions["columns"],
): Program {
  const { layer, beta1, beta2, margin = 0 } = options;
  const shape = columns ? `.${columns.time}.${columns.past}` : "";
  const lead = margin ? `.lead${margin}` : "";
  const key = `encode.${layer}.${batch}.${suffix}.${beta1}.${beta2}${lead}${shape}`;
  const step = { batch, suffix, layer, beta1, beta2, margin, ...(columns && { columns }) };
  return program(key, (model, name) => encodeStep(model, { name, ...step }));
}

/** Fresh rows that can take a place in a running batch at a time: as few programs as sizes. */
export const FRESH_ROWS = 8;

export const replacement = (batch: number) =>
  program(`replace.${batch}.${FRESH_ROWS}`, ({ config }, name) =>
    replaceRows(name, config, batch, FRESH_ROWS),
  );

export const similarity = (batch: number) =>
  program(`similarity.${batch}`, ({ config }) => similarityProgram(config, batch));
