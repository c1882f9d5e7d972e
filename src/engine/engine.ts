/**
 * @file What the method needs of a frozen language model, whoever runs it: locally, or in a worker behind rpc.
 * Nothing here says how; token ids are plain numbers and vectors are Float32Arrays on the host.
 */

import type { ModelIdentity } from "../records/memory.ts";
import type { Capabilities } from "../runtime/device.ts";

/** A recall prompt as tokens, with the position of its last key token. */
export interface RecallPrompt {
  readonly ids: readonly number[];
  readonly keyPosition: number;
}

/** The address activation a(ℓ) at the key token. */
export interface KeyReading {
  readonly activation: Float32Array; // [dFf]
  /** Norm of the down projection's own output there: the scale against which ‖δ‖ is clamped. */
  readonly downNorm: number;
}

/** A fact to decode: its prompt, what is added at its key token (nothing if null), and how far to decode. */
export interface RecallRow {
  readonly prompt: RecallPrompt;
  readonly injection: { readonly layer: number; readonly residual: Float32Array } | null;
  readonly tokens: number;
}

/** Keys and residuals of one layer, on the device; made by {@link Engine.openLayer}. */
export interface LayerStore {
  readonly layer: number;
  readonly entries: number;
  /** Cosine similarity of activations (any norm) to every key: one [entries] array per query. */
  similarity(queries: readonly Float32Array[]): Promise<Float32Array[]>;
  /** The soft read of Eq. 4 at every position while the prompt is read and `tokens` are decoded. */
  softRecall(prompt: RecallPrompt, tokens: number, beta: number, theta: number): Promise<SoftRecall>;
  dispose(): void;
}

/** What a soft recall produced and saw. */
export interface SoftRecall {
  readonly tokens: number[];
  /** s_i at the key token, [entries]. */
  readonly similarity: Float32Array;
  /** Positions, prompt and decode, where the gate opened. */
  readonly openPositions: number[];
}

/** One fact of an encoding batch. */
export interface EncodeRow {
  readonly prompt: RecallPrompt;
  /** v: the value's tokens. */
  readonly targets: readonly number[];
  /** u: what the model is fed in front of each target; v itself when guided. */
  readonly prefix?: readonly number[];
  /** Where an earlier batch left off. */
  readonly state?: AdamState;
}

export interface AdamState {
  readonly delta: Float32Array; // [dModel]
  readonly m: Float32Array;
  readonly v: Float32Array;
}

/** Per-row settings of one step. */
export interface StepRow {
  /** Adam learning rate; 0 leaves the row as it is. */
  readonly rate: number;
  /** Steps this row has taken, from 1 with this one. */
  readonly step: number;
  /** Largest ‖δ‖; Infinity for none. */
  readonly limit: number;
  /** Keep delta as it is once all targets are hit. */
  readonly stop: boolean;
}

export interface StepResult {
  /** Eq. 3 before the step, per row. */
  readonly losses: readonly number[];
  /** Whether each target was the argmax before the step, per row and target. */
  readonly hits: readonly (readonly boolean[])[];
}

/** A batch of facts being encoded at one layer; made by {@link Engine.openEncoder}. */
export interface Encoder {
  /** One Adam step for all rows. */
  step(rows: readonly StepRow[]): Promise<StepResult>;
  /** Replaces what the model is fed in front of the targets (refinement on its own words). */
  feed(prefixes: readonly (readonly number[])[]): Promise<void>;
  state(): Promise<AdamState[]>;
  dispose(): void;
}

export interface EncoderOptions {
  readonly layer: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
}

/** What to look at while one sequence is read; for traces and figures, never on the way of a recall. */
export interface LensRequest {
  readonly ids: readonly number[];
  /** Added at one position of one layer's down projection. */
  readonly injection: {
    readonly layer: number;
    readonly position: number;
    readonly residual: Float32Array;
  } | null;
  /** Positions to read, each with tokens whose standing is asked for. */
  readonly at: readonly { readonly position: number; readonly tokens: readonly number[] }[];
  /** Tokens listed per reading. */
  readonly top: number;
}

/** One position of the residual stream after one layer, through final norm and head. */
export interface LensReading {
  /** The likeliest tokens, best first. */
  readonly top: readonly TokenScore[];
  /** The tokens that were asked for; ranks count from 1 (tokens with a larger logit, plus one). */
  readonly asked: readonly (TokenScore & { readonly rank: number })[];
}

export interface TokenScore {
  readonly id: number;
  readonly logit: number;
  readonly logProbability: number;
}

export interface GenerateOptions {
  readonly maxTokens: number;
  /** Called with the text so far; only for single prompts. */
  readonly onText?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** One frozen model, ready to use. Calls may be made concurrently; the device runs them one after another. */
export interface Engine {
  readonly model: ModelIdentity;
  readonly capabilities: Capabilities;
  /** Names the text embedder in use; vectors of different embedders are not comparable. */
  readonly embedder: string;
  /** Cosine from which two texts count as near with this embedder. */
  readonly denseFloor: number;
  /** Value tokens that one encoding batch may hold, rows times longest: each costs a row of logits, many times over. */
  readonly encodeTokens: number;
  /** Raw text to tokens, with the model's start token if it has one. */
  encode(text: string): number[];
  /** Tokens to text, special tokens left out, spaces as they are. */
  decode(ids: readonly number[]): string;
  /** A single user turn through the chat template, ready for the model's reply. */
  chat(user: string): number[];
  /** Greedy replies to single user turns, in order. */
  generate(turns: readonly string[], options: GenerateOptions): Promise<string[]>;
  /** Unit vectors of texts. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** a(ℓ) for every prompt and layer: [prompt][layer]. */
  readKeys(prompts: readonly RecallPrompt[], layers: readonly number[]): Promise<KeyReading[][]>;
  /** a(ℓ) at every position of `ids`, [position][dFf]. What is injected at ℓ does not reach it: it depends on `ids` alone. */
  readActivations(ids: readonly number[], layer: number): Promise<Float32Array[]>;
  /** The logit lens after every layer: [layer][reading of `at`]; the last layer's are the model's own logits. */
  lens(request: LensRequest): Promise<LensReading[][]>;
  /** Greedy decoding of every row, with its injection; a row's tokens do not depend on the other rows. */
  recall(rows: readonly RecallRow[], signal?: AbortSignal): Promise<number[][]>;
  /** Puts one layer's store on the device: row-major keys [entries, dFf], residuals [entries, dModel]. */
  openLayer(layer: number, keys: Float32Array, residuals: Float32Array): LayerStore;
  openEncoder(rows: readonly EncodeRow[], options: EncoderOptions): Promise<Encoder>;
  dispose(): Promise<void>;
}
