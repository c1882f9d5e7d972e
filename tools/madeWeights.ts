/** @file Made bfloat16 weights in the shape of a real model, as a file that is not on disk: bytes are made when read. */

import { parseConfig, type DecoderConfig } from "../src/graph/models/config.ts";
import { familyOf } from "../src/graph/models/families.ts";
import { forward } from "../src/graph/programs/forward.ts";
import { seeded } from "../src/lib/rng.ts";
import { encodeHeader, type TensorSpec } from "../src/lib/safetensors.ts";
import type { ModelFiles } from "../src/weights/modelFiles.ts";
import { byteSource, type ByteSource } from "../src/weights/source.ts";
import { MODEL_SHAPES, type ModelShape } from "./modelShapes.ts";

export const TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"] as const;

/** The files of a model folder of that shape, with the tokenizer of another. */
export function madeFiles(shape: ModelShape, tokenizer: Pick<ModelFiles, "open">): ModelFiles {
  const config = new TextEncoder().encode(JSON.stringify(MODEL_SHAPES[shape]));
  const weights = madeWeights(shape);
  return {
    name: shape,
    names: ["config.json", "model.safetensors", ...TOKENIZER_FILES],
    async open(name) {
      if (name === "model.safetensors") return weights;
      if (name === "config.json") return bytesSource(name, config);
      return TOKENIZER_FILES.some((file) => file === name) ? tokenizer.open(name) : undefined;
    },
  };
}

/** model.safetensors of that shape, as it is published: a head that is the embedding's table is there a second time. */
export function madeWeights(shape: ModelShape): ByteSource {
  const config = parseConfig(MODEL_SHAPES[shape]);
  const used = weightsOf(config);
  const specs = config.tied ? [...used, { ...used[0]!, name: "lm_head.weight" }] : used;
  const header = encodeHeader(specs);
  let end = header.length;
  const places = specs.map(({ shape: dims }) => {
    const start = end;
    end += 2 * dims.reduce((product, size) => product * size, 1);
    return { start, end, inputs: dims[1] };
  });
  const size = end;
  return byteSource({
    name: `made ${shape}`,
    size,
    close: () => Promise.resolve(),
    readInto(start, into) {
      if (start < header.length) into.set(header.subarray(start, start + into.length));
      for (const place of places) {
        const from = Math.max(start, place.start);
        const to = Math.min(start + into.length, place.end);
        if (from < to)
          repeat(valuesFor(place.inputs), from - place.start, into.subarray(from - start, to - start));
      }
      return Promise.resolve();
    },
  });
}

/** Names and shapes of a model's weights, as its graphs want them. */
function weightsOf(config: DecoderConfig): TensorSpec[] {
  const decoder = { config, family: familyOf(config.architecture) };
  return forward(decoder, { name: "weights", batch: 1, head: "next" }).weights.map(({ name, shape }) => ({
    name,
    dtype: "BF16" as const,
    shape: shape.map(Number),
  }));
}

export function bytesSource(name: string, bytes: Uint8Array): ByteSource {
  return byteSource({
    name,
    size: bytes.length,
    close: () => Promise.resolve(),
    readInto(start, into) {
      into.set(bytes.subarray(start, start + into.length));
      return Promise.resolve();
    },
  });
}

/** Fills `into` with `piece` over and over, from byte `at` of that on. */
function repeat(piece: Uint8Array, at: number, into: Uint8Array): void {
  for (let done = 0; done < into.length;) {
    const from = (at + done) % piece.length;
    const part = piece.subarray(from, from + into.length - done);
    into.set(part, done);
    done += part.length;
  }
}

/** Norms are 1; of a matrix [outputs, inputs] every value is normally distributed with a variance of 1 / inputs. */
function valuesFor(inputs: number | undefined): Uint8Array {
  const known = pieces.get(inputs);
  if (known) return known;
  const scale = inputs === undefined ? 0 : 1 / Math.sqrt(inputs);
  const values = (made ??= normal(PIECE_VALUES)).map((value) => (inputs === undefined ? 1 : value * scale));
  const bits = Uint16Array.from(new Uint32Array(values.buffer), (word) => word >>> 16);
  const piece = new Uint8Array(bits.buffer);
  pieces.set(inputs, piece);
  return piece;
}
const pieces = new Map<number | undefined, Uint8Array>();
let made: Float32Array<ArrayBuffer> | undefined;

/** A prime, so that no two rows of a matrix are alike. */
const PIECE_VALUES = 1_000_003;

/** Numbers of the normal distribution, always the same (Box and Muller). */
function normal(count: number): Float32Array<ArrayBuffer> {
  const next = seeded(5);
  return Float32Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  );
}
