/** @file Text embeddings from the model itself: the mean of its final hidden states, minus their common direction. */

import { chunks } from "../lib/group.ts";
import { dot, meanVector, unit } from "../lib/vector.ts";
import { OWN_STATES } from "../records/embedder.ts";
import { embed as embedRole, EMBED_ROWS as ROWS } from "./roles.ts";
import { byLength, type Runner } from "./runner.ts";
import texts from "./calibrationTexts.json" with { type: "json" };

export interface Embedder {
  readonly name: string;
  /** Everything besides the language model that the vectors depend on; null if unknown: nothing is then cached. */
  readonly identity: string | null;
  /** Cosine from which two texts count as near, calibrated on made pairs; of the model's own embedder after its first text. */
  readonly denseFloor: number;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  embedQuestion(question: string, signal?: AbortSignal): Promise<Float32Array>;
  dispose?(): Promise<void>;
}

/** Longer texts are read in pieces: a long document takes much memory, and its end represents it poorly. */
const PIECE_TOKENS = 256;

export function meanPooledEmbedder(runner: Runner, encode: (text: string) => number[]): Embedder {
  let common: Promise<Float32Array> | undefined;
  let denseFloor = Infinity;
  const pool = (texts: readonly string[], signal?: AbortSignal) => pooled(runner, texts.map(encode), signal);
  const centred = async (texts: readonly string[], center: Float32Array, signal?: AbortSignal) =>
    (await pool(texts, signal)).map((vector) => unit(vector.map((value, i) => value - center[i]!)));
  // Hidden states of a language model share one large direction, which hides the differences between texts.
  const learn = async (): Promise<Float32Array> => {
    const center = meanVector(await pool(NEUTRAL));
    const questions = await centred(MADE_QUESTIONS, center);
    denseFloor = calibratedFloor(pairCosines(questions, await centred(MADE_ANSWERS, center)));
    return center;
  };
  const embed = async (texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> => {
    // For every text to come: it is not this caller's to cancel.
    common ??= learn();
    // A failure must not be remembered: the next text tries again.
    const center = await common.catch((error: unknown) => {
      common = undefined;
      throw error;
    });
    return centred(texts, center, signal);
  };
  return {
    name: OWN_STATES,
    identity: OWN_STATES,
    get denseFloor() {
      return denseFloor;
    },
    embed,
    embedQuestion: async (question, signal) => (await embed([question], signal))[0]!,
  };
}

async function pooled(runner: Runner, texts: readonly (readonly number[])[], signal?: AbortSignal) {
  const pieces = texts.map((tokens) => chunks(tokens, Math.min(PIECE_TOKENS, runner.config.window)));
  const means = await byLength(pieces.flat(), ROWS, (group) => pooledPieces(runner, group, signal));
  let at = 0;
  return texts.map((tokens, i) => {
    const vector = new Float32Array(runner.config.dModel);
    for (const piece of pieces[i]!) {
      const share = piece.length / tokens.length;
      for (const [d, x] of means[at++]!.entries()) vector[d]! += share * x;
    }
    return vector;
  });
}

async function pooledPieces(
  runner: Runner,
  pieces: readonly (readonly number[])[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const width = runner.config.dModel;
  const { feeds: tokens, pads, columns } = runner.wholeRows(pieces, ROWS);
  const mask = new Float32Array(ROWS * columns);
  pads.forEach((pad, row) =>
    mask.fill(1 / Math.max(1, columns - pad), row * columns + pad, (row + 1) * columns),
  );
  const feeds = { ...tokens, mask: runner.floats(mask, [ROWS, 1, columns]) };
  const data = await runner.read(embedRole(ROWS), "pooled", feeds, signal);
  return pieces.map((_, row) => data.slice(row * width, (row + 1) * width));
}

export const MADE_PAIRS = texts.pairs as unknown as readonly (readonly [question: string, text: string])[];
export const MADE_QUESTIONS = MADE_PAIRS.map(([question]) => question);
export const MADE_ANSWERS = MADE_PAIRS.map(([, text]) => text);

const NEUTRAL: readonly string[] = texts.neutral;

/** Cosines of unit vectors of the pairs: [question][answer]. */
export const pairCosines = (
  questions: readonly Float32Array[],
  answers: readonly Float32Array[],
): number[][] => questions.map((question) => answers.map((answer) => dot(question, answer)));

export const toldApart = (cosines: readonly (readonly number[])[]): number =>
  cosines.filter((row, i) => row.every((cosine, j) => j === i || cosine < row[i]!)).length;

/** The cosine that one in fifty unrelated pairs reaches; none if an embedder cannot tell half of the pairs apart. */
export function calibratedFloor(cosines: readonly (readonly number[])[]): number {
  if (toldApart(cosines) < cosines.length / 2) return NEVER_NEAR;
  const unrelated = cosines.flatMap((row, i) => row.filter((_, j) => j !== i)).sort((a, b) => a - b);
  return unrelated[Math.floor(unrelated.length * (1 - UNRELATED_SHARE))] ?? NEVER_NEAR;
}

const UNRELATED_SHARE = 0.02;
const NEVER_NEAR = 2;
