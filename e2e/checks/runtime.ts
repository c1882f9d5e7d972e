/** @file Checks of the browser devices, run in a dedicated module worker. */
import { surveyBrowser } from "../../src/runtime/capabilities.ts";
import { DeviceLostError, type Device, type DeviceTensor } from "../../src/runtime/device.ts";
import { openGpu } from "../../src/runtime/gpu.ts";
import { corrupted, misreading } from "../../src/runtime/testing/corrupt.ts";
import { onnxModel } from "../../src/runtime/testing/models.ts";
import { selfTest } from "../../src/engine/selftest.ts";
import type { Backend } from "../support/test.ts";
import { on, openDevice } from "../support/devices.ts";

const floats = (d: Device, data: number[], dims: number[]): DeviceTensor =>
  d.upload(new Float32Array(data), "float32", dims, "activation");
const list = async (tensor: DeviceTensor | undefined): Promise<number[]> =>
  Array.from((await tensor!.read()) as ArrayLike<number | bigint>, Number);

/** y = 2x + 1, weights fed. */
const affine = onnxModel({
  inputs: { x: ["float32", ["T", 2]], w: ["float32", [2, 2]], b: ["float32", [2]] },
  outputs: { y: ["float32", ["T", 2]] },
  nodes: [
    { op: "MatMul", in: ["x", "w"], out: ["h"] },
    { op: "Add", in: ["h", "b"], out: ["y"] },
  ],
});

function affineWeights(d: Device): Record<string, DeviceTensor> {
  const w = d.allocate("float32", [2, 2], "weights");
  w.write(0, new Uint8Array(new Float32Array([2, 0]).buffer));
  w.write(8, new Uint8Array(new Float32Array([0, 2]).buffer));
  return { w, b: d.upload(new Float32Array([1, 1]), "float32", [2], "weights") };
}

/** On a device that wants initializers the graph keeps its weight inputs here, and they are fed at each run. */
async function affineSession(d: Device, keepOnDevice: readonly string[] = []) {
  const weights = affineWeights(d);
  const bound = d.weightsAs === "inputs";
  const session = await d.createSession(affine, {
    name: "affine",
    weights: bound ? weights : {},
    keepOnDevice,
  });
  return { run: (x: DeviceTensor) => session.run(bound ? { x } : { x, ...weights }), session };
}

