/** @file A model of made weights (madeWeights.ts) with the tokenizer that ships with the app, in Node. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelFiles } from "../src/weights/modelFiles.ts";
import { bytesSource, madeFiles } from "./madeWeights.ts";
import type { ModelShape } from "./modelShapes.ts";

/** Whose tokenizer it has: that of a few thousand words which ships with the app. */
export const TOKENIZER = "public/models/palimpsest-7m";

/** The files of a model folder of that shape. */
export const madeModelFiles = (shape: ModelShape): ModelFiles =>
  madeFiles(shape, { open: async (name) => bytesSource(name, await readFile(join(TOKENIZER, name))) });
