/**
 * @file The one interface every backend implements: tensors, sessions, one queue.
 * Nothing outside src/runtime imports onnxruntime.
 */

import type { DType } from "../graph/ir.ts";

/** The data that crosses the interface; float16 travels as its bits in a Uint16Array. */
export type TensorData = Float32Array | Uint16Array | Int32Array | BigInt64Array | Uint8Array;

export type BackendName = "cpu" | "wasm" | "webgpu";

/** Purpose of a buffer ("vectors": keys and residuals of a memory); the ledger sums bytes by purpose. */
export type Purpose = "weights" | "cache" | "encode" | "vectors" | "activation";

/** A tensor owned by the device; on a GPU its data stays there until `read`. */
export interface DeviceTensor {
  readonly type: DType;
  readonly dims: readonly number[];
  readonly bytes: number;
  /** Copies the data to the host. */
  read(): Promise<TensorData>;
  /** Frees it; using it afterwards throws. */
  dispose(): void;
}

export interface Session {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /**
   * Runs the graph. Every declared input must be fed (weights are bound at creation and are not fed).
   * Outputs are tensors the caller disposes. Calls are queued: one run at a time on a device.
   * `signal` takes the call out of the line while it waits; a run that has started finishes.
   */
  run(
    feeds: Readonly<Record<string, DeviceTensor>>,
    signal?: AbortSignal,
  ): Promise<Record<string, DeviceTensor>>;
  /** Frees the session; weights and other tensors stay. */
  release(): Promise<void>;
}

export interface SessionOptions {
  /** Shown in errors and in the ledger. */
  readonly name: string;
  /** Weights by graph input name, bound for all runs. On a device that can bake them in, those in the bytes are not fed. */
  readonly weights: Readonly<Record<string, DeviceTensor>>;
  /**
   * Give memory back after every run instead of keeping it for the next (cpu and wasm). For graphs with large
   * intermediates: each session's arena keeps its own peak, which for 133 book sentences came to 3.7 GB against 0.9.
   */
  readonly lean?: boolean;
  /** Outputs that stay on the device; all others are made readable at once. Ignored on cpu and wasm. */
  readonly keepOnDevice?: readonly string[];
  /** Purpose of the outputs; "activation" by default. */
  readonly keptFor?: Purpose;
}

export interface FixedSessionOptions extends Pick<SessionOptions, "name" | "weights"> {
  /** Outputs whose values become those of inputs after every run, by output. */
  readonly back: Readonly<Record<string, string>>;
  /**
   * Outputs that overwrite inputs, by output name, for operators that only append to the input. Each tensor was made
   * by another session of the device and stays there; the new session owns and disposes of it.
   */
  readonly inPlace?: Readonly<Record<string, { readonly input: string; readonly tensor: DeviceTensor }>>;
  /** Outputs that a run reads, all in one turn. */
  readonly read: readonly string[];
  readonly purpose: Purpose;
}

/** The part of a tensor along one axis, from a separate index for each row of its first axis. */
export interface Ends {
  readonly axis: number;
  /** By row. */
  readonly begins: readonly number[];
}

/** A session that reads and writes the same tensors in every run, so that its commands need to be made only once. */
export interface FixedSession {
  /** Those of all inputs but weights, by name. They go with the session. */
  readonly inputs: Readonly<Record<string, WritableTensor>>;
  /**
   * Gives input `input` the data of a tensor of this device; with `ends` those parts of it, each to the beginning of the
   * same axis, which may be longer there. Elements have 4 bytes then.
   */
  copy(from: DeviceTensor, input: string, ends?: Ends): void;
  /** Runs once and gives the values of the outputs that are read. Queued as {@link Session.run} is. */
  run(signal?: AbortSignal): Promise<Record<string, TensorData>>;
  /** The value of any output of the last run. */
  output(name: string): Promise<TensorData>;
  release(): Promise<void>;
}

/** Capabilities of a machine; saved in the header of every run. */
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
  /**
   * "inputs": all sessions share one copy of the weights. "initializers": a session may have its weights baked in at
   * creation, which makes short runs faster and costs a copy; sessions that declare them as inputs share one here too.
   */
  readonly weightsAs: "inputs" | "initializers";
  /** Whether a graph may run round after round within one run (graph/ir.ts, Rounds), with its weights baked in. */
  readonly loops: boolean;
  /** A GPU that is played by the processor: what is computed there costs so much that the host's time hardly counts. */
  readonly software: boolean;
  readonly ledger: Ledger;
  /** Copies `data` to the device. Throws when its length does not match `dims`. */
  upload(data: TensorData, type: DType, dims: readonly number[], purpose: Purpose): DeviceTensor;
  /** An uninitialised tensor filled piece by piece (weights are streamed into it). */
  allocate(type: DType, dims: readonly number[], purpose: Purpose): WritableTensor;
  /** The data of `tensor` under other dimensions of as many elements. It takes no room, and is gone with `tensor`. */
  view(tensor: DeviceTensor, dims: readonly number[]): DeviceTensor;
  createSession(onnx: Uint8Array, options: SessionOptions): Promise<Session>;
  /** A session of a graph whose extents are all known; absent where commands cannot be recorded. */
  readonly createFixedSession?: (onnx: Uint8Array, options: FixedSessionOptions) => Promise<FixedSession>;
  /**
   * Resolves when the device is lost (WebGPU); never settles otherwise, and never rejects. Afterwards every waiting
   * and later call rejects with DeviceLostError.
   */
  readonly lost: Promise<DeviceLost>;
  /** Releases all sessions and frees all tensors of this device; using them afterwards throws. */
  dispose(): Promise<void>;
}

export interface WritableTensor extends DeviceTensor {
  /**
   * Writes `bytes` at `byteOffset`; the bytes are already of the tensor's type, little-endian. On webgpu both
   * numbers must be multiples of 4, except that the last piece of a tensor may end anywhere.
   */
  write(byteOffset: number, bytes: Uint8Array): void;
}

/** The device went away (driver reset, tab in background too long, out of memory). */
export interface DeviceLost {
  readonly reason: string;
  readonly message: string;
}

/** Bytes held on the device by purpose, with the highest sum seen. */
export interface Ledger {
  readonly bytes: Readonly<Record<Purpose, number>>;
  readonly total: number;
  readonly peak: number;
}

/** The device was lost with everything on it. Open a new device and load the model again. */
export class DeviceLostError extends Error {
  override name = "DeviceLostError";

  constructor({ reason, message }: DeviceLost) {
    super(
      `webgpu: the device was lost (${reason}): ${message || "no message"}. Open it again and reload the model.`,
    );
  }
}

type Releasable = Pick<Session, "release">;

/** Tracks open sessions, so that their owner can release all that are left. */
export function sessionRegister(): {
  add<S extends Releasable>(session: S): S;
  releaseAll(): Promise<void>;
} {
  const open = new Set<Releasable>();
  return {
    add(session) {
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
    async releaseAll() {
      await Promise.all([...open].map((session) => session.release()));
    },
  };
}
