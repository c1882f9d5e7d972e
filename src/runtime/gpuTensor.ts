/** @file A tensor in a GPUBuffer. */
import { assert } from "../lib/assert.ts";
import type { TensorType } from "./device.ts";
import { byteCount, ownedTensor, viewAs, type OwnedTensor } from "./tensors.ts";

/** Bindings are read in pieces of 16 bytes: a smaller buffer fails the run (docs/runtime.md, 3). */
const GRANULE = 16;

/** Bytes of the buffer that holds `bytes` of data; a tensor without elements has a buffer too. */
export function bufferBytes(bytes: number): number {
  return Math.max(GRANULE, Math.ceil(bytes / GRANULE) * GRANULE);
}

export type GpuTensor = OwnedTensor<GPUBuffer>;

/** Wraps `buffer`; `release` is called once, when the tensor is disposed. */
export const gpuTensor = (
  device: GPUDevice,
  native: GPUBuffer,
  type: TensorType,
  dims: readonly number[],
  release: () => void,
): GpuTensor => {
  const bytes = byteCount(type, dims, "tensor");
  return ownedTensor(type, dims, native, {
    read: async (buffer) => viewAs(type, await download(device, buffer, bytes)),
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
  assert(
    byteOffset % 4 === 0 && (tail === 0 || last),
    () =>
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

/** Copies through a separate buffer: onnxruntime's getData would turn the tensor into a host tensor permanently. */
async function download(device: GPUDevice, buffer: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
  const size = bufferBytes(bytes);
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const staging = device.createBuffer({ label: "palimpsest/read", size, usage });
  try {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    return staging.getMappedRange().slice(0, bytes);
  } finally {
    staging.destroy();
  }
}
