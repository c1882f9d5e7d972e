/** @file Our onnxruntime for transformers.js, which uses `Symbol.for("onnxruntime")`. Its runs never overlap with ours. */

import { Tensor, type InferenceSession } from "onnxruntime-common";
import { yieldingQueue, createDeviceQueue } from "./queue.ts";
import { wasmBuild, webGpuBuild, type WasmPaths } from "./web.ts";

interface SharedRuntime {
  readonly Tensor: typeof Tensor;
  readonly InferenceSession: {
    create(onnx: Uint8Array, options: InferenceSession.SessionOptions): Promise<SharedSession>;
  };
}
type SharedSession = Pick<InferenceSession, "inputNames" | "outputNames" | "release"> & {
  run(feeds: InferenceSession.FeedsType): Promise<InferenceSession.OnnxValueMapType>;
};

/** Between two runs messages get their turn: a text embedder reads thousands of texts. */
const queue = yieldingQueue(createDeviceQueue());

const RUNTIME = Symbol.for("onnxruntime");

/** Provides the builds at `wasmPaths`. A session names its backend as `executionProviders`. */
export function shareRuntime(wasmPaths: Readonly<Record<"wasm" | "webgpu", WasmPaths>>): void {
  const shared: SharedRuntime = {
    Tensor,
    InferenceSession: {
      async create(onnx, options) {
        const onGpu = options.executionProviders?.includes("webgpu");
        const ort = await (onGpu ? webGpuBuild(wasmPaths.webgpu) : wasmBuild(wasmPaths.wasm));
        const create = () => ort.InferenceSession.create(onnx, options);
        return queued(await queue.run("opening a shared session", create));
      },
    },
  };
  (globalThis as { [RUNTIME]?: SharedRuntime })[RUNTIME] ??= shared;
}

/** `session` with queued calls; each build has a separate Tensor class, outputs are converted to the common one. */
const queued = (session: InferenceSession): SharedSession => ({
  inputNames: session.inputNames,
  outputNames: session.outputNames,
  run: (feeds) =>
    queue.run("a shared session", async () => {
      const outputs = Object.entries(await session.run(feeds));
      return Object.fromEntries(
        outputs.map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]),
      );
    }),
  release: () => queue.run("releasing a shared session", () => session.release()),
});
