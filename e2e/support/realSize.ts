/** @file Made memories of real size: keys and residuals in the widths of a real model, all numbers made. */
import type { LocalEngine } from "../../src/engine/localEngine.ts";
import type { Embedder } from "../../src/engine/embed.ts";
import { parseConfig } from "../../src/graph/models/config.ts";
import { familyOf } from "../../src/graph/models/families.ts";
import { forward } from "../../src/graph/programs/forward.ts";
import { encodeHeader } from "../../src/lib/safetensors.ts";
import type { ModelFiles } from "../../src/weights/modelFiles.ts";
import { byteSource, type ByteSource } from "../../src/weights/source.ts";
import { seeded } from "../../src/lib/rng.ts";
import { unit } from "../../src/lib/vector.ts";
import { toFloat16, toLevels } from "../../src/lib/vectorForms.ts";
import { addressOf } from "../../src/memory/layers.ts";
import { recallPrompt } from "../../src/memory/parts.ts";
import { charOffset, documentId, factId, layerIndex, type FactId } from "../../src/records/ids.ts";
import type { MemoryEntry, RoutingDocument } from "../../src/records/memory.ts";
import { SHARP } from "../../src/records/params.ts";
import { digestOf } from "../../src/records/digest.ts";
import { hashedTerms, termHasher } from "../../src/router/termHashes.ts";
import type { Store } from "../../src/store/port.ts";

/** Numbers of a text's vector, as of an embedder of ordinary size. */
const EMBEDDING = 384;
const DOCUMENT = documentId("0123456789abcdef");
const PER_ANCHOR = 4;
export const LAYERS = [0, 1] as const;
/** Facts that are asked for; their keys are those that the model reads, all others are made. */
export const ASKED = Array.from({ length: 48 }, (_, i) => 2 * i + (i % 2));

export const idOf = (n: number): FactId => factId(DOCUMENT, charOffset(n * 80));
const keyOf = (n: number) => ({
  anchor: `ledger ${Math.floor(n / PER_ANCHOR)}`,
  index: (n % PER_ANCHOR) + 1,
});

/** Directions of texts that say nothing: what routes here is words. */
export const MADE_EMBEDDER: Embedder = {
  name: "made:384",
  identity: null,
  denseFloor: 1,
  embed: async (texts) => texts.map((text) => direction(text.length, EMBEDDING)),
  embedQuestion: async (text) => direction(text.length, EMBEDDING),
};

/** Numbers in (-1, 1), made once: every vector is a stretch of them, since a row of its own for each would take hours. */
const NUMBERS = 2 ** 20 + 7;
let made: Float32Array | undefined;

function direction(seed: number, length: number): Float32Array {
  if (!made) {
    const next = seeded(7);
    made = Float32Array.from({ length: NUMBERS }, () => 2 * next() - 1);
  }
  const from = Math.floor(seed * 7919) % (NUMBERS - length);
  return made.slice(from, from + length);
}

/** Qwen3-4B's widths, and little else of it: three layers of few heads, with the vocabulary of the bundled model. */
const CONFIG = {
  architectures: ["Qwen3ForCausalLM"],
  vocab_size: 4096,
  hidden_size: 2560,
  intermediate_size: 9728,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 1,
  head_dim: 128,
  max_position_embeddings: 1024,
  rms_norm_eps: 1e-6,
  rope_theta: 1000000,
  tie_word_embeddings: true,
};

/** A model of that shape whose weights are made as they are read, with the tokenizer of `given`. */
export function madeFiles(given: ModelFiles): ModelFiles {
  const config = new TextEncoder().encode(JSON.stringify(CONFIG));
  return {
    name: "made",
    names: ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"],
    async open(name) {
      if (name === "model.safetensors") return madeWeights();
      if (name !== "config.json") return given.open(name);
      return byteSource({
        ...{ name, size: config.length, close: () => Promise.resolve() },
        readInto: async (start, into) => into.set(config.subarray(start, start + into.length)),
      });
    },
  };
}

/** One file: norms are 1, and of a matrix [outputs, inputs] every number is below 1 / √inputs. */
function madeWeights(): ByteSource {
  const config = parseConfig(CONFIG);
  const decoder = { config, family: familyOf(config.architecture) };
  const { weights } = forward(decoder, { name: "weights", batch: 1, head: "next" });
  const specs = weights.map(({ name, shape }) => ({
    name,
    dtype: "BF16" as const,
    shape: shape.map(Number),
  }));
  const header = encodeHeader(specs);
  let size = header.length;
  const places = specs.map(({ shape }) => {
    const start = size;
    size += 2 * shape.reduce((product, length) => product * length, 1);
    return { start, end: size, piece: pieceFor(shape[1]) };
  });
  return byteSource({
    ...{ name: "made weights", size, close: () => Promise.resolve() },
    async readInto(start, into) {
      if (start < header.length) into.set(header.subarray(start, start + into.length));
      for (const { start: first, end, piece } of places)
        for (let at = Math.max(start, first); at < Math.min(start + into.length, end);) {
          const from = (at - first) % piece.length;
          const part = piece.subarray(from, from + Math.min(start + into.length, end) - at);
          into.set(part, at - start);
          at += part.length;
        }
    },
  });
}

