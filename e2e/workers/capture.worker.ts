/** @file An encoding step at fixed shape on WebGPU, its commands recorded and not: the same numbers, and what the host does. */
import type { AdamState } from "../../src/engine/engine.ts";
import { openEncoder } from "../../src/engine/encoder.ts";
import { openEngine } from "../../src/engine/localEngine.ts";
import { selfTest, withShortcuts } from "../../src/engine/selftest.ts";
import { toOnnx } from "../../src/graph/emit/onnx.ts";
import type { Tensor } from "../../src/graph/ir.ts";
import { begun, FIXED_STEP, OPEN_STEP } from "../../src/graph/testing/step.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { median } from "../../src/lib/stats.ts";
import type { Device, DeviceTensor, FixedSession, TensorData } from "../../src/runtime/device.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import { createWebDevice, webGpuBuild } from "../../src/runtime/web.ts";
import { blobModelFiles } from "../../src/weights/modelFiles.ts";
import { blobs } from "../support/blobs.ts";
import { serveChecks } from "../support/serve.ts";

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
    found.push(Object.fromEntries(await Promise.all(READ.map(async (name) => [name, digest(await outputs[name]!.read())])))); // prettier-ignore
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
async function watchRuns(): Promise<number[][]> {
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
  return sessions;
}
interface Runs {
  run(...args: unknown[]): Promise<unknown>;
}

/** The state of a batch after steps, some of them recorded, with a row that changes hands on the way. */
async function encoded(device: Device, model: Readonly<Record<string, string>>): Promise<AdamState[]> {
  const engine = await openEngine(device, blobModelFiles("model", blobs(model)));
  const fact = (ids: number[], keyPosition: number, targets: number[]) => ({
    prompt: { ids, keyPosition },
    targets,
  });
  const rows = [fact([3, 9, 14, 7, 20], 3, [5, 6, 7, 8]), fact([4, 11, 2], 1, [9, 3])];
  const options = { layer: 1, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, fedSteps: 1 };
  const encoder = await openEncoder(engine.runner, rows, options);
  const steps = async (count: number, before: number) => {
    for (let step = before + 1; step <= before + count; step++)
      await encoder.step(rows.map(() => ({ rate: 0.05, step, limit: 100, stop: false })));
  };
  await steps(3, 0);
  await encoder.replace([{ row: 0, fact: fact([8, 1, 30, 12], 2, [17, 2, 40]) }]);
  await steps(2, 3);
  await encoder.feed([[17, 2, 41], [9, 4]]); // prettier-ignore
  await steps(2, 5);
  const states = await encoder.state();
  encoder.dispose();
  await engine.dispose();
  return states;
}

/** `device`, whose recorded sessions read other values than they computed. */
const misreading = (device: Device): Device => ({
  ...device,
  async createFixedSession(...args) {
    const session = await device.createFixedSession!(...args);
    const run: FixedSession["run"] = async (signal) => {
      const { loss, ...others } = await session.run(signal);
      return { ...others, loss: (loss as Float32Array).map((x) => x * (1 + 2 ** -22)) };
    };
    return { ...session, run };
  },
});

const checks = {
  /** A batch encoded with recorded steps and without, and what is left on the device. */
  encoder: async (model: Readonly<Record<string, string>>) => {
    const device = await createWebDevice({ backend: "webgpu", wasmPaths: WASM_PATHS.webgpu });
    const plain = withShortcuts(device, { loops: false, recording: false });
    let recordings = 0;
    const createFixedSession: Device["createFixedSession"] = (...args) => {
      recordings++;
      return device.createFixedSession!(...args);
    };
    const found = {
      fed: await encoded(plain, model),
      recorded: await encoded({ ...device, createFixedSession }, model),
    };
    const left = device.ledger.total;
    await device.dispose();
    return { ...found, recordings, left };
  },

  /** What the self-test says of the device, and of one that misreads a little what it recorded. */
  selfTests: async () => {
    const device = await createWebDevice({ backend: "webgpu", wasmPaths: WASM_PATHS.webgpu });
    const reports = [await selfTest(device), await selfTest(misreading(device))];
    await device.dispose();
    return reports.map(({ verdict, summary, shortcuts }) => ({ verdict, summary, shortcuts }));
  },

  /** Steps fed as the encoder feeds them, and recorded; medians behind the first two runs of each. */
  steps: async (steps: number) => {
    const device = await createWebDevice({ backend: "webgpu", wasmPaths: WASM_PATHS.webgpu });
    const sessions = await watchRuns();
    const weights = Object.fromEntries(
      FIXED_STEP.weights.map((tensor) => [tensor.name, put(device, tensor)]),
    );
    const found = {
      fed: await fed(device, weights, steps),
      recorded: await recorded(device, weights, steps),
    };
    const [fedMs, recordedMs] = sessions.map((times) => median(times.slice(2)));
    const open = { name: "open", weights, back: {}, read: [] };
    const refused = await device.createFixedSession!(toOnnx(OPEN_STEP), open).catch(
      (error: Error) => error.message,
    );
    for (const weight of Object.values(weights)) weight.dispose();
    await device.dispose();
    return { ...found, hostMs: { fed: fedMs!, recorded: recordedMs! }, nodes: FIXED_STEP.nodes.length, refused, left: device.ledger.total }; // prettier-ignore
  },
} as const;

export type CaptureChecks = typeof checks;
serveChecks(checks);
