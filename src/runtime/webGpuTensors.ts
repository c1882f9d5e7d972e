/** @file The tensors of a WebGPU device: our buffers, outputs whose buffers onnxruntime owns, and read-backs; and a session whose commands are recorded in its first run and replayed (docs/runtime.md, 4). */

import { rawBytes } from "../lib/bytes.ts";
import type * as Ort from "onnxruntime-common";
import { assert, present } from "../lib/assert.ts";
import type { DType } from "../graph/ir.ts";
import type { DeviceTensor, Purpose, TensorData, FixedSession, FixedSessionOptions } from "./device.ts";
import {
  hostTensor,
  asTensorData,
  byteCount,
  checkData,
  checkView,
  ownedTensor,
  viewAs,
  type OwnedTensor,
  piecesOf,
} from "./tensors.ts";
import { createLedger } from "./ledger.ts";
import { heldFor } from "./ortDevice.ts";
import { type OrtTensors, failed } from "./ortSession.ts";
import type { Queue } from "../lib/queue.ts";
import { checkWeights, readPorts, type Port } from "./ports.ts";

/** Bindings are read in pieces of 16 bytes: a smaller buffer fails the run (docs/runtime.md, 3). */
const GRANULE = 16;

/** Bytes of the buffer that holds `bytes` of data; a tensor without elements has a buffer too. */
export const bufferBytes = (bytes: number): number => Math.max(GRANULE, Math.ceil(bytes / GRANULE) * GRANULE);

export type GpuTensor = OwnedTensor<GPUBuffer>;

const gpuTensor = (
  device: GPUDevice,
  native: GPUBuffer,
  type: DType,
  dims: readonly number[],
  release: () => void,
): GpuTensor => {
  const bytes = byteCount(type, dims, "tensor");
  return ownedTensor(type, dims, native, {
    read: (buffer) => download(device, { type, buffer, bytes }),
    write: (buffer, at, data, what) =>
      writeBuffer(device, buffer, at, data, at + data.byteLength === bytes, what),
    release,
  });
};

/** WebGPU writes whole words only, so the last bytes of a tensor go padded into the buffer's padding. */
function writeBuffer(
  device: GPUDevice,
  buffer: GPUBuffer,
  byteOffset: number,
  data: Uint8Array,
  last: boolean,
  what: string,
): void {
  const tail = data.byteLength % 4;
  if (!(byteOffset % 4 === 0 && (tail === 0 || last)))
    throw new Error(
      `runtime: write of ${data.byteLength} bytes at ${byteOffset} into ${what}; ` +
        "on webgpu both must be multiples of 4 (the last piece of a tensor may end anywhere)",
    );
  const whole = data.byteLength - tail;
  const source = data as Uint8Array<ArrayBuffer>;
  if (whole > 0) device.queue.writeBuffer(buffer, byteOffset, source, 0, whole);
  if (tail === 0) return;
  const word = new Uint8Array(4);
  word.set(data.subarray(whole));
  device.queue.writeBuffer(buffer, byteOffset + whole, word);
}

export interface Placed {
  readonly type: DType;
  readonly buffer: GPUBuffer;
  readonly bytes: number;
}

/** Copies through a separate buffer: onnxruntime's getData would turn the tensor into a host tensor permanently. */
export async function download(gpu: GPUDevice, placed: Placed): Promise<TensorData> {
  const staging = stagingFor(gpu, [placed]);
  try {
    const [value] = await staging.read(gpu.createCommandEncoder());
    return value!;
  } finally {
    staging.destroy();
  }
}

export function stagingFor(gpu: GPUDevice, tensors: readonly Placed[]) {
  let size = 0;
  const parts = tensors.map((tensor) => {
    const start = size;
    size += bufferBytes(tensor.bytes);
    return { ...tensor, start };
  });
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const staging = gpu.createBuffer({ label: "palimpsest/read", size: bufferBytes(size), usage });
  return {
    async read(commands: GPUCommandEncoder): Promise<TensorData[]> {
      for (const { buffer, start, bytes } of parts)
        commands.copyBufferToBuffer(buffer, 0, staging, start, bufferBytes(bytes));
      gpu.queue.submit([commands.finish()]);
      await staging.mapAsync(GPUMapMode.READ);
      const mapped = staging.getMappedRange();
      const values = parts.map(({ type, start, bytes }) => viewAs(type, mapped.slice(start, start + bytes)));
      staging.unmap();
      return values;
    },
    destroy: () => staging.destroy(),
  };
}

export interface GpuParts {
  readonly gpu: GPUDevice;
  readonly Tensor: typeof Ort.Tensor;
  readonly queue: Queue;
  readonly faults: ReturnType<typeof watchFaults>;
}

export class WebGpuTensors implements OrtTensors {
  readonly ledger = createLedger();
  readonly live = new Map<DeviceTensor, Ort.Tensor>();

