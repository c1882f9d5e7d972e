/** @file The one place that drives an onnxruntime session, for all backends. */
import type { InferenceSession, Tensor } from "onnxruntime-common";
import { assert, messageOf } from "../lib/assert.ts";
import type { DType } from "../graph/ir.ts";
import type { Device, DeviceTensor, Purpose, Session, SessionOptions } from "./device.ts";
import type { OpenLedger } from "./ledger.ts";
import { checkFeeds, checkWeights, readPorts } from "./ports.ts";
import type { Queue } from "../lib/queue.ts";
import { isTensorType } from "./tensors.ts";

export interface OrtTensors extends Pick<Device, "upload" | "allocate" | "view"> {
  readonly ledger: OpenLedger;
  readonly live: ReadonlyMap<DeviceTensor, object>;
  /** Called on the queue before the tensors of a run are asked for. */
  prepare?(tensors: readonly DeviceTensor[]): Promise<void>;
  toOrt(tensor: DeviceTensor, what: string): Tensor;
  fromOrt(output: Tensor, type: DType, keptFor?: Purpose): DeviceTensor;
}

export interface SessionHost {
  readonly queue: Queue;
  readonly tensors: OrtTensors;
  readonly weightsAs: "inputs" | "initializers";
  create(onnx: Uint8Array, options: SessionOptions): Promise<InferenceSession>;
  /** Rejects with errors that the device reported outside any call. */
  check?(): Promise<void>;
}

export async function openSession(
  host: SessionHost,
  onnx: Uint8Array,
  options: SessionOptions,
): Promise<Session> {
  const { name } = options;
  const ort = await host.queue.run(`session ${name}: creation`, () =>
    host.create(onnx, options).catch(failed(`session ${name}: cannot be created`)),
  );
  try {
    return wrap(host, ort, onnx.byteLength, options);
  } catch (error) {
    await ort.release();
    throw error;
  }
}

function wrap(
  host: SessionHost,
  ort: InferenceSession,
  modelBytes: number,
  { name, weights, keptFor }: SessionOptions,
): Session {
  const all = readPorts(name, ort.inputMetadata);
  readPorts(name, ort.outputMetadata);
  // Weights baked into the bytes are not fed; the caller may pass them anyway (device.ts, SessionOptions).
  const declared = new Set(all.map((port) => port.name));
  const baked = ([weight]: readonly [string, DeviceTensor]) =>
    host.weightsAs === "initializers" && !declared.has(weight);
  const bound = Object.fromEntries(Object.entries(weights).filter((entry) => !baked(entry)));
  checkWeights(name, all, bound);
  const ports = all.filter((port) => !Object.hasOwn(bound, port.name));
  const outputs = [...ort.outputNames];

  // Weights are looked up again at every run, so that a disposed one is noticed.
  const feeds: Record<string, Tensor> = {};
  const bind = (): void => {
    for (const [input, tensor] of Object.entries(bound))
      feeds[input] = host.tensors.toOrt(tensor, at(name, input));
  };
  bind();
  const own = host.weightsAs === "initializers" && Object.keys(bound).length === 0;
  const free = host.tensors.ledger.hold("weights", own ? modelBytes : 0);
  let released = false;

  return {
    inputs: ports.map((port) => port.name),
    outputs,

    async run(fed, signal) {
      assert(!released, () => `session ${name}: was released and cannot run`);
      checkFeeds(name, ports, fed);
      return host.queue.run(
        `session ${name}`,
        async () => {
          assert(!released, () => `session ${name}: was released and cannot run`);
          await host.tensors.prepare?.([...Object.values(bound), ...Object.values(fed)]);
          bind();
          for (const { name: input } of ports)
            feeds[input] = host.tensors.toOrt(fed[input]!, at(name, input));
          const results = await ort.run(feeds, outputs).catch(failed(`session ${name}: run failed`));
          await host.check?.().catch(failed(`session ${name}: run failed`));
          return Object.fromEntries(
            outputs.map((output) => {
              const result = results[output] as Tensor;
              const { type } = result;
              assert(
                isTensorType(type),
                () => `${at(name, output)} is ${type}, which the runtime does not carry`,
              );
              return [output, host.tensors.fromOrt(result, type, keptFor)];
            }),
          );
        },
        signal,
      );
    },

    async release() {
      if (released) return;
      released = true;
      // Where this fails the device is gone, and the session with it.
      await host.queue.run(`session ${name}: release`, () => ort.release()).catch(() => undefined);
      free();
    },
  };
}

const at = (session: string, tensor: string): string => `session ${session}: "${tensor}"`;

export const failed = (what: string) => (cause: unknown) => {
  throw new Error(`${what}: ${messageOf(cause)}`, { cause });
};

/** Options of a session that runs on `provider` alone; the outputs in `keepOnDevice` stay there. */
export function allOnGpu(
  provider: InferenceSession.ExecutionProviderConfig,
  keepOnDevice: readonly string[] = [],
): InferenceSession.SessionOptions {
  return {
    executionProviders: [provider],
    preferredOutputLocation: Object.fromEntries(keepOnDevice.map((name) => [name, "gpu-buffer" as const])),
    // A node on the CPU would download its inputs at every run, weights included (docs/runtime.md, 2).
    extra: { session: { disable_cpu_ep_fallback: "1" } },
  };
}
