/** @file Interface of a frozen language model. Vectors are on the host; intercept.ts can wrap all calls on the device. */

import type { WriterSizes } from "../graph/programs/writer.ts";
import type { StepOptions } from "../graph/programs/train.ts";
import type { Rows } from "../lib/vectorForms.ts";
import type { ModelIdentity } from "../records/memory.ts";
import type { RecordedProbe } from "../records/plan.ts";
import type { Capabilities } from "../runtime/device.ts";

/** A recall prompt as tokens, with the position of its last key token. */
export interface RecallPrompt {
  readonly ids: readonly number[];
  readonly keyPosition: number;
  /** How many tokens all prompts begin with: what a run computes of them serves every prompt. */
  readonly opening?: number;
}

/** The address activation a(ℓ) at the key token. */
export interface KeyReading {
  readonly activation: Float32Array; // [dFf]
}

/** A stored residual being added: to the output of one layer's down projection, at one position of a sequence. */
export interface Injection {
  readonly layer: number;
  readonly position: number;
  readonly residual: Float32Array; // [dModel]
}

/** A fact to decode: its prompt, what is injected at its key token (nothing if null), and how far to decode. */
export interface RecallRow {
  readonly prompt: RecallPrompt;
  readonly injection: Omit<Injection, "position"> | null;
  readonly tokens: number;
}

export interface PartToCheck {
  readonly prompt: RecallPrompt;
  readonly injection: Omit<Injection, "position">;
  readonly targets: readonly number[];
}

export interface CheckedPart {
  readonly reading: KeyReading;
  /** Logits by which every target leads the next best token, at least; 0 if another token leads somewhere. */
  readonly margin: number;
}

/** A sentence that may answer a question, with its logit by the ranking. */
export interface RankedText {
  readonly text: string;
  readonly logit: number;
}

/** The probability that each sentence has the answer, and the words that answer best; null if none can be the answer. */
export interface SentencesRead {
  readonly shares: readonly number[];
  readonly best: ReadSpan | null;
  /** Whether all sentences were read to their end. */
  readonly whole: boolean;
}

/** Characters [from, to) of one of several sentences, and the probability that they answer. */
export interface ReadSpan {
  readonly sentence: number;
  readonly span: readonly [from: number, to: number];
  readonly confidence: number;
}

export interface PartToWrite {
  readonly layer: number;
  readonly targets: readonly number[];
}

/** A writer: its shape, the model that it belongs to, and the longest part that is cut for it. */
export interface WriterAbout extends WriterSizes {
  readonly model: string;
  readonly sha256: string;
  readonly part: number;
}

/** A part to learn: behind its recall prompt the model is to say `targets`. */
export interface Lesson extends PartToWrite {
  readonly prompt: RecallPrompt;
}

/** How far a training is: its steps, and what they took, as their caller counts it. */
export interface Taught {
  readonly steps: number;
  readonly seconds: number;
}

export interface Teaching {
  readonly about: WriterAbout;
  /** Of the training that this one goes on with. */
  readonly before: Taught;
  /** Lessons of a step. */
  readonly batch: number;
  /**
   * Step number `step`, from 1, on lessons of one layer, each target to lead by `margin` logits; with a rate of 0 the lessons are
   * tested alone. Returns whether each target led, by lesson.
   */
  step(
    lessons: readonly Lesson[],
    options: Readonly<{ step: number; rate: number; margin: number }>,
    signal?: AbortSignal,
  ): Promise<boolean[][]>;
  /** The writer as a file of the model's folder, or all that a training so far can go on from. */
  file(soFar?: Taught): Promise<Uint8Array>;
  dispose(): void;
}

