/**
 * @file The fixed probe of the self-test: a tiny Qwen3 decoder with seeded weights, run through the same programs
 * as any model: prefill, two decoding steps on the device's own cache, the gated read, and three training steps.
 */
import { toOnnx } from "../graph/emit/onnx.ts";
import type { Graph } from "../graph/ir.ts";
import type { DecoderConfig } from "../graph/models/config.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import { familyOf } from "../graph/models/registry.ts";
import { ropeTables } from "../graph/models/rope.ts";
import { forward } from "../graph/programs/forward.ts";
import { encodeStep } from "../graph/programs/train.ts";
import { float32ToFloat16 } from "../lib/float16.ts";
import type { Device, DeviceTensor, Session } from "./device.ts";

/** Results by check, in the order they are computed. */
export type ProbeNumbers = Readonly<Record<string, readonly number[]>>;
export type WeightType = "float32" | "float16";

type Feeds = Record<string, DeviceTensor>;

/** Runs the probe; everything it puts on the device is freed again. */
export async function runProbe(device: Device, weightType: WeightType): Promise<ProbeNumbers> {
  const run = new ProbeRun(device, weightType);
  try {
    return { ...(await run.generation()), ...(await run.read()), ...(await run.training()) };
  } finally {
    await run.dispose();
  }
}

class ProbeRun {
  readonly #weights = new Map<string, DeviceTensor>();
  readonly #sessions: Session[] = [];
  readonly #tensors: DeviceTensor[] = [];

  constructor(
    readonly device: Device,
    readonly weightType: WeightType,
  ) {}

  /** Prefill with an injected vector, then two steps that read the cache the step before left on the device. */
  async generation(): Promise<ProbeNumbers> {
    const options = { batch: BATCH, head: "last", cache: true, weightType: this.weightType } as const;
    const prefill = await this.session(
      forward(MODEL, { ...options, name: "selftest.prefill", inject: true }),
    );
    const decode = await this.session(forward(MODEL, { ...options, name: "selftest.decode", past: true }));
    const at = new Float32Array(BATCH * TIME * CONFIG.layers);
    for (let row = 0; row < BATCH; row++) at[(row * TIME + KEY) * CONFIG.layers + LAYER] = 1;
    let out = await this.run(prefill, {
      ...this.frame(0, TIME),
      ids: this.ids(PROMPT),
      delta: this.floats(seeded("delta", BATCH * CONFIG.dModel, 0.5), [BATCH, CONFIG.dModel]),
      at: this.floats(at, [BATCH, TIME, CONFIG.layers]),
    });
    const numbers: Record<string, readonly number[]> = { prefill: await list(out["logits"]!) };
    for (const [step, ids] of CONTINUATION.entries()) {
      const past = Object.fromEntries(
        Object.entries(out).flatMap(([k, t]) =>
          k.startsWith("present.") ? [[k.replace("present", "past"), t]] : [],
        ),
      );
      out = await this.run(decode, { ...this.frame(TIME + step, 1), ids: this.ids(ids), ...past });
      numbers[`decode ${String(step + 1)}`] = await list(out["logits"]!);
    }
    return numbers;
  }

  /** Eq. 4 at one layer, at every position. */
  async read(): Promise<ProbeNumbers> {
    const graph = forward(MODEL, {
      name: "selftest.read",
      batch: BATCH,
      head: "last",
      readAt: LAYER,
      weightType: this.weightType,
    });
    const session = await this.session(graph);
    const out = await this.run(session, {
      ...this.frame(0, TIME),
      ids: this.ids(PROMPT),
      keys: this.floats(unitRows(seeded("keys", ENTRIES * CONFIG.dFf, 1), CONFIG.dFf), [ENTRIES, CONFIG.dFf]),
      residuals: this.floats(seeded("residuals", ENTRIES * CONFIG.dModel, 1), [ENTRIES, CONFIG.dModel]),
      beta: this.floats([10], [1]),
      theta: this.floats([0.05], [1]),
    });
    return {
      similarity: await list(out["similarity"]!),
      weights: await list(out["weights"]!),
      gate: await list(out["gate"]!),
      "gated logits": await list(out["logits"]!),
    };
  }