export const runtimeChecks = {
  capabilities: (backend: Backend) => on(backend, (d) => Promise.resolve(d.capabilities)),

  survey: () => surveyBrowser(),

  run: (backend: Backend) =>
    on(backend, async (d) => {
      const { run } = await affineSession(d);
      const { y } = await run(floats(d, [1, 2, 3, 4], [2, 2]));
      return { y: await list(y), dims: y!.dims, bytes: d.ledger.bytes };
    }),

  /** Every type there and back, in lengths that fill no 16 bytes. */
  types: (backend: Backend) =>
    on(backend, async (d) => {
      const tensors = {
        float32: floats(d, [1.5, -2, 3], [3]),
        float16: d.upload(new Uint16Array([0x3c00, 0x4000, 0xc000]), "float16", [3], "vectors"),
        int32: d.upload(new Int32Array([-1, 2, 3]), "int32", [3], "vectors"),
        int64: d.upload(new BigInt64Array([-1n, 2n ** 40n, 3n]), "int64", [3], "vectors"),
        uint8: d.upload(new Uint8Array([1, 2, 255]), "uint8", [3], "vectors"),
        bool: d.upload(new Uint8Array([1, 0, 1]), "bool", [3], "vectors"),
      };
      const read = await Promise.all(
        Object.entries(tensors).map(async ([k, t]) => [k, await list(t)] as const),
      );
      return Object.fromEntries(read);
    }),

  /** int64 indices go in, int64 positions come out. */
  indices: (backend: Backend) =>
    on(backend, async (d) => {
      const model = onnxModel({
        inputs: { table: ["float32", [4, 2]], ids: ["int64", ["N"]] },
        outputs: { rows: ["float32", ["N", 2]], best: ["int64", ["N"]] },
        nodes: [
          { op: "Gather", in: ["table", "ids"], out: ["rows"] },
          { op: "ArgMax", in: ["rows"], out: ["best"], attributes: { axis: 1, keepdims: 0 } },
        ],
      });
      const session = await d.createSession(model, { name: "gather", weights: {} });
      const table = floats(d, [0, 1, 2, 1, 4, 5, 7, 6], [4, 2]);
      const ids = d.upload(new BigInt64Array([3n, 0n]), "int64", [2], "activation");
      const { rows, best } = await session.run({ table, ids });
      return { rows: await list(rows), best: await list(best), type: best!.type };
    }),

  /** One weight, [N, K] as in safetensors: y = x·Wᵀ in a forward session, dx = dy·W in a backward session. */
  sharedWeight: (backend: Backend) =>
    on(backend, async (d) => {
      const forward = onnxModel({
        inputs: { x: ["float32", ["T", 2]], w: ["float32", [3, 2]] },
        outputs: { y: ["float32", ["T", 3]] },
        nodes: [{ op: "Gemm", in: ["x", "w"], out: ["y"], attributes: { transB: 1 } }],
      });
      const backward = onnxModel({
        inputs: { dy: ["float32", ["T", 3]], w: ["float32", [3, 2]] },
        outputs: { dx: ["float32", ["T", 2]] },
        nodes: [{ op: "MatMul", in: ["dy", "w"], out: ["dx"] }],
      });
      const w = d.upload(new Float32Array([1, 2, 3, 4, 5, 6]), "float32", [3, 2], "weights");
      const bound: Record<string, DeviceTensor> = d.weightsAs === "inputs" ? { w } : {};
      const fed: Record<string, DeviceTensor> = d.weightsAs === "inputs" ? {} : { w };
      const f = await d.createSession(forward, { name: "forward", weights: bound, keepOnDevice: ["y"] });
      const b = await d.createSession(backward, { name: "backward", weights: bound });
      const { y } = await f.run({ x: floats(d, [1, 1], [1, 2]), ...fed });
      const { dx } = await b.run({ dy: y!, ...fed });
      return { y: await list(y), dx: await list(dx), weights: d.ledger.bytes.weights };
    }),

  /** x ← 2x + 1, twenty times, without leaving the device. */
  feedback: (backend: Backend) =>
    on(backend, async (d) => {
      const { run } = await affineSession(d, ["y"]);
      let x = floats(d, [0, 1], [1, 2]);
      for (let step = 0; step < 20; step++) {
        const { y } = await run(x);
        x.dispose();
        x = y!;
      }
      const once = await list(x);
      const twice = await list(x);
      const { y } = await run(x);
      const after = await list(y);
      x.dispose();
      y!.dispose();
      return { once, twice, after, activation: d.ledger.bytes.activation };
    }),

  emptyCache: (backend: Backend) =>
    on(backend, async (d) => {
      const model = onnxModel({
        inputs: { past: ["float32", [1, "P", 2]], x: ["float32", [1, 1, 2]] },
        outputs: { all: ["float32", [1, "Q", 2]] },
        nodes: [{ op: "Concat", in: ["past", "x"], out: ["all"], attributes: { axis: 1 } }],
      });
      const session = await d.createSession(model, { name: "cache", weights: {}, keepOnDevice: ["all"] });
      let past = floats(d, [], [1, 0, 2]);
      for (const value of [1, 2, 3]) {
        const { all } = await session.run({ past, x: floats(d, [value, value], [1, 1, 2]) });
        past.dispose();
        past = all!;
      }
      return { dims: past.dims, data: await list(past) };
    }),

  cpuNode: (backend: Backend) =>
    on(backend, async (d) => {
      const model = onnxModel({
        inputs: { x: ["float32", [2, 2]] },
        outputs: { y: ["float32", [2, 2]] },
        nodes: [
          { op: "Relu", in: ["x"], out: ["h"] },
          { op: "Sign", in: ["h"], out: ["y"] },
        ],
      });
      const session = await d.createSession(model, { name: "with-sign", weights: {} });
      return session.outputs;
    }),

  /** A run that fails between two that do not; all three wait in the queue together. */
  failingRun: (backend: Backend) =>
    on(backend, async (d) => {
      const model = onnxModel({
        inputs: { x: ["float32", ["A", "B"]], w: ["float32", ["C", "D"]] },
        outputs: { y: ["float32", ["A", "D"]] },
        nodes: [{ op: "MatMul", in: ["x", "w"], out: ["y"] }],
      });
      const session = await d.createSession(model, { name: "mul", weights: {} });
      const x = floats(d, [1, 2], [1, 2]);
      const good = floats(d, [1, 0, 0, 1], [2, 2]);
      const bad = floats(d, [1, 2, 3], [3, 1]);
      const results = await Promise.allSettled([good, bad, good].map(async (w) => session.run({ x, w })));
      return Promise.all(
        results.map(async (r) => (r.status === "fulfilled" ? list(r.value["y"]) : String(r.reason))),
      );
    }),

  refusals: (backend: Backend) =>
    on(backend, async (d) => {
      const said: string[] = [];
      const note = async (act: () => unknown): Promise<void> => {
        try {
          await act();
          said.push("nothing");
        } catch (error) {
          said.push((error as Error).message);
        }
      };
      const { session, run } = await affineSession(d);
      const x = floats(d, [1, 2], [1, 2]);
      await note(() => d.upload(new Float32Array(3), "float32", [2, 2], "weights"));
      await note(() => session.run({}));
      await note(() => run(floats(d, [1, 2, 3], [1, 3])));
      x.dispose();
      await note(() => run(x));
      await note(() => x.read());
      return said;
    }),

  ledger: async (backend: Backend) => {
    const d = await openDevice(backend);
    const { run } = await affineSession(d, ["y"]);
    await run(floats(d, [1, 2], [1, 2]));
    const during = d.ledger.total;
    await d.dispose();
    return { during, after: d.ledger.total, peak: d.ledger.peak };
  },

  /** The driver takes the device away; what was called before and after says so, and a new one works. */
  loss: async () => {
    const gpu = await openGpu();
    const d = await openDevice("webgpu", gpu);
    const { run } = await affineSession(d);
    const x = floats(d, [1, 2], [1, 2]);
    gpu.destroy();
    const during = await run(x).then(String, (error: unknown) => error instanceof DeviceLostError);
    const lost = await d.lost;
    const after = await run(x).then(String, (error: unknown) => error instanceof DeviceLostError);
    await d.dispose();
    const again = await on(
      "webgpu",
      async (fresh) => {
        const { run: runAgain } = await affineSession(fresh);
        return list((await runAgain(floats(fresh, [1, 2], [1, 2])))["y"]);
      },
      await openGpu(),
    );
    return { during, lost, after, again };
  },

  /** What it says of the device, of one that gets a number wrong, and of one that misreads a little what it recorded. */
  selfTest: (backend: Backend) =>
    on(backend, async (d) => {
      const real = await selfTest(d);
      const bytesAfter = d.ledger.total;
      const broken = await selfTest(corrupted(d, "lens", "logits", (x) => -x));
      const misread = d.createFixedSession ? await selfTest(misreading(d)) : null;
      return { real, bytesAfter, broken, misread };
    }),

  /** Pieces of a float16 tensor of 5 elements, the last of them 2 bytes long; then one that begins off the grid. */
  oddWrites: (backend: Backend) =>
    on(backend, async (d) => {
      const tensor = d.allocate("float16", [5], "weights");
      tensor.write(0, new Uint8Array(new Uint16Array([1, 2, 3, 4]).buffer));
      tensor.write(8, new Uint8Array(new Uint16Array([5]).buffer));
      const read = await list(tensor);
      try {
        tensor.write(2, new Uint8Array(4));
        return { read, said: "nothing" };
      } catch (error) {
        return { read, said: (error as Error).message };
      }
    }),

  /** WebGPU reports this error to nobody's promise; the run after it must not pass for good. */
  fault: async () => {
    const gpu = await openGpu();
    const d = await openDevice("webgpu", gpu);
    const { run } = await affineSession(d);
    const x = floats(d, [1, 2], [1, 2]);
    gpu.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE });
    const first = await run(x).then(String, (error: unknown) => (error as Error).message);
    const { y } = await run(x);
    const second = await list(y);
    await d.dispose();
    return { first, second };
  },

  /** Two devices of one worker share onnxruntime's wasm, which cannot run two things at once. */
  twoDevices: async (backend: Backend) => {
    const other = backend === "webgpu" ? await openGpu() : undefined;
    const both = (a: Device) => async (b: Device) => {
      const [one, two] = [await affineSession(a), await affineSession(b)];
      const runs = Array.from({ length: 10 }, (_, i) => {
        const [d, { run }] = i % 2 === 0 ? [a, one] : [b, two];
        return run(floats(d, [i, i], [1, 2]));
      });
      return Promise.all((await Promise.all(runs)).map(({ y }) => list(y)));
    };
    return on(backend, (a) => on(backend, both(a), other));
  },

  tooBig: (backend: Backend) =>
    on(backend, async (d) => {
      const limit = d.capabilities.limits["maxBufferSize"] ?? 0;
      try {
        d.allocate("uint8", [limit + 16], "weights");
        return "nothing";
      } catch (error) {
        return (error as Error).message;
      }
    }),
} as const;
