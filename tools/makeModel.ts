/**
 * @file A model folder with made bfloat16 weights in the shape of a real model, and the bundled model's tokenizer: for
 * trying what a model of that size takes, without a download. Qwen3-0.6B's is a file of 1.5 GB, as published: it has the
 * head a second time, though that is the embedding's table. Command line: tsx tools/makeModel.ts DIR [SHAPE]
 */

import { copyFile, mkdir, open, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { parseConfig } from "../src/graph/models/config.ts";
import { familyOf } from "../src/graph/models/registry.ts";
import { forward } from "../src/graph/programs/forward.ts";
import { seeded } from "../src/lib/rng.ts";
import { encodeHeader, type TensorSpec } from "../src/lib/safetensors.ts";
import { choiceOption } from "./cli.ts";
import { MODEL_SHAPES, type ModelShape } from "./modelShapes.ts";

const TOKENIZER = "public/models/palimpsest-6m";

/** Makes the folder. @returns bytes of the weights' file */
export async function makeModel(directory: string, shape: ModelShape): Promise<number> {
  await mkdir(directory, { recursive: true });
  const config = MODEL_SHAPES[shape];
  await writeFile(join(directory, "config.json"), JSON.stringify(config, null, 1));
  for (const file of ["tokenizer.json", "tokenizer_config.json"])
    await copyFile(join(TOKENIZER, file), join(directory, file));
  const used = weightsOf(config);
  const specs = config.tie_word_embeddings ? [...used, headOf(used)] : used;
  const handle = await open(join(directory, "model.safetensors"), "w");
  try {
    await handle.writeFile(encodeHeader(specs));
    for (const spec of specs) await writeWeights(handle, spec);
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** The head of a model that has it in common with its embedding, as published files repeat it; nobody reads it. */
const headOf = ([embedding]: readonly TensorSpec[]): TensorSpec => ({
  ...embedding!,
  name: "lm_head.weight",
});

/** Names and shapes of a model's weights, as its graphs want them. */
export function weightsOf(configJson: unknown): TensorSpec[] {
  const config = parseConfig(configJson);
  const decoder = { config, family: familyOf(config.architecture) };
  return forward(decoder, { name: "weights", batch: 1, head: "next" }).weights.map(({ name, shape }) => ({
    name,
    dtype: "BF16" as const,
    shape: shape.map(Number),
  }));
}

/** Norms are 1; of a matrix [outputs, inputs] every value is normally distributed with a variance of 1 / inputs. */
async function writeWeights(handle: FileHandle, { shape }: TensorSpec): Promise<void> {
  const inputs = shape[1];
  const piece = inputs === undefined ? new Uint16Array(shape[0]!).fill(ONE) : scaled(1 / Math.sqrt(inputs));
  let left = shape.reduce((product, size) => product * size, 1);
  for (; left > 0; left -= piece.length)
    await handle.writeFile(new Uint8Array(piece.buffer, 0, 2 * Math.min(left, piece.length)));
}

/** bfloat16 bits of 1. */
const ONE = 0x3f80;
/** A prime, so that no two rows of a matrix are alike. */
const PIECE_VALUES = 1_000_003;

/** The made values times `scale`, as bfloat16 bits. */
function scaled(scale: number): Uint16Array<ArrayBuffer> {
  const values = (made ??= normal(PIECE_VALUES)).map((value) => value * scale);
  return Uint16Array.from(new Uint32Array(values.buffer), (bits) => bits >>> 16);
}
let made: Float32Array<ArrayBuffer> | undefined;

/** Numbers of the normal distribution, always the same (Box and Muller). */
function normal(count: number): Float32Array<ArrayBuffer> {
  const next = seeded(5);
  return Float32Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  );
}

if (process.argv[1] === import.meta.filename) {
  const [directory, shape = "qwen3-0.6b"] = process.argv.slice(2);
  if (!directory) throw new Error("usage: tsx tools/makeModel.ts DIR [SHAPE]");
  const names = Object.keys(MODEL_SHAPES) as ModelShape[];
  const bytes = await makeModel(directory, choiceOption("shape", shape, names));
  console.error(`${directory}: ${bytes} bytes of weights`);
}
