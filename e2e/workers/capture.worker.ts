/** @file An encoding step at fixed shape on WebGPU, its commands recorded and not: the same numbers, and what the host does. */
import { toOnnx } from "../../src/graph/emit/onnx.ts";
import type { Tensor } from "../../src/graph/ir.ts";
import { begun, FIXED_STEP, OPEN_STEP } from "../../src/graph/testing/step.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { median } from "../../src/lib/stats.ts";
import type { Device, DeviceTensor, TensorData } from "../../src/runtime/device.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import { createWebDevice, webGpuBuild } from "../../src/runtime/web.ts";
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

const checks = {
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
