/** @file The interface that every backend implements. Nothing outside src/runtime imports onnxruntime. */

import type { DType } from "../graph/ir.ts";

/** The data that crosses the interface; float16 travels as its bits in a Uint16Array. */
export type TensorData = Float32Array | Uint16Array | Int32Array | BigInt64Array | Uint8Array;

type BackendName = "cpu" | "wasm" | "webgpu";

/** Purpose of a buffer ("vectors": keys and residuals of a memory); the ledger sums bytes by purpose. */
export type Purpose = "weights" | "cache" | "encode" | "vectors" | "activation";

/** A tensor owned by the device; on a GPU its data stays there until `read`. */
export interface DeviceTensor {
  readonly type: DType;
  readonly dims: readonly number[];
  readonly bytes: number;
  read(): Promise<TensorData>;
  dispose(): void;
}

export interface Session {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /**
   * Runs the graph, one run at a time on a device. All inputs but weights must be fed; the caller disposes of the outputs.
   * `signal` removes a waiting call.
   */
  run(
    feeds: Readonly<Record<string, DeviceTensor>>,
    signal?: AbortSignal,
  ): Promise<Record<string, DeviceTensor>>;
  release(): Promise<void>;
}

export interface SessionOptions {
  readonly name: string;
  /** Weights by graph input name, bound for all runs. On a device that can bake them in, those in the bytes are not fed. */
  readonly weights: Readonly<Record<string, DeviceTensor>>;
  /** Give memory back after every run (cpu and wasm): the arena of each session would keep its own peak. */
  readonly lean?: boolean;
  /** Outputs that stay on the device; all others are made readable at once. Ignored on cpu and wasm. */
  readonly keepOnDevice?: readonly string[];
  readonly keptFor?: Purpose;
}

export interface FixedSessionOptions extends Pick<SessionOptions, "name" | "weights"> {
  /** Outputs whose values become those of inputs after every run, by output. */
  readonly back: Readonly<Record<string, string>>;
  /** Outputs that overwrite inputs, for operators that only append. The new session owns the tensors, made by another one. */
  readonly inPlace?: Readonly<Record<string, { readonly input: string; readonly tensor: DeviceTensor }>>;
  readonly read: readonly string[];
  readonly purpose: Purpose;
}

/** The parts of a tensor along one axis: its first `opening` indices, and what follows `begins` further ones of each row. */
export interface Ends {
  readonly axis: number;
  readonly opening?: number | undefined;
  readonly begins: readonly number[];
}

/** A session that reads and writes the same tensors in every run, so that its commands need to be made only once. */
export interface FixedSession {
  /** Those of all inputs but weights, by name. They go with the session. */
  readonly inputs: Readonly<Record<string, WritableTensor>>;
  /** Copies a tensor to input `input`; with `ends` those parts of it, to the beginning of the axis. Elements have 4 bytes. */
  copy(from: DeviceTensor, input: string, ends?: Ends): void;
  run(signal?: AbortSignal): Promise<Record<string, TensorData>>;
  output(name: string): Promise<TensorData>;
  release(): Promise<void>;
}

export interface Capabilities {
  readonly backend: BackendName;
  readonly description: string;
  readonly f16: boolean;
  readonly threads: number;
  readonly limits: Readonly<Record<string, number>>;
  readonly runtime: string;
}

export interface Device {
  readonly backend: BackendName;
  readonly capabilities: Capabilities;
  /** "inputs": sessions share one copy of the weights. "initializers": a session may bake them in, for faster short runs. */
  readonly weightsAs: "inputs" | "initializers";
  /** Whether a graph may run round after round within one run (graph/ir.ts, Rounds), with its weights baked in. */
  readonly loops: boolean;
  /** A GPU in software: it computes so slowly that the host's time hardly counts. */
  readonly software: boolean;
  readonly ledger: Ledger;
  upload(data: TensorData, type: DType, dims: readonly number[], purpose: Purpose): DeviceTensor;
  /** An uninitialised tensor filled piece by piece (weights are streamed into it). */
  allocate(type: DType, dims: readonly number[], purpose: Purpose): WritableTensor;
  /** The data of `tensor` under other dimensions of as many elements. It takes no room, and is gone with `tensor`. */
  view(tensor: DeviceTensor, dims: readonly number[]): DeviceTensor;
  createSession(onnx: Uint8Array, options: SessionOptions): Promise<Session>;
  readonly createFixedSession?: (onnx: Uint8Array, options: FixedSessionOptions) => Promise<FixedSession>;
  /** Resolves when the device is lost; never rejects. Afterwards every call rejects with DeviceLostError. */
  readonly lost: Promise<DeviceLost>;
  dispose(): Promise<void>;
}

export interface WritableTensor extends DeviceTensor {
  /** Writes bytes of the tensor's type. On webgpu both numbers must be multiples of 4, except for the tensor's last piece. */
  write(byteOffset: number, bytes: Uint8Array): void;
}

export interface DeviceLost {
  readonly reason: string;
  readonly message: string;
}

export interface Ledger {
  readonly bytes: Readonly<Record<Purpose, number>>;
  readonly total: number;
  readonly peak: number;
}

export class DeviceLostError extends Error {
  override name = "DeviceLostError";

  constructor({ reason, message }: DeviceLost) {
    super(
      `webgpu: the device was lost (${reason}): ${message || "no message"}. Open it again and reload the model.`,
    );
  }
}

type Releasable = Pick<Session, "release">;

export function sessionRegister() {
  const open = new Set<Releasable>();
  return {
    add<S extends Releasable>(session: S): S {
      const kept = {
        ...session,
        async release() {
          open.delete(kept);
          await session.release();
        },
      };
      open.add(kept);
      return kept;
    },
    async releaseAll(): Promise<void> {
      await Promise.all([...open].map((session) => session.release()));
    },
  };
}
