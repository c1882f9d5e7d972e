/** @file A session on WebGPU whose commands are recorded in its first run and replayed (docs/runtime.md, 4). */
import type * as Ort from "onnxruntime-common";
import { assert, present } from "../lib/assert.ts";
import type { DType } from "../graph/ir.ts";
import type { DeviceTensor, FixedSession, FixedSessionOptions, TensorData } from "./device.ts";
import { failed } from "./ortSession.ts";
import { piecesOf, byteCount } from "./tensors.ts";
import { checkWeights, readPorts, type Port } from "./ports.ts";
import {
  bufferBytes,
  download,
  stagingFor,
  type WebGpuTensors,
  type GpuParts,
  type GpuTensor,
  type Placed,
} from "./webGpuTensors.ts";

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