  constructor(private readonly parts: GpuParts) {}

  upload(data: TensorData, type: DType, dims: readonly number[], purpose: Purpose): GpuTensor {
    checkData(data, type, dims, "upload");
    const tensor = this.allocate(type, dims, purpose);
    tensor.write(0, rawBytes(data));
    return tensor;
  }

  allocate(type: DType, dims: readonly number[], purpose: Purpose): GpuTensor {
    const label = `palimpsest/${purpose}/${type}[${dims.join(",")}]`;
    const size = bufferBytes(byteCount(type, dims, label));
    const buffer = this.#newBuffer(label, size);
    const free = this.ledger.hold(purpose, size);
    return this.#keepBuffer(buffer, type, dims, () => {
      buffer.destroy();
      free();
    });
  }

  view(tensor: DeviceTensor, dims: readonly number[]): DeviceTensor {
    checkView(tensor, dims);
    return this.#keepBuffer(bufferOf(this.toOrt(tensor, "view")), tensor.type, dims);
  }

  toOrt(tensor: DeviceTensor, what: string): Ort.Tensor {
    return heldFor(this.live, tensor, what);
  }

  fromOrt(output: Ort.Tensor, type: DType, keptFor: Purpose = "activation"): DeviceTensor {
    return output.location === "gpu-buffer"
      ? this.#adopt(output, type, keptFor)
      : this.#readBack(output, type);
  }

  /** An output that stays on the GPU: onnxruntime owns the buffer and gets it back on the queue, between runs. */
  #adopt(output: Ort.Tensor, type: DType, keptFor: Purpose): DeviceTensor {
    const free = this.ledger.hold(keptFor, bufferBytes(byteCount(type, output.dims, "output")));
    const end = (): void => {
      free();
      this.parts.queue.run("dispose", () => output.dispose()).catch(() => undefined);
    };
    return this.#keepBuffer(bufferOf(output), type, output.dims, end, output);
  }

  #readBack(output: Ort.Tensor, type: DType): DeviceTensor {
    const data = asTensorData(type, output.data as ArrayBufferView);
    const free = this.ledger.hold("activation", data.byteLength);
    return this.#keep((release) => hostTensor(data, type, output.dims, release), output, free);
  }

  #keepBuffer(
    buffer: GPUBuffer,
    type: DType,
    dims: readonly number[],
    end?: () => void,
    ort: Ort.Tensor = this.parts.Tensor.fromGpuBuffer(buffer, { dataType: type, dims }),
  ): GpuTensor {
    return this.#keep((release) => gpuTensor(this.parts.gpu, buffer, type, dims, release), ort, end);
  }

  /** Keeps a tensor until it is disposed of; `end` runs then. */
  #keep<T extends DeviceTensor>(make: (release: () => void) => T, ort: Ort.Tensor, end?: () => void): T {
    const tensor = make(() => {
      this.live.delete(tensor);
      end?.();
    });
    this.live.set(tensor, ort);
    return tensor;
  }

  #newBuffer(label: string, size: number): GPUBuffer {
    const { gpu, faults } = this.parts;
    const limit = gpu.limits.maxBufferSize;
    assert(size <= limit, () => `webgpu: ${label} needs ${size} bytes; one buffer holds ${limit}`);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    return faults.allocation(label, () => gpu.createBuffer({ label, size, usage }));
  }
}

/** WebGPU reports failed allocations and invalid commands later; the next check throws these faults. */
export function watchFaults(gpu: GPUDevice) {
  let found: string[] = [];
  let pending: Promise<void>[] = [];
  gpu.addEventListener("uncapturederror", (event) => {
    found.push(event.error.message);
    event.preventDefault();
  });
  return {
    /** Makes a buffer; if there was no room for it, the next check rejects. */
    allocation(label: string, make: () => GPUBuffer): GPUBuffer {
      gpu.pushErrorScope("out-of-memory");
      const buffer = make();
      const scope = gpu.popErrorScope().then((error) => {
        if (error) found.push(`out of memory: ${label} (${error.message})`);
      });
      // It rejects on a lost device, which is reported elsewhere.
      pending.push(scope.catch(() => undefined));
      return buffer;
    },
    async check(): Promise<void> {
      await Promise.all(pending);
      pending = [];
      if (found.length === 0) return;
      const message = `webgpu reported: ${found.join("; ")}`;
      found = [];
      throw new Error(message);
    },
  };
}

interface FixedParts extends Pick<GpuParts, "gpu" | "queue" | "faults"> {
  readonly tensors: WebGpuTensors;
  create(): Promise<Ort.InferenceSession>;
}

