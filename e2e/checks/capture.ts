/** @file Encoding and decoding at fixed shape on WebGPU, the commands recorded and not: the same numbers, and what the host does. */
import type { AdamState, EncodeRow } from "../../src/engine/engine.ts";
import { openEncoder, type LocalEncoder } from "../../src/engine/encoder.ts";
import { openEngine } from "../../src/engine/localEngine.ts";
import { precisionTest, withShortcuts } from "../../src/engine/selftest.ts";
import { toOnnx } from "../../src/graph/emit/onnx.ts";
import type { Tensor } from "../../src/graph/ir.ts";
import { begun, FIXED_STEP, OPEN_STEP } from "../../src/graph/testing/step.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { median } from "../../src/lib/stats.ts";
import type { Device, DeviceTensor, TensorData } from "../../src/runtime/device.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import { webGpuBuild } from "../../src/runtime/web.ts";
import { generate } from "../../src/engine/greedy.ts";
import { loadWeights } from "../../src/engine/loadWeights.ts";
import { Programs } from "../../src/engine/programs.ts";
import { Runner } from "../../src/engine/runner.ts";
import type { Precision } from "../../src/lib/precision.ts";
import { blobModelFiles, type ModelFiles } from "../../src/weights/modelFiles.ts";
import { blobs } from "../support/blobs.ts";
import { openDevice } from "../support/devices.ts";

const STATE = ["delta", "m", "v"] as const;
const READ = FIXED_STEP.outputs.map(({ name }) => name);

const put = (device: Device, tensor: Tensor): DeviceTensor =>
  device.upload(begun(tensor), tensor.dtype as "float32", tensor.shape.map(Number), "encode");

/** The outputs of every step by name, as digests of their bytes: equal numbers may still differ in their bits. */
type Steps = Record<string, string>[];
const digest = ({ buffer, byteOffset, byteLength }: TensorData): string =>
  sha256Hex(new Uint8Array(buffer, byteOffset, byteLength));

async function fed(device: Device, weights: Record<string, DeviceTensor>, steps: number): Promise<Steps> {
  const session = await device.createSession(toOnnx(FIXED_STEP), {
    name: "fed",
    weights,
    keepOnDevice: READ,
  });
  const feeds = Object.fromEntries(FIXED_STEP.inputs.map((tensor) => [tensor.name, put(device, tensor)]));
  const found: Steps = [];
  for (let step = 0; step < steps; step++) {
    const outputs = await session.run(feeds);
    found.push(
      Object.fromEntries(
        await Promise.all(READ.map(async (name) => [name, digest(await outputs[name]!.read())])),
      ),
    );
    for (const name of STATE) {
      feeds[name]!.dispose();
      feeds[name] = outputs[`${name}.next`]!;
    }
  }
  await session.release();
  return found;
}

