/** @file What a GPU reports outside any call: allocations that failed, commands that were invalid. */

/** The faults of one device. */
export interface GpuFaults {
  /** Makes a buffer; that there was no room for it is told by the next check. */
  allocation(label: string, make: () => GPUBuffer): GPUBuffer;
  /** Rejects with what came in since the last one. */
  check(): Promise<void>;
}

/**
 * WebGPU reports a failed allocation or an invalid command later, and outside any promise. What came in is thrown
 * by the next check, so that a run on broken buffers is not taken for a result.
 */
export function watchFaults(gpu: GPUDevice): GpuFaults {
  let found: string[] = [];
  let pending: Promise<void>[] = [];
  gpu.addEventListener("uncapturederror", (event) => {
    found.push(event.error.message);
    event.preventDefault();
  });
  return {
    allocation(label: string, make: () => GPUBuffer): GPUBuffer {
      gpu.pushErrorScope("out-of-memory");
      const buffer = make();
      pending.push(
        gpu.popErrorScope().then(
          (error) => {
            if (error) found.push(`out of memory: ${label} (${error.message})`);
          },
          () => undefined, // the device is lost, which is told elsewhere
        ),
      );
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