/** Bytes of bfloat16 that are repeated over a matrix; their number is a prime, so that no two rows are alike. */
function pieceFor(inputs: number | undefined): Uint8Array {
  const values = direction(0, 1_000_003).map((x) => (inputs === undefined ? 1 : x / Math.sqrt(inputs)));
  const bits = Uint16Array.from(new Uint32Array(values.buffer), (word) => word >>> 16);
  return new Uint8Array(bits.buffer);
}

/** Writes a memory of `facts` facts as encoding does: the routing index first, then batches of entries. */
export async function writeMemory(store: Store, engine: LocalEngine, facts: number): Promise<void> {
  const { model, embedder } = engine;
  await store.save({
    ...{ model, embedder, params: SHARP, layers: LAYERS.map(layerIndex), entries: [] },
    salts: [SALT],
    waiting: Array.from({ length: facts }, (_, n) => ({ id: idOf(n), value: valueOf(n) })),
    sources: [
      {
        id: DOCUMENT,
        title: "Ledgers",
        characters: facts * 80,
        sentences: facts,
        candidates: facts,
        memorizedAt: "2026-11-22T00:00:00Z",
      },
    ],
    routing: Array.from({ length: Math.ceil(facts / PER_ANCHOR) }, (_, a) => routingOf(a, facts)),
  });
  const own = await ownKeys(
    engine,
    ASKED.filter((n) => n < facts),
  );
  for (const layer of LAYERS.keys())
    for (let n = layer, batch: MemoryEntry[] = []; n < facts; n += LAYERS.length) {
      batch.push(entryOf(engine, n, own.get(n)));
      if (batch.length < SHARP.encodeBatch && n + LAYERS.length < facts) continue;
      await store.append({ entries: batch });
      batch = [];
    }
}

/** Keys of facts as the model reads them. */
async function ownKeys(
  engine: LocalEngine,
  facts: readonly number[],
): Promise<ReadonlyMap<number, Float32Array>> {
  const readings = await engine.readKeys(
    facts.map((n) => recallPrompt(engine, keyOf(n))),
    LAYERS,
  );
  return new Map(
    facts.map((n, i) => [n, addressOf(readings[i]![n % LAYERS.length]!.activation, undefined, `fact ${n}`)]),
  );
}

function entryOf({ model }: LocalEngine, n: number, key: Float32Array | undefined): MemoryEntry {
  const losses = Array.from({ length: 8 }, (_, i) => Math.fround(30 / (i + 1)));
  return {
    ...{ id: idOf(n), documentId: DOCUMENT, ...keyOf(n), offset: charOffset(n * 80), part: 1, start: 0 },
    layer: layerIndex(LAYERS[n % LAYERS.length]!),
    tokens: 4,
    key: toLevels(key ?? unit(direction(n, model.dFf))),
    residual: toFloat16(direction(n + 0.5, model.dModel)),
    report: {
      started: "learned",
      steps: 8,
      exact: true,
      fidelity: 1,
      recalled: null,
      deltaNorm: 3.25,
      margin: 1.5,
      losses,
    },
  };
}

const SALT = "real size";
const hasher = termHasher(SALT);
/** A made word; the lower the rank, the more often it is drawn. */
export const madeWord = (rank: number): string =>
  [0, 1, 2, 3, 4].map((i) => String.fromCharCode(97 + (Math.floor((rank * 7919) / 26 ** i) % 26))).join("");
/** Words as frequent as those of prose: by Zipf's law, without the twenty most frequent, which are stop words. */
const WORDS = 20_000;
const valueOf = (n: number): string => {
  const draw = seeded(n + 1);
  const words = Array.from({ length: 14 }, () => madeWord(Math.floor(WORDS ** (0.3 + 0.7 * draw()))));
  return `The ledger ${Math.floor(n / PER_ANCHOR)} has ${words.join(" ")} on day ${n}.`;
};

function routingOf(a: number, facts: number): RoutingDocument {
  const numbers = Array.from({ length: PER_ANCHOR }, (_, j) => a * PER_ANCHOR + j).filter((n) => n < facts);
  return {
    ...{ anchor: `ledger ${a}`, order: a, vector: toLevels(direction(a, EMBEDDING)) },
    facts: numbers.map((n) => ({
      ...{ id: idOf(n), index: keyOf(n).index },
      terms: hashedTerms(valueOf(n), [], hasher),
      digest: digestOf(valueOf(n), SALT),
      vector: toLevels(direction(n + 0.25, EMBEDDING)),
    })),
  };
}