/** Creates the session, and a tensor for each input that it is not given. Throws where an extent of one is not known. */
export async function openFixedSession(
  parts: FixedParts,
  options: FixedSessionOptions,
): Promise<FixedSession> {
  const { gpu, queue, tensors, create } = parts;
  const { name, weights, inPlace = {} } = options;
  const inputs: Record<string, GpuTensor> = {};
  for (const { input, tensor } of Object.values(inPlace)) inputs[input] = tensor as GpuTensor;
  const ort = await queue.run(`session ${name}: creation`, () =>
    create().catch(failed(`session ${name}: cannot be created`)),
  );
  const end = async (before?: () => void): Promise<void> => {
    await queue
      .run(`session ${name}: release`, () => {
        before?.();
        return ort.release();
      })
      .catch(() => undefined);
    for (const tensor of Object.values(inputs)) tensor.dispose();
  };
  try {
    const ports = readPorts(name, ort.inputMetadata);
    checkWeights(name, ports, weights);
    for (const port of ports)
      if (!Object.hasOwn({ ...weights, ...inputs }, port.name))
        inputs[port.name] = tensors.allocate(port.type, fixedDims(name, port), options.purpose);
    const recording = recordingOf(parts, options, ort, inputs);
    let released: Promise<void> | undefined;
    return {
      inputs,
      copy(from, input, ends) {
        const to = named(name, inputs, input);
        const pieces = piecesOf(`session ${name}: "${input}"`, from, to, ends);
        const source = bufferOf(tensors.toOrt(from, "copy"));
        const commands = gpu.createCommandEncoder();
        for (const { start, target, bytes } of pieces)
          commands.copyBufferToBuffer(source, start, to.native, target, bytes);
        gpu.queue.submit([commands.finish()]);
      },
      run: (signal) => queue.run(`session ${name}`, () => recording.run(), signal),
      output: (port) => queue.run(`session ${name}: "${port}"`, () => recording.read(port)),
      release: () => (released ??= end(() => recording.end())),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function recordingOf(
  { gpu, faults, tensors }: FixedParts,
  { name, weights, back, read, inPlace = {} }: FixedSessionOptions,
  ort: Ort.InferenceSession,
  inputs: Readonly<Record<string, GpuTensor>>,
) {
  const asOrt = (port: string, tensor: DeviceTensor) => tensors.toOrt(tensor, `session ${name}: "${port}"`);
  const fed = Object.entries({ ...weights, ...inputs });
  const feeds = Object.fromEntries(fed.map(([port, tensor]) => [port, asOrt(port, tensor)]));
  const place = (port: string) => inPlace[port] && asOrt(port, inPlace[port].tensor);
  /** Where outputs go that are written in place, and null for all others. */
  const places = Object.fromEntries(ort.outputNames.map((port) => [port, place(port) ?? null]));
  /** Of the first run: those of later ones are other tensors over the same buffers. */
  let outputs: Readonly<Record<string, Ort.Tensor>> | undefined;
  let staging: ReturnType<typeof stagingFor> | undefined;
  const output = (port: string) => named(name, outputs ?? {}, port);
  return {
    async run(): Promise<Record<string, TensorData>> {
      // Where outputs go is said once: to say it again would leave a handle behind at every run.
      const made = outputs ? ort.run(feeds) : ort.run(feeds, places);
      const found = await made.catch(failed(`session ${name}: run failed`));
      if (outputs) for (const tensor of Object.values(found)) tensor.dispose();
      outputs ??= found;
      staging ??= stagingFor(
        gpu,
        read.map((port) => placed(output(port))),
      );
      const commands = gpu.createCommandEncoder();
      for (const [from, input] of Object.entries(back)) {
        const to = named(name, inputs, input);
        commands.copyBufferToBuffer(bufferOf(output(from)), 0, to.native, 0, bufferBytes(to.bytes));
      }
      const values = await staging.read(commands);
      await faults.check().catch(failed(`session ${name}: run failed`));
      return Object.fromEntries(read.map((port, i) => [port, values[i]!]));
    },
    read: (port: string): Promise<TensorData> => download(gpu, placed(output(port))),
    end(): void {
      for (const [port, tensor] of Object.entries(outputs ?? {})) if (places[port] === null) tensor.dispose();
      staging?.destroy();
    },
  };
}

const fixedDims = (session: string, { name, dims }: Port): number[] =>
  dims.map((dim) => {
    assert(
      typeof dim === "number",
      () => `session ${session}: "${name}" is [${dims.join(",")}]; "${dim}" must be a number to be recorded`,
    );
    return dim;
  });

const named = <T>(session: string, all: Readonly<Record<string, T>>, port: string): T =>
  present(
    all[port],
    () => `session ${session}: there is no "${port}"; there are ${Object.keys(all).join(", ")}`,
  );

const bufferOf = (tensor: Ort.Tensor): GPUBuffer => tensor.gpuBuffer as GPUBuffer;

const placed = (tensor: Ort.Tensor): Placed => {
  const type = tensor.type as DType;
  return { type, buffer: bufferOf(tensor), bytes: byteCount(type, tensor.dims, "read") };
};
