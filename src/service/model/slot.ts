/**
 * @file The one model that is open: opening, replacing and closing it, and putting it back when its device is lost.
 * Everything else works on the steady engine, which waits here while a lost device is replaced.
 */

import type { Embedder } from "../../engine/embed.ts";
import type { Engine } from "../../engine/engine.ts";
import { Cancelled, present, throwIfCancelled } from "../../lib/assert.ts";
import type { BufferLedger, LoadProgress, ModelReady } from "../../records/model.ts";
import type { DeviceEvent, OpenModel } from "../../rpc/protocol.ts";
import type { DeviceLost } from "../../runtime/device.ts";
import { DeviceLostError } from "../../runtime/errors.ts";
import { createQueue } from "../../runtime/queue.ts";
import { openBackend, type TestedDevice, type WebGpuMissing } from "./backend.ts";
import { withEmbedder } from "./embedder.ts";
import { modelFiles } from "./files.ts";
import type { EngineHost } from "../engineHost.ts";
import { loadModel, snapshot, type LoadCall, type Loaded, type LoadRequest } from "./load.ts";
import { steadyEngine } from "./steady.ts";

/** A model that calls can work on; `closed` fires when it is closed or replaced. */
export interface OpenedModel {
  readonly engine: Engine;
  readonly ready: ModelReady;
  readonly closed: AbortSignal;
}

export interface ModelSlot {
  open(argument: OpenModel, call: LoadCall): Promise<ModelReady>;
  close(): Promise<void>;
  /** @throws when no model is open */
  opened(): OpenedModel;
  /** The engine of the open model; null when none is. */
  engine(): Engine | null;
  ledger(): BufferLedger | null;
  /** Resolves when no call works on the model. */
  idle(signal?: AbortSignal): Promise<void>;
  /** Keeps the device from being taken away under `work` when the model is closed; its signal fires first. */
  using<T>(work: (model: OpenedModel) => Promise<T>): Promise<T>;
}

/** The open model with what it takes to load it again. */
interface Held {
  readonly model: OpenedModel;
  readonly closing: AbortController;
  readonly users: Set<Promise<unknown>>;
  readonly request: LoadRequest;
  readonly argument: OpenModel;
  loaded: Loaded;
  /** Settles when the lost device was replaced. */
  recovering: Promise<void> | undefined;
  /** When a device of this model was lost last. */
  lostAt: number | undefined;
}

/** What the slot tells. */
export interface SlotEvents {
  changed(event: DeviceEvent): void;
  /** The model is about to be closed; nothing runs on it any more. */
  closing(): void;
  /** The text embedder in place of the model's own; null where there is none. */
  embedder(): Embedder | null;
}

