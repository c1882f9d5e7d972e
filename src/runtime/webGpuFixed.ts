/**
 * @file A session on WebGPU whose commands are recorded in its first run and played again in all others: a step of many
 * small kernels costs the host a tenth. What is recorded names buffers, so they are made here, once (docs/runtime.md, 4).
 */
import type * as Ort from "onnxruntime-common";
import { assert, present } from "../lib/assert.ts";
import type { FixedSession, FixedSessionOptions, TensorData, TensorType } from "./device.ts";
import { bufferBytes, type GpuTensor } from "./gpuTensor.ts";
import { checkWeights, readPorts, type Port } from "./ports.ts";
import { byteCount, viewAs } from "./tensorTypes.ts";
import type { WebGpuTensors, GpuParts } from "./webGpuTensors.ts";

export interface FixedParts extends Pick<GpuParts, "gpu" | "queue" | "faults"> {
  readonly tensors: WebGpuTensors;
  create(): Promise<Ort.InferenceSession>;
}

/** Creates the session, and a tensor for each of its inputs and outputs. Throws where an extent of one is not known. */
export async function openFixedSession(
  { gpu, queue, faults, tensors, create }: FixedParts,
  { name, weights, back, read }: FixedSessionOptions,
): Promise<FixedSession> {
  const failed = (what: string) => (cause: unknown) => {
    throw new Error(`session ${name}: ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  };
  const ort = await queue.run(`session ${name}: creation`, () => create().catch(failed("cannot be created")));
  const inputs: Record<string, GpuTensor> = {};
  const free = (): void => {
    for (const tensor of Object.values(inputs)) tensor.dispose();
  };
  try {
    const ports = readPorts(name, ort.inputMetadata);
    checkWeights(name, ports, weights);
    for (const port of ports)
      if (!Object.hasOwn(weights, port.name))
        inputs[port.name] = tensors.allocate(port.type, fixedDims(name, port), "encode");
    const feeds = Object.fromEntries(
      Object.entries({ ...weights, ...inputs }).map(([port, tensor]) => [
        port,
        tensors.toOrt(tensor, `session ${name}: "${port}"`),
      ]),
    );
    const moves = Object.entries(back).map(([output, input]) => ({
      output,
      input: named(name, inputs, input),
    }));
    let outputs: Readonly<Record<string, Ort.Tensor>> | undefined;
    let staging: Staging | undefined;
    let released: Promise<void> | undefined;
    return {
      inputs,
      copy(from, input) {
        const to = named(name, inputs, input);
        assert(
          from.type === to.type && from.bytes === to.bytes,
          () =>
            `session ${name}: "${input}" is ${to.type}[${to.dims.join(",")}], not ${from.type}[${from.dims.join(",")}]`,
        );
        const commands = gpu.createCommandEncoder();
        copyAll(commands, bufferOf(tensors.toOrt(from, "copy")), to);
        gpu.queue.submit([commands.finish()]);
      },
      run: (signal) =>
        queue.run(
          `session ${name}`,
          async () => {
            const made = await ort.run(feeds).catch(failed("run failed"));
            // Every run gives new tensors over the buffers of the first.
            if (outputs) for (const tensor of Object.values(made)) tensor.dispose();
            const known = (outputs ??= made);
            staging ??= stagingFor(
              gpu,
              read.map((output) => named(name, known, output)),
            );
            const commands = gpu.createCommandEncoder();
            for (const { output, input } of moves)
              copyAll(commands, bufferOf(named(name, known, output)), input);
            const values = await staging.read(commands);
            await faults.check().catch(failed("run failed"));
            return Object.fromEntries(read.map((output, i) => [output, values[i]!]));
          },
          signal,
        ),
      release: () =>
        (released ??= queue
          .run(`session ${name}: release`, () => {
            for (const tensor of Object.values(outputs ?? {})) tensor.dispose();
            return ort.release();
          })
          .catch(() => undefined)
          .then(() => {
            staging?.destroy();
            free();
          })),
    };
  } catch (error) {
    await queue.run(`session ${name}: release`, () => ort.release());
    free();
    throw error;
  }
}

function fixedDims(session: string, { name, dims }: Port): number[] {
  return dims.map((dim) => {
    assert(typeof dim === "number", () => `session ${session}: "${name}" is [${dims.join(",")}]; "${dim}" must be a number to be recorded`); // prettier-ignore
    return dim;
  });
}

const named = <T>(session: string, all: Readonly<Record<string, T>>, port: string): T =>
  present(
    all[port],
    () => `session ${session}: there is no "${port}"; there are ${Object.keys(all).join(", ")}`,
  );

function copyAll(commands: GPUCommandEncoder, from: GPUBuffer, to: GpuTensor): void {
  commands.copyBufferToBuffer(from, 0, to.buffer, 0, bufferBytes(to.bytes));
}

const bufferOf = (tensor: Ort.Tensor): GPUBuffer => tensor.gpuBuffer as GPUBuffer;

interface Staging {
  /** Submits `commands` with copies of all tensors behind them, and gives their values. */
  read(commands: GPUCommandEncoder): Promise<TensorData[]>;
  destroy(): void;
}

/** One buffer by which the values of all `tensors` come to the host in one turn. */
function stagingFor(gpu: GPUDevice, tensors: readonly Ort.Tensor[]): Staging {
  const parts: { type: TensorType; from: GPUBuffer; start: number; bytes: number }[] = [];
  let size = 0;
  for (const tensor of tensors) {
    const type = tensor.type as TensorType;
    const bytes = byteCount(type, tensor.dims, "read");
    parts.push({ type, from: bufferOf(tensor), start: size, bytes });
    size += bufferBytes(bytes);
  }
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const buffer = gpu.createBuffer({ label: "palimpsest/read", size: bufferBytes(size), usage });
  return {
    async read(commands) {
      for (const { from, start, bytes } of parts)
        commands.copyBufferToBuffer(from, 0, buffer, start, bufferBytes(bytes));
      gpu.queue.submit([commands.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      const mapped = buffer.getMappedRange();
      const values = parts.map(({ type, start, bytes }) => viewAs(type, mapped.slice(start, start + bytes)));
      buffer.unmap();
      return values;
    },
    destroy: () => buffer.destroy(),
  };
}