  /** Three Adam steps whose state stays on the device. */
  async training(): Promise<ProbeNumbers> {
    const shape = { batch: BATCH, layer: LAYER, suffix: SUFFIX, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
    const graph = encodeStep(MODEL, { ...shape, name: "selftest.train", weightType: this.weightType });
    const step = await this.session(graph);
    const width = CONFIG.dModel;
    const count = TIME - SUFFIX + 1;
    const cache = [BATCH, CONFIG.kvHeads, KEY, CONFIG.headDim];
    const size = cache.reduce((n, dim) => n * dim, 1);
    const past: Feeds = {};
    for (let i = LAYER + 1; i < CONFIG.layers; i++)
      for (const side of ["key", "value"])
        past[`past.${String(i)}.${side}`] = this.floats(seeded(`past.${String(i)}.${side}`, size, 1), cache);
    const first = new Float32Array(TIME);
    first[0] = 1;
    const fixed = {
      ...this.frame(KEY, TIME),
      ...past,
      hidden: this.floats(seeded("hidden", BATCH * TIME * width, 1), [BATCH, TIME, width]),
      first: this.floats(first, [1, TIME, 1]),
      targets: this.ids(TARGETS, graph.inputs.find(({ name }) => name === "targets")?.dtype),
      mask: this.floats(new Float32Array(BATCH * count).fill(1), [BATCH, count]),
      rate: this.column(0.05),
      limit: this.column(100),
      stop: this.zeros(graph, "stop"),
    };
    const zero = (): DeviceTensor => this.floats(new Float32Array(BATCH * width), [BATCH, width]);
    let state: Feeds = { delta: zero(), m: zero(), v: zero() };
    let out: Feeds = {};
    const losses: number[] = [];
    for (let t = 1; t <= STEPS; t++) {
      out = await this.run(step, {
        ...fixed,
        ...state,
        correction1: this.column(1 / (1 - shape.beta1 ** t)),
        correction2: this.column(1 / (1 - shape.beta2 ** t)),
      });
      losses.push(...(await list(out["loss"]!)));
      state = { delta: out["delta.next"]!, m: out["m.next"]!, v: out["v.next"]! };
    }
    return {
      loss: losses,
      hits: await list(out["hits"]!),
      gradient: await list(out["gradient"]!),
      delta: await list(out["delta.next"]!),
    };
  }

  async dispose(): Promise<void> {
    for (const tensor of this.#tensors) tensor.dispose();
    for (const session of this.#sessions) await session.release();
    for (const weight of this.#weights.values()) weight.dispose();
  }

  async session(graph: Graph): Promise<Session> {
    const keepOnDevice = graph.outputs
      .map(({ name }) => name)
      .filter((name) => name.startsWith("present.") || name.endsWith(".next"));
    const inputs = this.device.weightsAs === "inputs";
    const weights = inputs
      ? Object.fromEntries(
          graph.weights.map(({ name, shape }) => [name, this.weight(name, shape.map(Number))]),
        )
      : {};
    const bytes = inputs
      ? toOnnx(graph)
      : toOnnx(graph, {
          weights: (name) => {
            const shape = graph.weights.find((w) => w.name === name)!.shape.map(Number);
            return new Uint8Array(stored(name, shape, this.weightType).buffer);
          },
        });
    const session = await this.device.createSession(bytes, { name: graph.name, weights, keepOnDevice });
    this.#sessions.push(session);
    return session;
  }

  async run(session: Session, feeds: Feeds): Promise<Feeds> {
    const out = await session.run(feeds);
    this.#tensors.push(...Object.values(out));
    return out;
  }

  weight(name: string, shape: readonly number[]): DeviceTensor {
    const known = this.#weights.get(name);
    if (known) return known;
    const tensor = this.device.upload(
      stored(name, shape, this.weightType),
      this.weightType,
      shape,
      "weights",
    );
    this.#weights.set(name, tensor);
    return tensor;
  }

  floats(data: Float32Array | readonly number[], dims: readonly number[]): DeviceTensor {
    return this.keep(this.device.upload(Float32Array.from(data), "float32", dims, "activation"));
  }

  ids(rows: readonly (readonly number[])[], type: string = "int64"): DeviceTensor {
    const dims = [rows.length, rows[0]?.length ?? 0];
    const ids = rows.flat();
    return this.keep(
      type === "int32"
        ? this.device.upload(Int32Array.from(ids), "int32", dims, "activation")
        : this.device.upload(BigInt64Array.from(ids, BigInt), "int64", dims, "activation"),
    );
  }

  /** A declared input of known extents, all zero. */
  zeros(graph: Graph, name: string): DeviceTensor {
    const dims = graph.inputs.find((input) => input.name === name)!.shape.map(Number);
    return this.floats(new Float32Array(dims.reduce((n, dim) => n * dim, 1)), dims);
  }

  column(value: number): DeviceTensor {
    return this.floats(new Float32Array(BATCH).fill(value), [BATCH, 1]);
  }

  frame(past: number, time: number): Feeds {
    const positions = Array.from({ length: BATCH }, () => Array.from({ length: time }, (_, t) => past + t));
    const { cos, sin } = ropeTables(
      CONFIG,
      positions,
      positions.map(() => CONFIG.window),
    );
    const total = past + time;
    const bias = Float32Array.from({ length: BATCH * time * total }, (_, i) =>
      i % total <= past + (Math.floor(i / total) % time) ? 0 : -1e9,
    );
    return {
      cos: this.floats(cos, [BATCH, 1, time, CONFIG.headDim]),
      sin: this.floats(sin, [BATCH, 1, time, CONFIG.headDim]),
      bias: this.floats(bias, [BATCH, 1, time, total]),
    };
  }

  keep(tensor: DeviceTensor): DeviceTensor {
    this.#tensors.push(tensor);
    return tensor;
  }
}

async function list(tensor: DeviceTensor): Promise<readonly number[]> {
  return Array.from((await tensor.read()) as Float32Array);
}

/** A weight in its stored type. All values are multiples of 2^-11 up to 1, so float16 holds them exactly. */
function stored(name: string, shape: readonly number[], type: WeightType): Float32Array | Uint16Array {
  const count = shape.reduce((n, dim) => n * dim, 1);
  const isScale = shape.length === 1;
  const scale = isScale ? 0.25 : Math.min(0.25, 1.5 / Math.sqrt(shape.at(-1) ?? 1));
  const values = seeded(name, count, scale).map((v) => (isScale ? 0.75 : 0) + Math.round(v * 2048) / 2048);
  if (type === "float32") return values;
  const halves = new Uint16Array(count);
  float32ToFloat16(values, halves);
  return halves;
}

/** Numbers in (-scale, scale) that depend on `name` alone. */
function seeded(name: string, count: number, scale: number): Float32Array {
  let state = 2166136261;
  for (const character of name) state = Math.imul(state ^ character.charCodeAt(0), 16777619);
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.fround(((state >>> 8) / 2 ** 23 - 1) * scale);
  });
}

function unitRows(values: Float32Array, width: number): Float32Array {
  const out = values.slice();
  for (let start = 0; start < out.length; start += width) {
    const row = out.subarray(start, start + width);
    const norm = Math.hypot(...row);
    for (let i = 0; i < width; i++) row[i] = row[i]! / norm;
  }
  return out;
}

/** Head size and widths are multiples of 4 and most of 16, as in real models: kernels have paths for those. */
const CONFIG: DecoderConfig = {
  architecture: "Qwen3ForCausalLM",
  vocabulary: 160,
  dModel: 64,
  dFf: 192,
  layers: 3,
  heads: 4,
  kvHeads: 2,
  headDim: 32,
  epsilon: 1e-6,
  tied: true,
  window: 64,
  rope: { kind: "default", theta: 10000 },
  endTokens: [],
};
const MODEL: Decoder = { config: CONFIG, family: familyOf(CONFIG.architecture) };

const PROMPT = [
  [3, 141, 59, 26, 53, 58, 97],
  [93, 23, 84, 62, 64, 33, 83],
] as const;
const CONTINUATION = [
  [[27], [95]],
  [[28], [84]],
] as const;
/** Some are what the model says anyway, so that both outcomes of a hit are seen. */
const TARGETS = [
  [18, 141, 76, 26, 53],
  [93, 119, 84, 62, 0],
];
const BATCH = PROMPT.length;
const TIME = PROMPT[0].length;
/** Column of the key token, storage layer, prompt tokens from the key on, stored entries, training steps. */
const KEY = 4;
const LAYER = 1;
const SUFFIX = 3;
const ENTRIES = 5;
const STEPS = 3;