export function createModelSlot(host: EngineHost, events: SlotEvents): ModelSlot {
  let held: Held | undefined;
  const line = createQueue();

  async function replace(argument: OpenModel, { signal, onProgress }: LoadCall): Promise<ModelReady> {
    const started = host.now();
    const call = { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) };
    const { files, listed } = await modelFiles(host, argument, call);
    const tested = await tryBackend(argument, onProgress);
    if (signal?.aborted) await tested.device.dispose();
    throwIfCancelled(signal, "engine: loading");
    await close();
    const request: LoadRequest = {
      source: argument.source,
      ...(argument.precision ? { precision: argument.precision } : {}),
      files,
      listed,
      now: () => host.now(),
      started,
      deadline: host.deadline,
    };
    const loaded = await loadModel(tested, { ...request, ...call });
    held = hold(argument, request, loaded);
    return loaded.ready;
  }

  async function tryBackend(
    { backend }: OpenModel,
    onProgress?: (progress: LoadProgress) => void,
    missing?: WebGpuMissing,
  ): Promise<TestedDevice> {
    onProgress?.({ stage: "self-test", done: 0, total: 1 });
    const tested = await openBackend(host, missing ? "auto" : backend, missing);
    onProgress?.({ stage: "self-test", done: 1, total: 1 });
    return tested;
  }

  function hold(argument: OpenModel, request: LoadRequest, loaded: Loaded): Held {
    const closing = new AbortController();
    const supply = {
      current: async () => {
        if (closing.signal.aborted) throw new Cancelled(CLOSED);
        await made.recovering;
        return made.loaded.engine;
      },
      get latest() {
        return made.loaded.engine;
      },
      wasLost: async (engine: Engine, error: unknown) => {
        if (closing.signal.aborted || error instanceof Cancelled) return false;
        const { device } = made.loaded;
        if (
          engine === made.loaded.engine &&
          (device.backend === "webgpu" || error instanceof DeviceLostError)
        )
          await settled(device.lost);
        return made.recovering !== undefined || engine !== made.loaded.engine;
      },
    };
    let engine: Engine | undefined;
    const made: Held = {
      argument,
      request,
      loaded,
      closing,
      users: new Set(),
      recovering: undefined,
      lostAt: undefined,
      model: {
        get engine() {
          return (engine ??= withEmbedder(steadyEngine(supply), () => events.embedder()));
        },
        get ready() {
          return made.loaded.ready;
        },
        closed: closing.signal,
      },
    };
    watch(made);
    return made;
  }

  function watch(made: Held): void {
    const { device } = made.loaded;
    void device.lost.then((loss) => {
      if (made.closing.signal.aborted || made.loaded.device !== device) return;
      made.recovering = recover(made, loss);
      // Whoever waits for it is told; with nobody waiting the event says it.
      made.recovering.catch(() => undefined);
    });
  }

  async function recover(made: Held, loss: DeviceLost): Promise<void> {
    const again = made.lostAt !== undefined && host.now() - made.lostAt < LOST_TWICE_WITHIN_MS;
    made.lostAt = host.now();
    events.changed({
      kind: "lost",
      message: `The GPU was lost (${loss.reason}): ${loss.message || "no message"}`,
    });
    const missing = again ? LOST_TWICE : undefined;
    const to = again ? "on wasm, since the GPU was lost twice within a minute" : "on the same backend";
    events.changed({
      kind: "reloading",
      message: `The model is loaded again ${to}; what was going on goes on.`,
    });
    const old = made.loaded;
    try {
      await old.engine.dispose().catch(() => undefined);
      await old.device.dispose().catch(() => undefined);
      const tested = await tryBackend(made.argument, undefined, missing);
      made.loaded = await loadModel(tested, { ...made.request, started: host.now() });
      made.recovering = undefined;
      watch(made);
      events.changed({ kind: "ready", message: `The model is ready again on ${made.loaded.card.backend}.` });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      events.changed({ kind: "failed", message: `The model could not be loaded again: ${why}` });
      throw new Error(`engine: the device was lost and the model could not be loaded again: ${why}`, {
        cause: error,
      });
    }
  }

  async function close(): Promise<void> {
    const old = held;
    held = undefined;
    if (!old) return;
    old.closing.abort(new Cancelled(CLOSED));
    await Promise.allSettled([...old.users, old.recovering]);
    events.closing();
    await old.loaded.engine.dispose().catch(() => undefined);
    await old.loaded.device.dispose();
  }

  const opened = (): OpenedModel =>
    present(held, () => "engine: no model is open; run the model cell first").model;

  return {
    open: (argument, call) => line.run("engine: opening", () => replace(argument, call), call.signal),
    close: () => line.run("engine: closing", close),
    opened,
    async idle(signal) {
      const stop = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
      while (held && held.users.size > 0 && !signal?.aborted)
        await Promise.race([stop, Promise.allSettled(held.users)]);
    },
    engine: () => held?.model.engine ?? null,
    ledger: () => (held ? snapshot(held.loaded.device.ledger) : null),
    async using(work) {
      const model = opened();
      const { users } = held!;
      const running = work(model);
      users.add(running);
      try {
        return await running;
      } finally {
        users.delete(running);
      }
    },
  };
}

/** Resolves when `lost` does, or a little later: the browser tells of a loss after the calls that failed by it. */
async function settled(lost: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([lost, new Promise((resolve) => (timer = setTimeout(resolve, LOSS_IS_TOLD_WITHIN_MS)))]);
  clearTimeout(timer);
}

const CLOSED = "engine: the model was closed";
const LOST_TWICE_WITHIN_MS = 60_000;
const LOSS_IS_TOLD_WITHIN_MS = 500;
const LOST_TWICE: WebGpuMissing = {
  reason: "the GPU was lost twice within a minute",
  next: "Close other pages that use the GPU, or restart the browser; then run the model cell again.",
};