export interface LayerCalls {
  /** Cosine similarity of raw activations, less the centre, to every key: one [entries] array per query. */
  similarity(queries: readonly Float32Array[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** The soft read of Eq. 4 at every position while the prompt is read and `tokens` are decoded. */
  softRecall(
    prompt: RecallPrompt,
    tokens: number,
    read: SoftReadParams,
    signal?: AbortSignal,
  ): Promise<SoftRecall>;
}

export interface SoftReadParams {
  readonly beta: number;
  readonly theta: number;
}

/** Keys and residuals of one layer, on the device; made by {@link Engine.openLayer}. */
export interface LayerMemory extends LayerCalls {
  readonly layer: number;
  readonly entries: number;
  dispose(): void;
}

export interface SoftRecall {
  readonly tokens: number[];
  /** s_i at the key token, [entries]. */
  readonly similarity: Float32Array;
  /** Positions, prompt and decode, where the gate opened. */
  readonly openPositions: number[];
}

export interface EncodeRow {
  readonly prompt: RecallPrompt;
  /** v: the value's tokens. */
  readonly targets: readonly number[];
  /** u: what the model is fed in front of each target; v itself when guided. */
  readonly prefix?: readonly number[];
  readonly state?: AdamState;
}

export interface RowChange {
  readonly row: number;
  readonly fact: EncodeRow;
}

export interface AdamState {
  readonly delta: Float32Array; // [dModel]
  readonly m: Float32Array;
  readonly v: Float32Array;
}

export interface StepRow {
  /** Adam learning rate; 0 leaves the row as it is. */
  readonly rate: number;
  /** Steps this row has taken, from 1 with this one. */
  readonly step: number;
  /** Keep delta as it is once all targets are hit. */
  readonly stop: boolean;
}

export interface StepResult {
  /** Eq. 3 before the step, per row. */
  readonly losses: readonly number[];
  /** Whether each target led by the batch's margin before the step, per row and target. */
  readonly hits: readonly (readonly boolean[])[];
}

export interface EncoderCalls {
  step(rows: readonly StepRow[], signal?: AbortSignal): Promise<StepResult>;
  /** Gives rows to other facts that fit the batch: as many tokens from the key on, and no more before it or in the value. */
  replace(changes: readonly RowChange[], signal?: AbortSignal): Promise<void>;
  /** Replaces what the model is fed in front of the targets (refinement on its own words). */
  feed(prefixes: readonly (readonly number[])[], signal?: AbortSignal): Promise<void>;
  state(): Promise<AdamState[]>;
}

/** A batch of facts being encoded at one layer; made by {@link Engine.openEncoder}. */
export interface Encoder extends EncoderCalls {
  /** Tokens that a step computes, including empty rows, prompt ends, and padding of shorter values. */
  readonly slots: number;
  dispose(): void;
}

export interface EncoderOptions extends Omit<StepOptions, "name" | "batch"> {
  /** Space for facts that join later: tokens before the key, and value tokens. */
  readonly room?: { readonly prefix: number; readonly targets: number };
}

/** A reading along one sequence; for traces and figures only, never for a recall. */
export interface LensRequest {
  readonly ids: readonly number[];
  readonly injection: Injection | null;
  /** Positions to read, each with the tokens to rank there. */
  readonly at: readonly { readonly position: number; readonly tokens: readonly number[] }[];
  readonly top: number;
  readonly layers?: readonly number[];
}

/** One position of the residual stream after one layer, through final norm and head. */
export interface LensReading {
  readonly top: readonly TokenScore[];
  /** The requested tokens; ranks count from 1 (tokens with a larger logit, plus one). */
  readonly asked: readonly (TokenScore & { readonly rank: number })[];
}

export interface TokenScore {
  readonly id: number;
  readonly logit: number;
  readonly logProbability: number;
}

interface GenerateOptions {
  readonly maxTokens: number;
  /** Called with the text so far; only for single prompts. */
  readonly onText?: (text: string) => void;
}

export interface CrossEncoder {
  readonly name: string;
  /** The raw logit of each passage for the question; larger is better. */
  score(question: string, passages: readonly string[]): Promise<readonly number[]>;
  dispose(): Promise<void>;
}

/** A token classifier as LLMLingua-2 needs it: its tokens, and the probability of each to be kept. */
export interface TokenKeeper {
  readonly name: string;
  tokens(line: string): string[];
  /** Tokens without text, such as the one for unknown words. */
  readonly special: ReadonlySet<string>;
  /** `continues`: the mark is on tokens that continue a word ("##"); `begins`: on those that start one ("▁"). */
  readonly mark: { readonly kind: "continues" | "begins"; readonly text: string };
  /** Probability of each token of each run to be kept, read together with its run; a run has at most 511 tokens. */
  keep(runs: readonly (readonly string[])[], signal?: AbortSignal): Promise<readonly (readonly number[])[]>;
  text(tokens: readonly string[]): string;
  dispose(): Promise<void>;
}

/** Values of a model that need no device. Read them when needed: an engine that outlives its device changes them. */
export interface EngineValues {
  readonly model: ModelIdentity;
  readonly capabilities: Capabilities;
  /** Names the text embedder in use; vectors of different embedders are not comparable. */
  readonly embedder: string;
  /** As {@link Embedder.identity}. */
  readonly embedderIdentity: string | null;
  /** Cosine from which two texts count as near with this embedder, calibrated by the time it has embedded one. */
  readonly denseFloor: number;
  /** Most value tokens of an encoding batch, rows times longest value: each needs several rows of logits. */
  readonly encodeTokens: number;
  /** Layer probe recorded when this model was made; null if its folder has none. */
  readonly recorded: RecordedProbe | null;
  /** Tokens of the longest part that the model's writer gives δ for, and its storage layers; null without a writer. */
  readonly writer: {
    readonly places: number;
    readonly part: number;
    readonly layers: readonly number[];
  } | null;
  /** Confidence from which the reader marks a span, and how often it is wrong then; null without a reader. */
  readonly reader: { readonly level: number; readonly measured: string } | null;
  /** Raw text to tokens, with the model's start token if it has one. */
  encode(text: string): number[];
  /** Tokens to text, special tokens left out, spaces as they are. */
  decode(ids: readonly number[]): string;
  /** A single user turn through the chat template, ready for the model's reply. */
  chat(user: string): number[];
}

/** Calls on the device. A signal stops a call between two of its runs and rejects it with Cancelled. */
export interface DeviceCalls {
  generate(turns: readonly string[], options: GenerateOptions, signal?: AbortSignal): Promise<string[]>;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  embedQuestion(question: string, signal?: AbortSignal): Promise<Float32Array>;
  /** a(ℓ) for every prompt and layer: [prompt][layer]. Prompts with `tokens` keep their cache for the recall that follows. */
  readKeys(
    prompts: readonly (RecallPrompt & Partial<Pick<RecallRow, "tokens">>)[],
    layers: readonly number[],
    signal?: AbortSignal,
  ): Promise<KeyReading[][]>;
  /** a(ℓ) at every position of `ids`, [position][dFf]. */
  readActivations(ids: readonly number[], layer: number, signal?: AbortSignal): Promise<Float32Array[]>;
  /** The residual stream after `layer` at every token of each row, [row][tokens, dModel], row-major. */
  readStates(
    rows: readonly (readonly number[])[],
    layer: number,
    signal?: AbortSignal,
  ): Promise<Float32Array[]>;
  /** δ [dModel] of each part by the model's writer; null if it cannot write such a part ({@link EngineValues.writer}). */
  write(parts: readonly PartToWrite[], signal?: AbortSignal): Promise<(Float32Array | null)[]>;
  /** Tests residuals by one teacher-forced run over each. Margins differ in the last bits with the number of parts. */
  check(parts: readonly PartToCheck[], signal?: AbortSignal): Promise<CheckedPart[]>;
  /** The reader on the first fifteen sentences, best first; null without a reader, or a word that it can read. */
  readSpan(
    question: string,
    sentences: readonly RankedText[],
    signal?: AbortSignal,
  ): Promise<SentencesRead | null>;
  /** Confidence of the reader, 0 to 1, that each sentence alone has an answer; null without a reader. */
  readEach(question: string, sentences: readonly string[], signal?: AbortSignal): Promise<number[] | null>;
  /** The logit lens after the request's layers: [layer][reading of `at`]; the last layer's are the model's own logits. */
  lens(request: LensRequest, signal?: AbortSignal): Promise<LensReading[][]>;
  /** Greedy decoding of every row, with its injection; a row's tokens do not depend on the other rows. */
  recall(rows: readonly RecallRow[], signal?: AbortSignal): Promise<number[][]>;
  /**
   * Uploads keys [entries, dFf] and a centre [dFf]; packed keys stay on the host, and are unpacked for every comparison. The first
   * soft read requests the residuals [entries, dModel].
   */
  openLayer(layer: number, keys: Rows, residuals: () => Float32Array, centre?: Float32Array): LayerMemory;
  openEncoder(rows: readonly EncodeRow[], options: EncoderOptions, signal?: AbortSignal): Promise<Encoder>;
  dispose(): Promise<void>;
}

/** Every call that computes on the device, those of layers and encoders included. */
export type CallName =
  | Exclude<keyof DeviceCalls, "openLayer" | "dispose">
  | keyof LayerCalls
  | keyof EncoderCalls;

/** One frozen model, ready to use. Calls may be made concurrently; the device runs them one after another. */
export interface Engine extends EngineValues, DeviceCalls {}