async function recorded(
  device: Device,
  weights: Record<string, DeviceTensor>,
  steps: number,
): Promise<Steps> {
  const session = await device.createFixedSession!(toOnnx(FIXED_STEP), {
    name: "recorded",
    weights,
    back: Object.fromEntries(STATE.map((name) => [`${name}.next`, name])),
    read: READ,
    purpose: "encode",
  });
  for (const tensor of FIXED_STEP.inputs) {
    const data = begun(tensor);
    session.inputs[tensor.name]!.write(0, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  const found: Steps = [];
  for (let step = 0; step < steps; step++) {
    const values = await session.run();
    found.push(Object.fromEntries(READ.map((name) => [name, digest(values[name]!)])));
  }
  await session.release();
  return found;
}

/** Milliseconds that each run of a session made from now on keeps the host. */
async function watchRuns(): Promise<{ sessions: number[][]; end: () => void }> {
  const { InferenceSession } = await webGpuBuild(WASM_PATHS.webgpu);
  const create = InferenceSession.create.bind(InferenceSession) as (...args: unknown[]) => Promise<Runs>;
  const sessions: number[][] = [];
  Object.assign(InferenceSession, {
    create: async (...args: unknown[]) => {
      const session = await create(...args);
      const [run, times] = [session.run.bind(session), [] as number[]];
      sessions.push(times);
      session.run = async (...fed) => {
        const started = performance.now();
        const outputs = await run(...fed);
        times.push(performance.now() - started);
        return outputs;
      };
      return session;
    },
  });
  return { sessions, end: () => Object.assign(InferenceSession, { create }) };
}
interface Runs {
  run(...args: unknown[]): Promise<unknown>;
}

/** A fact by its tokens. */
const fact = (ids: number[], keyPosition: number, targets: number[]): EncodeRow => ({
  prompt: { ids, keyPosition },
  targets,
});

async function takeSteps(encoder: LocalEncoder, before: number, count: number): Promise<void> {
  for (let step = before + 1; step <= before + count; step++)
    await encoder.step(Array.from({ length: 2 }, () => ({ rate: 0.05, step, stop: false })));
}

/** The state of a batch after steps, a row of which changes hands on the way, and of one of other lengths behind it. */
async function encoded(
  device: Device,
  { model, precision }: Encoded,
  fedSteps: number,
): Promise<{ states: AdamState[][]; recorded: boolean[] }> {
  const engine = await openEngine(device, blobModelFiles("model", blobs(model)), { precision });
  if (precision !== "f32")
    engine.runner.programs.recordsSteps = (await precisionTest(device, precision)).recording;
  const options = { layer: 1, beta1: 0.9, beta2: 0.999, fedSteps };
  const recorded: boolean[] = [];
  const batch = async (rows: EncodeRow[], work: (encoder: LocalEncoder) => Promise<void>) => {
    const encoder = await openEncoder(engine.runner, rows, options);
    await takeSteps(encoder, 0, 1);
    recorded.push(encoder.recorded);
    await work(encoder);
    recorded.push(encoder.recorded);
    const states = await encoder.state();
    encoder.dispose();
    return states;
  };
  const first = await batch(
    [fact([3, 9, 14, 7, 20], 3, [5, 6, 7, 8]), fact([4, 11, 2], 1, [9, 3])],
    async (encoder) => {
      await takeSteps(encoder, 1, 2);
      await encoder.replace([{ row: 0, fact: fact([8, 1, 30, 12], 2, [17, 2, 40]) }]);
      await takeSteps(encoder, 3, 2);
      await encoder.feed([
        [17, 2, 41],
        [9, 4],
      ]);
      await takeSteps(encoder, 5, 2);
    },
  );
  const second = await batch(
    [fact([12, 3, 7, 7, 31, 8, 2], 5, [6, 1, 9]), fact([9, 30, 4, 15], 2, [22])],
    (encoder) => takeSteps(encoder, 1, 3),
  );
  await engine.dispose();
  return { states: [first, second], recorded };
}

/** What is said behind prompts, some tokens a batch; how, and the host's time for a token. */
async function said(
  device: Device,
  files: ModelFiles,
  { precision, batches }: Pick<Decoded, "precision" | "batches">,
) {
  const { sessions, end } = await watchRuns();
  const { decoder, weights } = await loadWeights(device, files, { precision });
  const programs = new Programs(device, decoder, weights);
  const tokens: number[][][] = [];
  for (const { prompts, maxTokens } of batches)
    tokens.push(await generate(new Runner(programs), prompts, { maxTokens, endTokens: new Set() }));
  end();
  const { decoding } = programs;
  await programs.dispose();
  const most = sessions.reduce((a, b) => (b.length > a.length ? b : a));
  return { tokens, decoding, hostMs: median(most.slice(3)) };
}

/** The files of a model with its tokenizer, and its precision. */
export interface Encoded {
  readonly model: Readonly<Record<string, string>>;
  readonly precision: Precision;
}

/** Weights, in a precision, and what is to be said with them. */
export interface Decoded {
  readonly files: Readonly<Record<string, string>>;
  readonly precision: Precision;
  readonly batches: readonly { readonly prompts: readonly number[][]; readonly maxTokens: number }[];
}

/** `device`, whose runs do not wait for the token that they give. */
const unwaited = (device: Device): Device => ({
  ...device,
  createSession: (onnx, options) =>
    device.createSession(onnx, {
      ...options,
      keepOnDevice: [
        ...(options.keepOnDevice ?? []),
        ...(/^(prefill|decode)\./.test(options.name) ? ["next"] : []),
      ],
    }),
});

export const captureChecks = {
  /** Recorded decoding and the portable way on a model of a few thousand weights, and what is left on the device. */
  decoding: async ({ files, ...how }: Decoded) => {
    const device = await openDevice("webgpu");
    const model = blobModelFiles("model", blobs(files));
    const plain = withShortcuts(unwaited(device), { loops: false, recording: false });
    const found = {
      fed: await said(plain, model, how),
      // Also here, where it does not pay.
      recorded: await said({ ...device, software: false }, model, how),
    };
    const left = device.ledger.total;
    await device.dispose();
    return { ...found, left };
  },

  /** Two batches encoded with recorded steps and without, how many were recorded, and what is left on the device. */
  encoder: async (what: Encoded) => {
    const device = await openDevice("webgpu");
    let recordings = 0;
    const createFixedSession: Device["createFixedSession"] = (...args) => {
      recordings++;
      return device.createFixedSession!(...args);
    };
    const found = {
      fed: await encoded(device, what, Infinity),
      recorded: await encoded({ ...device, createFixedSession }, what, 1),
    };
    const left = device.ledger.total;
    await device.dispose();
    return { ...found, recordings, left };
  },

  /** Steps fed as the encoder feeds them, and recorded; medians behind the first two runs of each. */
  steps: async (steps: number) => {
    const device = await openDevice("webgpu");
    const { sessions, end } = await watchRuns();
    const weights = Object.fromEntries(
      FIXED_STEP.weights.map((tensor) => [tensor.name, put(device, tensor)]),
    );
    const found = {
      fed: await fed(device, weights, steps),
      recorded: await recorded(device, weights, steps),
    };
    end();
    const [fedMs, recordedMs] = sessions.map((times) => median(times.slice(2)));
    const open = { name: "open", weights, back: {}, read: [], purpose: "encode" } as const;
    const refused = await device.createFixedSession!(toOnnx(OPEN_STEP), open).catch(
      (error: Error) => error.message,
    );
    for (const weight of Object.values(weights)) weight.dispose();
    await device.dispose();
    return {
      ...found,
      hostMs: { fed: fedMs!, recorded: recordedMs! },
      nodes: FIXED_STEP.nodes.length,
      refused,
      left: device.ledger.total,
    };
  },
} as const;
