/**
 * @file Writes a model folder with made bfloat16 weights in the shape of a real model, and the bundled model's tokenizer:
 * for trying what a model of that size takes, without a download. Qwen3-0.6B's is a file of 1.5 GB.
 * Command line: tsx tools/makeModel.ts DIR [SHAPE]
 */

import { copyFile, mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { choiceOption } from "./cli.ts";
import { TOKENIZER } from "./madeModel.ts";
import { madeWeights, TOKENIZER_FILES } from "./madeWeights.ts";
import { MODEL_SHAPES, type ModelShape } from "./modelShapes.ts";

const CHUNK = 2 ** 24;

/** Makes the folder. @returns bytes of the weights' file */
export async function makeModel(directory: string, shape: ModelShape): Promise<number> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "config.json"), JSON.stringify(MODEL_SHAPES[shape], null, 1));
  for (const file of TOKENIZER_FILES) await copyFile(join(TOKENIZER, file), join(directory, file));
  const weights = madeWeights(shape);
  const handle = await open(join(directory, "model.safetensors"), "w");
  try {
    for (let at = 0; at < weights.size; at += CHUNK)
      await handle.writeFile(await weights.read(at, Math.min(at + CHUNK, weights.size)));
  } finally {
    await handle.close();
  }
  return weights.size;
}

if (process.argv[1] === import.meta.filename) {
  const [directory, shape = "qwen3-0.6b"] = process.argv.slice(2);
  if (!directory) throw new Error("usage: tsx tools/makeModel.ts DIR [SHAPE]");
  const names = Object.keys(MODEL_SHAPES) as ModelShape[];
  const bytes = await makeModel(directory, choiceOption("shape", shape, names));
  console.error(`${directory}: ${bytes} bytes of weights`);
}
