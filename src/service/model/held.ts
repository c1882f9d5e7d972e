/**
 * @file A model with what it takes to load it again: when its device is lost it is put on a new one, and what works on
 * the steady engine waits here meanwhile.
 */

import type { Embedder } from "../../engine/embed.ts";
import type { Engine } from "../../engine/engine.ts";
import { Cancelled } from "../../lib/assert.ts";
import type { BufferLedger, LoadProgress } from "../../records/model.ts";
import type { DeviceEvent, OpenModel } from "../../rpc/protocol.ts";
import type { DeviceLost } from "../../runtime/device.ts";
import { DeviceLostError } from "../../runtime/errors.ts";
import type { EngineHost } from "../engineHost.ts";
import { openBackend, type TestedDevice, type WebGpuMissing } from "./backend.ts";
import { withEmbedder } from "./embedder.ts";
import { loadModel, snapshot, type Loaded, type LoadRequest } from "./load.ts";
import { steadyEngine, type Supply } from "./steady.ts";

/** What is done on the open model until `signal` fires. */
export type ModelWork<T> = (engine: Engine, signal: AbortSignal) => Promise<T>;

/** What a model needs beside its files. */
export interface HeldParts {
  readonly host: EngineHost;
  /** What was asked for, the backend among it. */
  readonly argument: OpenModel;
  readonly request: LoadRequest;
  /** Told when the device is lost and when the model is back. */
  changed(event: DeviceEvent): void;
  /** The text embedder in place of the model's own; null where there is none. */
  embedder(): Embedder | null;
}

/** The open model; its engine is the same to its users whatever device it is on. */
export class HeldModel implements Supply {
  readonly engine: Engine;
  readonly #parts: HeldParts;
  readonly #closing = new AbortController();
  readonly #users = new Set<Promise<unknown>>();
  #loaded: Loaded;
  /** Settles when the lost device was replaced. */
  #recovering: Promise<void> | undefined;
  /** When a device of this model was lost last. */
  #lostAt: number | undefined;

  constructor(parts: HeldParts, loaded: Loaded) {
    this.#parts = parts;
    this.#loaded = loaded;
    this.engine = withEmbedder(steadyEngine(this), () => parts.embedder());
    this.#watch();
  }

  get ledger(): BufferLedger {
    return snapshot(this.#loaded.device.ledger);
  }

  get inUse(): boolean {
    return this.#users.size > 0;
  }

  /** Keeps the device while `work` goes on; its signal fires on the caller's, and before the model is closed. */
  async using<T>(work: ModelWork<T>, signal?: AbortSignal): Promise<T> {
    const closed = this.#closing.signal;
    const running = work(this.engine, AbortSignal.any(signal ? [signal, closed] : [closed]));
    this.#users.add(running);
    try {
      return await running;
    } finally {
      this.#users.delete(running);
    }
  }

  /** Resolves when what works on it now has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#users);
  }

  /** Stops what works on it, then gives the device back; `last` runs between the two. */
  async close(last: () => void): Promise<void> {
    this.#closing.abort(new Cancelled(CLOSED));
    await Promise.allSettled([...this.#users, this.#recovering]);
    last();
    await this.#loaded.engine.dispose().catch(() => undefined);
    await this.#loaded.device.dispose();
  }

  get latest(): Engine {
    return this.#loaded.engine;
  }

  async current(): Promise<Engine> {
    if (this.#closing.signal.aborted) throw new Cancelled(CLOSED);
    await this.#recovering;
    return this.latest;
  }

  async wasLost(engine: Engine, error: unknown): Promise<boolean> {
    if (this.#closing.signal.aborted || error instanceof Cancelled) return false;
    const { device } = this.#loaded;
    const mayBe = device.backend === "webgpu" || error instanceof DeviceLostError;
    if (engine === this.latest && mayBe) await soonAfter(device.lost);
    return this.#recovering !== undefined || engine !== this.latest;
  }

  #watch(): void {
    const { device } = this.#loaded;
    void device.lost.then((loss) => {
      if (this.#closing.signal.aborted || this.#loaded.device !== device) return;
      this.#recovering = this.#recover(loss);
      // Whoever waits for it is told; with nobody waiting the event says it.
      this.#recovering.catch(() => undefined);
    });
  }

  async #recover({ reason, message }: DeviceLost): Promise<void> {
    const { host, changed } = this.#parts;
    const again = this.#lostAt !== undefined && host.now() - this.#lostAt < LOST_TWICE_WITHIN_MS;
    this.#lostAt = host.now();
    changed({ kind: "lost", message: `The GPU was lost (${reason}): ${message || "no message"}` });
    const to = again ? "on wasm, since the GPU was lost twice within a minute" : "on the same backend";
    changed({ kind: "reloading", message: `The model is loaded again ${to}; what was going on goes on.` });
    try {
      await this.#reload(again ? LOST_TWICE : undefined);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      changed({ kind: "failed", message: `The model could not be loaded again: ${why}` });
      throw new Error(`engine: the device was lost and the model could not be loaded again: ${why}`, {
        cause: error,
      });
    }
  }

  /** @param missing why WebGPU is not to be tried again */
  async #reload(missing: WebGpuMissing | undefined): Promise<void> {
    const { host, argument, request, changed } = this.#parts;
    await this.#loaded.engine.dispose().catch(() => undefined);
    await this.#loaded.device.dispose().catch(() => undefined);
    const tested = await testedBackend(host, argument, request.config, undefined, missing);
    this.#loaded = await loadModel(tested, { ...request, started: host.now() });
    this.#recovering = undefined;
    this.#watch();
    changed({
      kind: "ready",
      message: `The model is ready again on ${this.#loaded.card.backend}.`,
    });
  }
}

/** Opens the backend that was asked for, or with `missing` another one, for a model with `config`, and tells of its self-test. */
export async function testedBackend(
  host: EngineHost,
  { backend, precision }: OpenModel,
  config: unknown,
  onProgress?: (progress: LoadProgress) => void,
  missing?: WebGpuMissing,
): Promise<TestedDevice> {
  const model = { config, ...(precision ? { precision } : {}) };
  onProgress?.({ stage: "self-test", done: 0, total: 1 });
  const tested = await openBackend(host, missing ? "auto" : backend, model, missing);
  onProgress?.({ stage: "self-test", done: 1, total: 1 });
  return tested;
}

/** Resolves when `lost` does, or a little later: the browser tells of a loss after the calls that failed by it. */
async function soonAfter(lost: Promise<unknown>): Promise<void> {
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
