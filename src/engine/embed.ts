/**
 * @file Text embeddings from the model itself: the mean of its final hidden states, minus their common direction.
 * Needs no second model; a dedicated embedder (transformersEmbedder.ts) finds paraphrases far better.
 */

import { chunks } from "../lib/group.ts";
import { unit } from "../lib/vector.ts";
import { embed, EMBED_ROWS as ROWS } from "./roles.ts";
import { disposeAll, fillRows, freeing, padLeft, type Runner } from "./runner.ts";

/** Names the embedder and gives unit vectors. */
export interface Embedder {
  readonly name: string;
  /** Cosine from which two texts count as near: embedders differ widely in how close they put unrelated texts. */
  readonly denseFloor: number;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
}

/**
 * Hidden states of a language model share one large direction, which drowns the differences between texts. It is
 * estimated from these sentences and taken out.
 */
const NEUTRAL = [
  "The weather was fine in the morning.",
  "She opened the door and looked outside.",
  "How long will it take to get there?",
  "The number of the house is 12.",
  "He did not say a word about it.",
  "It was founded in 1894 by two brothers.",
  "Where did they leave the basket?",
  "Many people came to see the old ship.",
];

/** The dependency-free default embedder. Texts longer than the window are cut at its end. */
export function meanPooledEmbedder(runner: Runner, encode: (text: string) => number[]): Embedder {
  let common: Promise<Float32Array> | undefined;
  const pool = (texts: readonly string[], signal?: AbortSignal) => pooled(runner, texts.map((text) => encode(text).slice(0, runner.config.window)), signal); // prettier-ignore
  return {
    name: "mean-pooled hidden states",
    // With the bundled model unrelated sentences reach 0.5, and any two questions of one form 0.75 ("Where is …?").
    denseFloor: 0.8,
    async embed(texts, signal) {
      // For every text to come: it is not this caller's to cancel.
      common ??= pool(NEUTRAL).then(mean);
      // A failure must not be remembered: the next text tries again.
      const center = await common.catch((error: unknown) => {
        common = undefined;
        throw error;
      });
      return (await pool(texts, signal)).map((vector) => unit(vector.map((value, i) => value - center[i]!)));
    },
  };
}

async function pooled(
  runner: Runner,
  rows: readonly (readonly number[])[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const width = runner.config.dModel;
  const vectors = new Array<Float32Array>(rows.length);
  // Neighbours of similar length share a run, so that little of it is padding.
  const order = [...rows.keys()].sort((a, b) => rows[a]!.length - rows[b]!.length);
  for (const group of chunks(order, ROWS)) {
    const members = fillRows(group, ROWS).map((i) => rows[i]!);
    const columns = Math.max(1, ...members.map((row) => row.length));
    const { rows: padded, pads } = padLeft(members, columns);
    const mask = new Float32Array(ROWS * columns);
    pads.forEach((pad, row) =>
      mask.fill(1 / Math.max(1, columns - pad), row * columns + pad, (row + 1) * columns),
    );
    const feeds = {
      ...runner.tokens(padded, { pads, past: 0, length: members.map((row) => row.length) }),
      mask: runner.floats(mask, [ROWS, 1, columns]),
    };
    const outputs = await freeing(feeds, () => runner.forward(embed(ROWS), feeds, signal));
    const data = (await outputs["pooled"]!.read()) as Float32Array;
    for (const [row, i] of group.entries()) vectors[i] = data.slice(row * width, (row + 1) * width);
    disposeAll(outputs);
  }
  return vectors;
}

function mean(vectors: readonly Float32Array[]): Float32Array {
  return Float32Array.from(vectors[0]!, (_, i) => vectors.reduce((s, v) => s + v[i]!, 0) / vectors.length);
}
