/** @file A device over one onnxruntime package: its tensors, the sessions on them, and the end of both. */
import { assert } from "../lib/assert.ts";
import {
  DeviceLostError,
  sessionRegister,
  type Capabilities,
  type Device,
  type DeviceLost,
  type DeviceTensor,
} from "./device.ts";
import { openSession, type SessionHost } from "./ortSession.ts";

interface OrtBackend extends SessionHost {
  readonly capabilities: Capabilities;
  readonly loops: boolean;
  readonly software?: boolean;
  readonly lost?: Promise<DeviceLost>;
  readonly createFixedSession?: Device["createFixedSession"];
  readonly end?: () => Promise<void> | void;
}

export function ortDevice(backend: OrtBackend): Device {
  const { capabilities, weightsAs, tensors, queue } = backend;
  const sessions = sessionRegister();
  let disposed = false;
  const alive = (): void => assert(!disposed, () => DISPOSED);
  const lost = new Promise<DeviceLost>((resolve) => {
    void backend.lost?.then((loss) => {
      if (disposed) return;
      queue.close(new DeviceLostError(loss));
      resolve(loss);
    });
  });
  return {
    backend: capabilities.backend,
    capabilities,
    weightsAs,
    loops: backend.loops,
    software: backend.software ?? false,
    ledger: tensors.ledger,
    upload(...data) {
      alive();
      return tensors.upload(...data);
    },
    allocate(...size) {
      alive();
      return tensors.allocate(...size);
    },
    view: (tensor, dims) => tensors.view(tensor, dims),
    createSession: async (onnx, options) => sessions.add(await openSession(backend, onnx, options)),
    ...(backend.createFixedSession && {
      createFixedSession: async (...args) => sessions.add(await backend.createFixedSession!(...args)),
    }),
    lost,
    async dispose() {
      if (disposed) return;
      // Sessions of a lost device cannot be released; tensors and the rest are freed anyway.
      await sessions.releaseAll().catch(() => undefined);
      for (const tensor of [...tensors.live.keys()]) tensor.dispose();
      // After the queued work of the tensors; a lost device does nothing any more.
      await queue.run("dispose", () => undefined).catch(() => undefined);
      disposed = true;
      queue.close(new Error(DISPOSED));
      await backend.end?.();
    },
  };
}

export function heldFor<T extends object>(
  live: ReadonlyMap<DeviceTensor, T>,
  tensor: DeviceTensor,
  what: string,
): T {
  const held = live.get(tensor);
  assert(held, () => `${what}: the tensor was disposed or belongs to another device`);
  return held;
}

const DISPOSED = "runtime: the device was disposed";
